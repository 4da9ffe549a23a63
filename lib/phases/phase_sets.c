/* SPDX-License-Identifier: MIT */
/* Whole sets of rules: those that come with the program, and which to use. */
#include "phases/phase_rules.h"

#include <string.h>

#include "base/buffer.h"
#include "phases/phase_texts.h"

static const struct {
	const char *name;
	const char *const *lines;
} shipped[] = {
	{"clang", clang_rules},
	{"dynamo", dynamo_rules},
	{"import", import_rules},
	{"nvcc", nvcc_rules},
};

#define SHIPPED_COUNT (sizeof(shipped) / sizeof(shipped[0]))

const char *const *phase_rules_shipped(const char *name)
{
	for (size_t i = 0; i < SHIPPED_COUNT; i++)
		if (strcmp(name, shipped[i].name) == 0)
			return shipped[i].lines;
	return NULL;
}

static enum ctp_status add(struct phase_sets *sets, const char *name,
	const char *const *lines, struct ctp_error *err)
{
	struct buffer text = BUFFER_INIT;
	enum ctp_status status;

	for (; *lines != NULL; lines++)
		buffer_add_text(&text, *lines);
	if (text.failed)
		status = ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	else
		status = phase_rules_parse(name, (const char *)text.bytes,
			text.used, &sets->rules[sets->count], err);
	if (status == CTP_OK)
		sets->count++;
	buffer_clear(&text);
	return status;
}

enum ctp_status phase_sets_ship(struct phase_sets *sets, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	*sets = (struct phase_sets){0};
	for (size_t i = 0; i < SHIPPED_COUNT && status == CTP_OK; i++)
		status = add(sets, shipped[i].name, shipped[i].lines, err);
	if (status != CTP_OK)
		phase_sets_clear(sets);
	return status;
}

enum ctp_status phase_sets_open(
	struct phase_sets *sets, const char *name, struct ctp_error *err)
{
	const char *const *lines = phase_rules_shipped(name);
	enum ctp_status status;

	*sets = (struct phase_sets){0};
	if (lines != NULL)
		return add(sets, name, lines, err);
	status = phase_rules_read(name, &sets->rules[0], err);
	if (status == CTP_OK)
		sets->count = 1;
	return status;
}

void phase_sets_clear(struct phase_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		phase_rules_free(sets->rules[i]);
	*sets = (struct phase_sets){0};
}

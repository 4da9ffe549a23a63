/* SPDX-License-Identifier: MIT */
/* Whole sets of rules: those that come with the program, and which to use. */
#include "phase_rules.h"

#include <string.h>

static enum ctp_status add(
	struct phase_sets *sets, size_t shipped, struct ctp_error *err)
{
	const char *text = phase_rules_shipped_text(shipped);
	enum ctp_status status =
		phase_rules_parse(phase_rules_shipped_name(shipped), text,
			strlen(text), &sets->rules[sets->count], err);

	if (status == CTP_OK)
		sets->count++;
	return status;
}

enum ctp_status phase_sets_ship(struct phase_sets *sets, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	*sets = (struct phase_sets){0};
	for (size_t i = 0;
		status == CTP_OK && phase_rules_shipped_name(i) != NULL; i++)
		status = add(sets, i, err);
	if (status != CTP_OK)
		phase_sets_clear(sets);
	return status;
}

enum ctp_status phase_sets_open(
	struct phase_sets *sets, const char *name, struct ctp_error *err)
{
	const char *shipped;
	enum ctp_status status;

	*sets = (struct phase_sets){0};
	for (size_t i = 0; (shipped = phase_rules_shipped_name(i)) != NULL; i++)
		if (strcmp(name, shipped) == 0)
			return add(sets, i, err);
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

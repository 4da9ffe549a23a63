/* SPDX-License-Identifier: MIT */
#include "summary/summary_collect.h"

#include <string.h>

#include "base/memory.h"
#include "summary/summary_section.h"

#define SUMMARY_ONE(name) +1
#define SECTION_COUNT (0 SUMMARY_SECTIONS(SUMMARY_ONE))

struct summary_collect {
	void *states[SECTION_COUNT]; /* NULL: nothing to collect */
};

static const struct summary_collector *collector(size_t section)
{
	return summary_sections[section]->collector;
}

/* Whether the section is collected: see summary_collect_args(). */
static bool is_wanted(size_t section, const char *only)
{
	return collector(section) != NULL &&
	       (only == NULL ||
		       strcmp(summary_sections[section]->name, only) == 0);
}

static bool has_arg(const char *const *args, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(args[i], name) == 0)
			return true;
	return false;
}

void summary_collect_args(
	const char *args[SUMMARY_ARGS_MAX], const char *section)
{
	size_t count = 0;

	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!is_wanted(i, section) || collector(i)->args == NULL)
			continue;
		for (const char *const *at = collector(i)->args; *at != NULL;
			at++)
			if (count < SUMMARY_ARGS_MAX - 1 &&
				!has_arg(args, count, *at))
				args[count++] = *at;
	}
	args[count] = NULL;
}

struct summary_collect *summary_collect_new(
	struct trace *trace, const char *section)
{
	struct summary_collect *collect =
		memory_new_zeroed(1, sizeof(*collect));

	if (collect == NULL)
		return NULL;
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!is_wanted(i, section))
			continue;
		collect->states[i] = collector(i)->begin(trace);
		if (collect->states[i] == NULL) {
			summary_collect_free(collect);
			return NULL;
		}
	}
	return collect;
}

void summary_collect_free(struct summary_collect *collect)
{
	if (collect == NULL)
		return;
	for (size_t i = 0; i < SECTION_COUNT; i++)
		if (collect->states[i] != NULL)
			collector(i)->free(collect->states[i]);
	memory_free(collect);
}

enum ctp_status summary_collect_add(struct summary_collect *collect,
	const struct event *event, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (size_t i = 0; i < SECTION_COUNT && status == CTP_OK; i++)
		if (collect->states[i] != NULL)
			status = collector(i)->add(
				collect->states[i], event, err);
	return status;
}

enum ctp_status summary_collect_finish(struct summary_collect *collect,
	struct summary *summary, const struct summary_input *input,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (size_t i = 0; i < SECTION_COUNT && status == CTP_OK; i++)
		if (collect->states[i] != NULL)
			status = collector(i)->finish(
				collect->states[i], summary, input, err);
	return status;
}

/* SPDX-License-Identifier: MIT */
/* The table of sections, made from SUMMARY_SECTIONS, and the sums. */
#include "summary/summary.h"

#include "base/memory.h"
#include "summary/summary_section.h"

#define SUMMARY_ADDRESS(name) &summary_##name##_section,

const struct summary_section *const summary_sections[] = {
	SUMMARY_SECTIONS(SUMMARY_ADDRESS) NULL};

struct summary *summary_new(void)
{
	struct summary *summary = memory_new_zeroed(1, sizeof(*summary));

	if (summary == NULL)
		return NULL;
	summary->text = strtab_new();
	if (summary->text != NULL)
		return summary;
	memory_free(summary);
	return NULL;
}

void summary_free(struct summary *summary)
{
	if (summary == NULL)
		return;
	for (const struct summary_section *const *at = summary_sections;
		*at != NULL; at++)
		if ((*at)->clear != NULL)
			(*at)->clear(summary);
	strtab_free(summary->text);
	memory_free(summary);
}

enum ctp_status summary_add(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (const struct summary_section *const *at = summary_sections;
		*at != NULL && status == CTP_OK; at++)
		if ((*at)->add != NULL)
			status = (*at)->add(to, from, err);
	return status;
}

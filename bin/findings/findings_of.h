/* SPDX-License-Identifier: MIT */
/* The findings of an input, or of a sum, that was read. */
#ifndef FINDINGS_OF_H
#define FINDINGS_OF_H

#include "findings/findings.h"
#include "findings/page_data.h"

/* `trace` has the losses and facts. `compile`, after compile_finish(), and
 * `groups` may be NULL. False if out of memory. */
bool findings_of_data(struct findings *findings, const struct page_data *data,
	const struct trace *trace, const struct compile *compile,
	struct profile *const *groups);

#endif

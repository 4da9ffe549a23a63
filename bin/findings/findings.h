/* SPDX-License-Identifier: MIT */
/*
 * Findings: sentences about the largest losses of time in a recording, each with
 * its share, the report that has the details, and a cure. Each is a rule of the
 * table in findings.c. A rule without evidence finds nothing.
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/diff.h"
#include "compilations/compile.h"
#include "compilers/build_profile.h"
#include "gaps/gaps.h"
#include "input/recording_cost.h"
#include "operators/allocations.h"
#include "profile/profile.h"
#include "ranks/ranks.h"
#include "roofline/kernels.h"

#define FINDINGS_MAX 7
#define FINDING_TEXT 512

/* All that rules look at; NULL: unknown. Borrowed. */
struct findings_facts {
	const struct profile *profile; /* sorted */
	const struct gaps *gaps;       /* finished */
	const struct kernels *kernels; /* finished */
	const struct ranks *ranks;     /* sorted */
	const struct compile *compile; /* finished */
	const struct recording_cost *cost;
	const uint64_t *losses; /* by enum trace_loss */
	/* By enum build_group: profiles, or NULL. */
	struct profile *const *groups;
	const struct diff *diff; /* finished */
	/* Finished, with the names of its sites. */
	const struct allocations *allocations;
	const struct trace *trace;
};

struct finding {
	const char *rule;    /* "gpu_idle" */
	const char *section; /* of the page */
	const char *command; /* with the details */
	const char *cure;
	bool has_share;
	uint32_t share_ppm; /* of the time, or memory, in the sentence */
	char text[FINDING_TEXT];
};

struct findings {
	struct finding items[FINDINGS_MAX];
	size_t count;
};

/* The findings, those without a share first, then the largest first. */
void findings_find(
	struct findings *findings, const struct findings_facts *facts);

#endif

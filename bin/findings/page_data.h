/* SPDX-License-Identifier: MIT */
/* All that the page and the findings are made of. */
#ifndef PAGE_DATA_H
#define PAGE_DATA_H

#include <stdint.h>

#include "compilations/compile.h"
#include "digest/digest.h"
#include "gaps/gaps.h"
#include "gaps/overview.h"
#include "input/aggregate.h"
#include "input/input.h"
#include "operators/allocations.h"
#include "profile/profile.h"
#include "roofline/kernels.h"
#include "summary/summary.h"

/* The analyses of one input, made in one pass over its events, or a sum's. */
struct page_data {
	struct profile *profile; /* sorted, with its tree */
	/* NULL if the input has sums instead of events. */
	struct overview *overview;
	struct digest *digest; /* NULL also if none was requested */
	struct gaps *gaps;
	struct kernels *kernels;
	struct allocations *allocations; /* NULL: likewise, or a sum */
	uint64_t late;                   /* see kernels_late() */
	/* The sum; NULL if it is one input. */
	struct summary *summary;
	const uint64_t *skipped; /* by enum input_tree_skip */
	uint64_t files;
};

/* Sets what page_data_read() wants of an input that is opened for it. */
void page_data_set_request(struct read_request *request);

/* Reads an input to its end; its compilations are added to those of others.
 * Errors: reported; returns an exit status. Call page_data_clear() in any case,
 * before the input is closed. */
struct page_data_source {
	const struct inputs *inputs;
	struct compile *compile;
	/* The digest keeps about that many; 0: no digest. */
	uint32_t slices;
	uint32_t bins;
};
int page_data_read(struct page_data *data, const struct page_data_source *from,
	struct input *input);
void page_data_clear(struct page_data *data);

/* The data of a sum, borrowed from it. Errors: CTP_ERR_NOMEM. */
enum ctp_status page_data_of_sum(struct page_data *data,
	const struct aggregate *aggregate, struct ctp_error *err);

#endif

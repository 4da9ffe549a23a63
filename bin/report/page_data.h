/* SPDX-License-Identifier: MIT */
/* All that a page shows of one input, gathered in one pass over its events. */
#ifndef PAGE_DATA_H
#define PAGE_DATA_H

#include "gaps/gaps.h"
#include "input/input.h"
#include "roofline/kernels.h"
#include "gaps/overview.h"
#include "profile/profile.h"

struct page_data {
	struct profile *profile; /* sorted, and with its tree */
	/* NULL where the input holds sums, and no events. */
	struct overview *overview;
	struct gaps *gaps;
	struct kernels *kernels;
};

/* Sets what page_data_read() wants of an input that is opened for it. */
void page_data_set_request(struct read_request *request);

/*
 * Reads an input to its end.
 *
 * Errors: said; returns an exit status.
 * Ownership: page_data_clear() is due in any case, before the input is closed.
 */
int page_data_read(struct page_data *data, const struct inputs *inputs,
	struct input *input);
void page_data_clear(struct page_data *data);

#endif

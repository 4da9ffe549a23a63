/* SPDX-License-Identifier: MIT */
/* All that a page shows of one input, gathered in one pass over its events. */
#ifndef DIGEST_H
#define DIGEST_H

#include "gaps/gaps.h"
#include "input/input.h"
#include "roofline/kernels.h"
#include "gaps/overview.h"
#include "profile/profile.h"

struct digest {
	struct profile *profile; /* sorted, and with its tree */
	/* NULL where the input holds sums, and no events. */
	struct overview *overview;
	struct gaps *gaps;
	struct kernels *kernels;
};

/*
 * Reads an input to its end.
 *
 * Errors: said; returns an exit status.
 * Ownership: digest_clear() is due in any case, before the input is closed.
 */
int digest_take(struct digest *digest, const struct inputs *inputs,
	struct input *input);
void digest_clear(struct digest *digest);

#endif

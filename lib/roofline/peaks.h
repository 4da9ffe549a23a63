/* SPDX-License-Identifier: MIT */
/* What devices can do at most: operations a second, by type, with tensor or
 * matrix cores where they have these, without sparsity; and bytes a second of
 * their memory. */
#ifndef PEAKS_H
#define PEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/dtype.h"

struct peak {
	/* Words that a device's name has, in this order. */
	const char *name;
	uint64_t memory_bytes;   /* it has at least so much; 0: or any */
	uint32_t gflops[DTYPES]; /* a second; 0: not known, or none */
	uint32_t gb_per_s;
	/* NULL: nothing is known of it, though its name is like another's. */
	const char *source;
};

/* The first of these that the device is; NULL if none is. */
const struct peak *peak_find(const struct peak *peaks, size_t count,
	const char *name, uint64_t memory_bytes);

/* Those that are known. */
extern const struct peak peaks_known[];
extern const size_t peaks_known_count;

#endif

/* SPDX-License-Identifier: MIT */
/* Peak rates of devices: operations per second by type, with tensor or matrix
 * cores if any, without sparsity; and memory bytes per second. */
#ifndef PEAKS_H
#define PEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/dtype.h"

struct peak {
	/* Words that the device's name contains, in this order. */
	const char *name;
	uint64_t memory_bytes;   /* its minimum memory; 0: any */
	uint32_t gflops[DTYPES]; /* per second; 0: unknown or unsupported */
	uint32_t gb_per_s;
	/* NULL: unknown, listed because its name resembles another's. */
	const char *source;
};

/* The first peak that matches the device; NULL if none. */
const struct peak *peak_find(const struct peak *peaks, size_t count,
	const char *name, uint64_t memory_bytes);

/* The built-in peaks. */
extern const struct peak peaks_known[];
extern const size_t peaks_known_count;

#endif

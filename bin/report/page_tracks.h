/* SPDX-License-Identifier: MIT */
/* The lanes of the timeline on a page, written by page_slices.c. */
#ifndef PAGE_TRACKS_H
#define PAGE_TRACKS_H

#include "base/buffer.h"
#include "digest/digest.h"
#include "report/page_part.h"

/* Texts that slices refer to, as numbers of a list on the page. */
struct page_texts {
	struct buffer numbers; /* uint32_t strtab numbers in list order */
	uint32_t *indexes;     /* by strtab number: list number + 1 */
	size_t bytes;          /* of arguments on the page ... */
	size_t bytes_max;      /* ... and the most; further ones are omitted */
};

/* A lane with its slices and bins, which are parts of the digest's. */
struct page_lane {
	uint32_t number; /* in the digest */
	const struct digest_slice *slices;
	const struct slice_bin *bins;
	uint32_t slice_count;
	uint32_t bin_count;
};

struct page_lanes {
	struct page_part *part;
	const struct digest *digest;
	struct page_lane *lanes; /* in the order of the page */
	uint32_t count;
	int64_t start_ns;    /* of the timeline */
	uint32_t *positions; /* by the digest's number: place + 1 */
	struct page_texts names;
	struct page_texts args;
};

/* Chooses the arguments that the page shows. */
void page_slices_admit_args(struct page_lanes *lanes);

/* Writes members of a lane's object. */
void page_slices_write(struct page_lanes *lanes, const struct page_lane *lane);

/* Writes the lists of names and arguments, and the other members of the
 * timeline: steps and series. */
void page_slices_write_texts(struct page_lanes *lanes);
void page_slices_write_values(struct page_lanes *lanes);

#endif

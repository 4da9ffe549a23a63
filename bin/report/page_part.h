/* SPDX-License-Identifier: MIT */
/*
 * One input's part of the page, while it is made: JSON that the page's scripts
 * read. It is kept until it is whole, for its size to be known.
 */
#ifndef PAGE_PART_H
#define PAGE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gaps/gaps.h"
#include "gaps/overview.h"
#include "profile/flame_tree.h"
#include "json/json.h"
#include "profile/profile.h"
#include "roofline/kernels.h"
#include "trace/trace.h"

/* What stands in place of a function's number that is none. */
#define PAGE_NOT_SHOWN (-1)

/* Bytes of a text that are shown. */
#define PAGE_TEXT_SHOWN 240

/* All that the page shows of one input, gathered in one pass over its events. */
struct page_data {
	struct profile *profile; /* sorted, and with its tree */
	/* NULL where the input holds sums, and no events. */
	struct overview *overview;
	struct gaps *gaps;
	struct kernels *kernels;
};

struct page_part {
	struct json json;
	const struct page_data *data;
	const struct trace *trace;
	size_t budget_bytes;
	/* So far json's bytes were looked at, for what HTML needs more. */
	size_t seen;
	size_t extra;
	/* By function: its number on the page + 1; 0: it is not there. */
	uint32_t *function_numbers;
	struct flame_tree *host;
	struct flame_tree *device;
	uint32_t clipped;             /* texts */
	struct page_kernels *kernels; /* NULL: there are none */
};

/* So large is the page by this part, so far. */
size_t page_part_bytes(struct page_part *part);

/* Where a member is to end that may take so many hundredths of what the part
 * may take. */
size_t page_part_limit(struct page_part *part, unsigned hundredths);

/* Where the part stands; and back to there. */
struct page_mark {
	size_t used;
	size_t seen;
	size_t extra;
	uint32_t clipped;
	bool comma;
};

struct page_mark page_part_mark(const struct page_part *part);
void page_part_rewind(struct page_part *part, const struct page_mark *mark);

/* A text for people, which is clipped in its middle if it is very long. */
void page_part_text(struct page_part *part, const char *text);
void page_part_text_sized(
	struct page_part *part, const char *text, size_t size);

/* The same of a function's name: what is in brackets goes first. */
void page_part_name(struct page_part *part, const char *name);

/* How fast kernels were; NULL if out of memory. Both are borrowed. */
struct page_kernels *page_kernels_new(
	const struct kernels *source, const struct trace *trace);
void page_kernels_free(struct page_kernels *kernels);

/* Four items of what a device did: operations a second, and their share of the
 * peak in hundredths of a percent, and the same of bytes; null if unknown. */
void page_kernels_write(const struct page_kernels *kernels,
	const struct profile_function *function, struct json *json);

/* Each writes one member, or several.
 * Errors of page_functions_write(): CTP_ERR_NOMEM. */
enum ctp_status page_functions_write(
	struct page_part *part, struct ctp_error *err);
void page_flames_write(struct page_part *part);
enum ctp_status page_tracks_write(
	struct page_part *part, struct ctp_error *err);
void page_gaps_write(struct page_part *part);

#endif

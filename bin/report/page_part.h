/* SPDX-License-Identifier: MIT */
/*
 * One input's part of the page: JSON that the page's scripts read. It is kept
 * in memory until complete, so that its size is known.
 */
#ifndef PAGE_PART_H
#define PAGE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compilations/compile.h"
#include "gaps/gaps.h"
#include "gaps/overview.h"
#include "profile/flame_tree.h"
#include "findings/findings.h"
#include "findings/page_data.h"
#include "json/json.h"
#include "profile/profile.h"
#include "report/page_source.h"
#include "roofline/kernels.h"
#include "stats/stats.h"
#include "summary/summary.h"
#include "trace/trace.h"

/* Number of a function that is not on the page. */
#define PAGE_NOT_SHOWN (-1)

struct page_part {
	struct sheet sheet; /* the page's JSON */
	const char *name;   /* of the input */
	const char *format; /* its format's name */
	const struct page_data *data;
	const struct trace *trace;
	struct profile *const *groups; /* see findings.h */
	size_t budget_bytes;
	unsigned timeline_hundredths; /* of the room, at most */
	size_t ranks_bytes;           /* room for ranks; 0: none are shown */
	const struct page_source *source; /* borrowed */
	size_t source_bytes;              /* room for sources */
	/* Bytes of the JSON already checked for characters that HTML escapes. */
	size_t seen;
	size_t extra;
	/* By function: its number on the page + 1; 0: not on the page. */
	uint32_t *function_numbers;
	struct flame_tree *host;
	struct flame_tree *device;
	struct stats stats; /* of the profile */
	struct page_kernels *kernels;
};

/* Makes the section of compilations, of at most `max` bytes on the page; `*made`
 * is false without compilations, or if they do not fit; otherwise the caller
 * calls json_clear(). False if out of memory. */
bool page_compile_make(const struct compile *compile, size_t max,
	struct json *json, bool *made);

/* Current size of this part on the page. */
size_t page_part_bytes(struct page_part *part);

/* The size at which a member must end that may use `hundredths` of the part's
 * limit. */
size_t page_part_limit(struct page_part *part, unsigned hundredths);

/* A position of the part to which it can be rewound. */
struct page_mark {
	size_t used;
	size_t seen;
	size_t extra;
	uint32_t clipped;
	bool comma;
};

struct page_mark page_part_mark(const struct page_part *part);
void page_part_rewind(struct page_part *part, const struct page_mark *mark);

/* The rates of kernels, which are borrowed and to which it applies the peaks;
 * NULL: none. It returns NULL if out of memory. The work of devices took
 * `all_ns`. */
struct page_kernels *page_kernels_new(struct kernels *source, uint64_t all_ns);
void page_kernels_free(struct page_kernels *kernels);

/* Writes the cells of a device's function. */
void page_kernels_put(
	struct page_part *part, const struct profile_function *function);

/* Each writes one or more members. Errors of page_functions_write():
 * CTP_ERR_NOMEM. */
enum ctp_status page_functions_write(
	struct page_part *part, struct ctp_error *err);
void page_flames_write(struct page_part *part);
enum ctp_status page_tracks_write(
	struct page_part *part, struct ctp_error *err);
void page_operators_write(struct page_part *part);
void page_gaps_write(struct page_part *part);
void page_memory_write(struct page_part *part);

/* Writes the findings of the part; and those of compilations, as an array. False
 * if out of memory. */
bool page_findings_write(struct page_part *part);
void page_findings_put(struct sheet *sheet, const struct findings *findings);
void page_findings_of_compile(
	struct sheet *sheet, const struct compile *compile);

/* Adds the names of a sum's inputs to the facts. False if out of memory. And
 * writes the counts of its inputs. */
bool page_sum_add_facts(struct trace *trace, const struct summary *summary);
void page_sum_write(struct page_part *part);

/* Whether a sum, or NULL, has ranks to show; and writes them, if so. */
bool page_ranks_shown(const struct summary *summary);
void page_ranks_write(struct page_part *part);

#endif

/* SPDX-License-Identifier: MIT */
/* What ranking.c and ranking_queue.c share: when the queue ran empty. */
#ifndef RANKING_QUEUE_H
#define RANKING_QUEUE_H

#include <stddef.h>

#include "gaps/ranking.h"
#include "extsort/extsort.h"

#define RANKING_SORT_BYTES ((size_t)32 << 20)

/* Stretches of time, and how much of another one they cover. */
struct ranking_span {
	int64_t from_ns;
	int64_t to_ns;
	uint64_t before_ns; /* the sum of those before this one */
};

struct ranking_spans {
	struct ranking_span *items; /* free with memory_free() */
	size_t count;
	size_t room;
};

/* Adds a stretch; one that does not end after it starts is none. False if out
 * of memory. */
bool ranking_spans_add(
	struct ranking_spans *spans, int64_t from_ns, int64_t to_ns);

/* Orders them and makes one of those that touch: after the last was added. */
void ranking_spans_join(struct ranking_spans *spans);

/* How much of a stretch of time they cover; they were joined. */
uint64_t ranking_spans_cover(
	const struct ranking_spans *spans, int64_t from_ns, int64_t to_ns);

struct ranking_open;

/* What a site's texts tell; looked at once for each. */
struct ranking_site {
	bool known;
	bool has_place; /* in a file */
	bool is_call;   /* or something else that is no range here */
	bool is_launch; /* if it is a call */
	bool is_work;   /* if it is an activity */
	bool is_kernel;
};

struct ranking_track {
	struct ranking_open *open;
	uint32_t depth;
	uint32_t room;
	int64_t latest_ns;
};

/* A launch, or a kernel. */
struct ranking_point {
	int64_t start_ns;
	int64_t end_ns;
	int64_t pid;
	uint64_t id;
	uint64_t is_kernel;
};

/* A range of the host that has ended. */
struct ranking_range {
	int64_t start_ns;
	int64_t end_ns;
	uint64_t self_ns;
	uint32_t site;
	uint32_t place;
};

struct ranking {
	const struct trace *trace;
	struct ranking_options options;
	struct extsort *host;       /* struct ranking_range */
	struct extsort *points;     /* struct ranking_point */
	struct ranking_site *sites; /* by number */
	uint32_t site_room;
	struct ranking_track *tracks;
	uint32_t track_count;
	bool has_host;
	bool has_kernels;
	int64_t first_ns;      /* where the host's ranges begin */
	int64_t latest_ns;     /* and end */
	int64_t last_start_ns; /* of the one that began last */
	int64_t last_end_ns;
	struct ranking_spans busy; /* robust: work of devices */
	struct ranking_spans idle;
	struct ranking_spans falling;
	struct ranking_row *rows;
	uint32_t row_count;
};

/* Finds when nothing was to do, and when the queue ran empty. Errors:
 * CTP_ERR_NOMEM, CTP_ERR_IO. */
enum ctp_status ranking_read_queue(
	struct ranking *ranking, struct ctp_error *err);

#endif

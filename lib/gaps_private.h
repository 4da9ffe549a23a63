/* SPDX-License-Identifier: MIT */
/* What gaps.c, gaps_queue.c and gaps_host.c share. */
#ifndef GAPS_PRIVATE_H
#define GAPS_PRIVATE_H

#include "gaps.h"
#include "launches.h"
#include "spill.h"

/* Memory of each of the sorts. */
#define GAPS_SORT_BYTES ((size_t)32 << 20)

/* From when to when something of a track is known. */
struct gaps_extent {
	int64_t first_ns;
	int64_t last_ns;
	int64_t range_ns; /* the latest begin or end */
	bool known;
};

struct gaps {
	const struct trace *trace;
	struct launches *launches;
	struct gaps_device *devices;
	uint32_t device_count;
	uint32_t device_room;
	struct gaps_place *places;
	uint32_t place_count;
	uint32_t place_room;
	struct strtab *place_keys;   /* number + 1 by what tells places apart */
	struct gaps_extent *extents; /* by track */
	uint32_t extent_count;
	struct spill *work;  /* activities, by their start */
	struct spill *host;  /* begins and ends of ranges */
	struct spill *waits; /* struct gaps_wait, by from_ns */
	/* The devices of kernels that were in the queue, by when these were
	 * launched, and started: each nearly is in that order. */
	struct spill *launched;
	struct spill *started;
	struct gaps_watch watch; /* without see(): it is not watched */
};

/* A part of a gap that is charged to what a thread did in it. */
struct gaps_wait {
	int64_t from_ns;
	int64_t to_ns;
	uint32_t track;
	uint32_t device;
};

/* Tells the watch, if there is one. Errors: those of the watch. */
enum ctp_status gaps_tell(const struct gaps *gaps,
	const struct gaps_level *level, struct ctp_error *err);

/* Charges all waits to places; after the host and waits were sorted. Errors:
 * CTP_ERR_NOMEM, CTP_ERR_IO. */
enum ctp_status gaps_charge_host(struct gaps *gaps, struct ctp_error *err);

/* Sums the queue's depth over time. Errors: as above. */
enum ctp_status gaps_sum_queue(struct gaps *gaps, struct ctp_error *err);

/* Charges a stretch of time to a cause and a place. False if out of memory. */
bool gaps_charge(
	struct gaps *gaps, const struct gaps_place *place, uint64_t time_ns);

/* Puts devices and places into their orders. False if out of memory. */
bool gaps_sort(struct gaps *gaps);

enum ctp_status gaps_no_memory(struct ctp_error *err);

#endif

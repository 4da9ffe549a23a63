/* SPDX-License-Identifier: MIT */
/* What gaps.c and gaps_host.c share. */
#ifndef GAPS_PRIVATE_H
#define GAPS_PRIVATE_H

#include "gaps/gaps.h"
#include "gaps/launch_table.h"
#include "extsort/extsort.h"

/* Memory of each of the sorts. */
#define GAPS_SORT_BYTES ((size_t)32 << 20)

/* From when to when something of a track is known. */
struct gaps_extent {
	int64_t first_ns;
	int64_t last_ns;
	int64_t range_ns;         /* the latest begin or end */
	struct gaps_block *block; /* of these, to be filled; NULL: none yet */
	bool known;
};

struct gaps {
	const struct trace *trace;
	struct launch_table *launches;
	struct gaps_device *devices;
	struct strtab *device_keys; /* number + 1 by process and number */
	uint32_t device_count;
	uint32_t device_room;
	struct gaps_place *places;
	uint32_t place_count;
	uint32_t place_room;
	struct strtab *place_keys;   /* number + 1 by what tells places apart */
	struct gaps_extent *extents; /* by track */
	uint32_t extent_count;
	struct extsort *work;  /* activities, by their start */
	struct extsort *host;  /* blocks of begins and ends, by track */
	struct extsort *waits; /* struct gaps_wait, by track and from_ns */
	/* When kernels were launched that were in the queue, with the device
	 * for a rank and no bytes; nearly in order. */
	struct extsort *launched;
	struct gaps_watch watch; /* without see(): it is not watched */
};

/* A part of a gap that is charged to what a thread did in it. */
struct gaps_wait {
	int64_t from_ns;
	int64_t to_ns;
	uint32_t track;
	uint32_t device;
};

/* A begin or an end of a range. */
struct gaps_range {
	int64_t time_ns;
	uint32_t site; /* TRACE_NONE: an end */
};

/* What is left to be read of a block. */
struct gaps_ranges {
	const uint8_t *at;
	const uint8_t *end;
	int64_t time_ns; /* of the one that was read last */
};

/* Reads a record of gaps->host, which is borrowed. */
struct gaps_ranges gaps_ranges_open(const struct extsort_record *record);
/* False at the end. */
bool gaps_ranges_next(struct gaps_ranges *ranges, struct gaps_range *range);

/* Charges all waits to places; after the host and waits were sorted. Errors:
 * CTP_ERR_NOMEM, CTP_ERR_IO. */
enum ctp_status gaps_charge_host(struct gaps *gaps, struct ctp_error *err);

/* Charges a stretch of time to a cause and a place. False if out of memory. */
bool gaps_charge(
	struct gaps *gaps, const struct gaps_place *place, uint64_t time_ns);

#endif

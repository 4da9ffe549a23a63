/* SPDX-License-Identifier: MIT */
/*
 * The form of a Chrome trace's events during sorting by time: a record followed
 * by the arguments, as in chrome_read_args.bytes. Most are packed to half the
 * size, because every byte is written to a file and read again. At equal times,
 * the rank decides.
 */
#ifndef CHROME_READ_RECORD_H
#define CHROME_READ_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Memory for sorting. */
#define CHROME_READ_SORT_BYTES ((size_t)16 << 20)

/* Ranks at the same time, in this order: ranges, empty slices that end together
 * with the enclosing range, slices up to 0, other empty slices, and all other
 * events. Without ranges, other events begin at 1. Only deferred calls have the
 * first rank of slices. */
#define CHROME_READ_RANK_RANGES INT64_MIN
#define CHROME_READ_RANK_ENDING (-(INT64_C(3) << 61))
#define CHROME_READ_RANK_SLICES (-(INT64_C(1) << 62))
#define CHROME_READ_RANK_EMPTY INT64_C(1)
/* We write slices that begin together in nesting order. */
#define CHROME_READ_RANK_OWN (CHROME_READ_RANK_SLICES + 1)
#define CHROME_READ_RANK_OTHERS (INT64_C(1) << 40)
/* clang's headers: begins are below this, by duration, but above all others;
 * ends of empty headers are above it. */
#define CHROME_READ_RANK_HEADERS ((INT64_C(1) << 62) + (INT64_C(1) << 42))

/* Sorting treats slices over three days as equal. */
#define CHROME_READ_RANK_DUR_BITS 48
#define CHROME_READ_RANK_OUTER_BITS 14

/*
 * The rank of a slice among those that begin at the same time: the longest
 * first. At equal length, former ranges come first, ordered by the number of
 * ranges around them on their track. A slice before them in the file has the
 * number of the first of these, others have CHROME_READ_RANK_NOT_PAIRED.
 */
#define CHROME_READ_RANK_NOT_PAIRED UINT32_MAX
static inline int64_t chrome_read_record_rank(uint64_t dur_ns, uint32_t outer)
{
	const uint64_t longest = (UINT64_C(1) << CHROME_READ_RANK_DUR_BITS) - 1;
	const uint32_t innermost =
		(UINT32_C(1) << CHROME_READ_RANK_OUTER_BITS) - 1;

	if (dur_ns > longest)
		dur_ns = longest;
	if (outer >= innermost)
		outer = outer == CHROME_READ_RANK_NOT_PAIRED ? innermost
							     : innermost - 1;
	return -(int64_t)((dur_ns << CHROME_READ_RANK_OUTER_BITS) +
			  (innermost - outer));
}

/* Properties of the file's producer that affect how slices nest. */
struct chrome_read_producer {
	bool is_own; /* ctprof: the outer of equal slices is first */
	/* Counts of consecutive slices in the file, by which of the two
	 * contains the other. */
	uint64_t children_first;
	uint64_t parents_first;
	bool is_reversed; /* the outer of equal slices is last */
	/* The greatest of 1000, 100, 10 and 1 ns that divides the start times,
	 * or the durations, of all slices of the host. */
	int64_t start_unit_ns;
	int64_t dur_unit_ns;
};

enum chrome_read_record_kind {
	CHROME_READ_BEGIN,
	CHROME_READ_END,
	CHROME_READ_SLICE,
	CHROME_READ_ACTIVITY,
	CHROME_READ_POINT, /* one event of the kind in `event` */
	CHROME_READ_COUNTERS,
};

/* Classes of slices, by category. */
enum chrome_read_class {
	CHROME_READ_PLAIN,
	CHROME_READ_OP,         /* PyTorch op: may have an "External id" */
	CHROME_READ_PYTHON,     /* a Python call, from PyTorch or JAX */
	CHROME_READ_API,        /* a device API call */
	CHROME_READ_WORK,       /* a device activity */
	CHROME_READ_ROW_WORK,   /* one that only its row places */
	CHROME_READ_ANNOTATION, /* the span of the device activities of a
				 * task */
	CHROME_READ_WAIT,       /* the host waited for a device */
	CHROME_READ_SPAN,       /* perhaps the whole recording: not a call */
};

struct chrome_read_record {
	uint8_t kind;   /* enum chrome_read_record_kind */
	uint8_t event;  /* enum event_kind; for slices, whether they nest */
	uint8_t flow;   /* enum event_flow */
	uint8_t class;  /* enum chrome_read_class */
	uint32_t track; /* CHROME_READ_ACTIVITY: in chrome_read_streams */
	uint32_t site;
	uint32_t arg_count;
	uint32_t frame; /* strtab number of its key in the table of stacks */
	int32_t after;  /* number of events from its B to its E; 0: no E */
	int64_t time_ns;
	uint64_t dur_ns;
	uint64_t deferred_ns; /* of a deferred call: time since its real
			       * begin */
	uint64_t id;          /* event id, or correlation */
	uint64_t external;
	union {
		uint64_t bytes; /* of an activity */
		uint64_t order; /* of a slice or range: position in the file */
	};
};

/* The position in the file of the record's E, which must exist. */
static inline uint64_t chrome_read_record_end(
	const struct chrome_read_record *record)
{
	return (uint64_t)((int64_t)record->order + record->after);
}

/* Flag in `kind`: the record is a struct chrome_read_record_short. */
#define CHROME_READ_RECORD_SHORT 0x80

/* A record without a stack and an E, and with small numbers. */
struct chrome_read_record_short {
	uint8_t kind;
	uint8_t event;
	uint8_t flow_class; /* flow in the lowest four bits */
	uint8_t arg_count;
	uint32_t track;
	uint32_t site;
	uint32_t ahead_ns; /* before the time that it is sorted by */
	uint32_t dur_ns;
	uint32_t id;
	uint32_t external;
	uint32_t order; /* or bytes */
};

static inline bool chrome_read_record_is_short(
	const struct chrome_read_record *record, int64_t key_ns)
{
	uint64_t ahead_ns = (uint64_t)key_ns - (uint64_t)record->time_ns;

	return (ahead_ns | record->dur_ns | record->id | record->external |
		       record->order) <= UINT32_MAX &&
	       record->frame == 0 && record->after == 0 &&
	       record->arg_count <= UINT8_MAX;
}

/* Writes the record, to be sorted by `key_ns`, right before its arguments,
 * where there must be room for an unpacked one; returns its start. */
static inline uint8_t *chrome_read_record_pack(
	uint8_t *args, const struct chrome_read_record *record, int64_t key_ns)
{
	struct chrome_read_record_short less;

	if (!chrome_read_record_is_short(record, key_ns)) {
		memcpy(args - sizeof(*record), record, sizeof(*record));
		return args - sizeof(*record);
	}
	less = (struct chrome_read_record_short){
		.kind = record->kind | CHROME_READ_RECORD_SHORT,
		.event = record->event,
		.flow_class = (uint8_t)(record->flow | record->class << 4),
		.arg_count = (uint8_t)record->arg_count,
		.track = record->track,
		.site = record->site,
		.ahead_ns = (uint32_t)((uint64_t)key_ns -
				       (uint64_t)record->time_ns),
		.dur_ns = (uint32_t)record->dur_ns,
		.id = (uint32_t)record->id,
		.external = (uint32_t)record->external,
		.order = (uint32_t)record->order};
	memcpy(args - sizeof(less), &less, sizeof(less));
	return args - sizeof(less);
}

/* Unpacks the record; returns the start of its arguments. */
static inline const uint8_t *chrome_read_record_unpack(
	struct chrome_read_record *record, const uint8_t *bytes, int64_t key_ns)
{
	struct chrome_read_record_short less;

	if ((*bytes & CHROME_READ_RECORD_SHORT) == 0) {
		memcpy(record, bytes, sizeof(*record));
		return bytes + sizeof(*record);
	}
	memcpy(&less, bytes, sizeof(less));
	*record = (struct chrome_read_record){
		.kind = less.kind & (CHROME_READ_RECORD_SHORT - 1),
		.event = less.event,
		.flow = less.flow_class & 15,
		.class = less.flow_class >> 4,
		.track = less.track,
		.site = less.site,
		.arg_count = less.arg_count,
		.time_ns = (int64_t)((uint64_t)key_ns - less.ahead_ns),
		.dur_ns = less.dur_ns,
		.id = less.id,
		.external = less.external,
		.order = less.order};
	return bytes + sizeof(less);
}

#endif

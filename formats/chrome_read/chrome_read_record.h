/* SPDX-License-Identifier: MIT */
/*
 * The form of an event of a Chrome trace while all are sorted by time: a
 * record, and behind it the arguments, as in chrome_read_args.bytes. Most are
 * kept in half of its size, since every byte is written to a file and read
 * again. Among those of one time a rank decides.
 */
#ifndef CHROME_READ_RECORD_H
#define CHROME_READ_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Memory for sorting. */
#define CHROME_READ_SORT_BYTES ((size_t)16 << 20)

/* Ranks of what is at the same time: ranges from here on, those of no length
 * that end with what they are in, slices up to 0, others of no length, and all
 * else. Where there are no ranges, all else is from 1 on. Calls that were put
 * off are the only ones with the first rank of slices. */
#define CHROME_READ_RANK_RANGES INT64_MIN
#define CHROME_READ_RANK_ENDING (-(INT64_C(3) << 61))
#define CHROME_READ_RANK_SLICES (-(INT64_C(1) << 62))
#define CHROME_READ_RANK_EMPTY INT64_C(1)
/* We write slices that begin together in the order in which they nest. */
#define CHROME_READ_RANK_OWN (CHROME_READ_RANK_SLICES + 1)
#define CHROME_READ_RANK_OTHERS (INT64_C(1) << 40)
/* Headers of clang that begin then: below this, by their length, but above all
 * else; above this the ends of those of no length. */
#define CHROME_READ_RANK_HEADERS ((INT64_C(1) << 62) + (INT64_C(1) << 42))

/* Slices of more than three days are all the same to sorting. */
#define CHROME_READ_RANK_DUR_BITS 48
#define CHROME_READ_RANK_OUTER_BITS 14

/*
 * Where a slice stands among those that begin at the same time: the longer one
 * first; of equal ones first those that were ranges, by how many of their
 * track they lay in, which for all others is CHROME_READ_RANK_NOT_PAIRED.
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

/* The program that wrote the file, as far as the order of slices depends on it.
 */
struct chrome_read_producer {
	bool is_own; /* it is ctprof: of equal slices the outer is first */
	/* Pairs of slices that follow each other in the file, by which of the
	 * two holds the other. */
	uint64_t children_first;
	uint64_t parents_first;
	bool is_reversed; /* of equal slices the outer is last */
};

enum chrome_read_record_kind {
	CHROME_READ_BEGIN,
	CHROME_READ_END,
	CHROME_READ_SLICE,
	CHROME_READ_ACTIVITY,
	CHROME_READ_POINT, /* one event of the kind in `event` */
	CHROME_READ_COUNTERS,
};

/* The kind of thing that a slice of a category shows. */
enum chrome_read_class {
	CHROME_READ_PLAIN,
	CHROME_READ_OP,         /* of PyTorch: may have an "External id" */
	CHROME_READ_PYTHON,     /* a call in Python, by PyTorch or JAX */
	CHROME_READ_API,        /* a call of a device's API */
	CHROME_READ_WORK,       /* what a device did */
	CHROME_READ_ANNOTATION, /* the span of what a device did for something */
	CHROME_READ_WAIT,       /* the host waited for a device */
	CHROME_READ_SPAN,       /* perhaps the whole recording: no call */
};

struct chrome_read_record {
	uint8_t kind;   /* enum chrome_read_record_kind */
	uint8_t event;  /* enum event_kind; a slice's that does not nest */
	uint8_t flow;   /* enum event_flow */
	uint8_t class;  /* enum chrome_read_class */
	uint32_t track; /* CHROME_READ_ACTIVITY: in chrome_read_streams */
	uint32_t site;
	uint32_t arg_count;
	uint32_t frame; /* strtab number of its key in the table of stacks */
	int32_t after;  /* number of events from its B to its E; 0: no E */
	int64_t time_ns;
	uint64_t dur_ns;
	uint64_t deferred_ns; /* a call's that was put off: since it began */
	uint64_t id;          /* of the event, or correlation */
	uint64_t external;
	union {
		uint64_t bytes; /* of an activity */
		uint64_t order; /* of a slice or range: its place in the file */
	};
};

/* The place in the file of the E of one that has it. */
static inline uint64_t chrome_read_record_end(
	const struct chrome_read_record *record)
{
	return (uint64_t)((int64_t)record->order + record->after);
}

/* In `kind`: it is this instead. */
#define CHROME_READ_RECORD_SHORT 0x80

/* One that has no stack, no E of its own, and small numbers. */
struct chrome_read_record_short {
	uint8_t kind;
	uint8_t event;
	uint8_t flow_class; /* flow in the lowest four bits */
	uint8_t arg_count;
	uint32_t track;
	uint32_t site;
	uint32_t ahead_ns; /* of the time that it is sorted by */
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

/* Writes the record, to be sorted by this time, right before its arguments,
 * where there is room for a whole one; returns where it begins. */
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

/* The way back; returns where the arguments begin. */
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

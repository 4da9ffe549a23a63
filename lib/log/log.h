/* SPDX-License-Identifier: MIT */
/* Constants of the log, shared by writer and reader. Source: FORMAT.md, version
 * 1. */
#ifndef LOG_H
#define LOG_H

#include <stdint.h>

#define LOG_VERSION 1
#define LOG_READER 1
/* Category of sites that are a directory of modules instead of a place. */
#define LOG_CATEGORY_PREFIX "prefix"

#define LOG_FORMAT_NAME "ctprof log"

enum log_block {
	LOG_HEADER = 0,
	LOG_SITES = 1,
	LOG_TRACK = 2,
	LOG_EVENTS = 3,
	LOG_SYNC = 4,
	LOG_LOSSES = 5,
	LOG_END = 6,
	LOG_ACTIVITIES = 8,
	LOG_DESCRIPTIONS = 9,
	LOG_DEVICE = 10,
	LOG_DEVICE_SYNC = 11,
	LOG_DEVICE_LOSSES = 12,
	LOG_DEVICE_FACTS = 13,
	LOG_MODULE = 16,
	LOG_MODULE_CLOSED = 17,
	LOG_FACTS = 18,
	LOG_TRACE_LOSSES = 19,
	LOG_BLOCK_KINDS,

	/* Kinds of summaries, which consist of the same members: see
	 * lib/summary/FORMAT.md. */
	LOG_SUMMARY_HEADER = 32,
	LOG_SUMMARY_ROWS = 33,
	LOG_SUMMARY_END = 34,
};

enum log_track_kind {
	LOG_THREAD = 0,
	LOG_TIMELINE = 1,
	LOG_STREAM = 2,
	LOG_CALLS = 3,
};

/* Kinds of descriptions. */
enum log_activity {
	LOG_OTHER_ACTIVITY = 0,
	LOG_KERNEL = 1,
	LOG_MEMCPY = 2,
	LOG_MEMSET = 3,
	LOG_DEVICE_WAIT = 4,
	LOG_API_CALL = 5,
	LOG_OVERHEAD = 6,
	LOG_DEVICE_EVENT = 7,
	LOG_GRAPH = 8,
};

/* Values in an event block's `ids`. */
enum log_id { LOG_ID_END = 0, LOG_ID_EXTRA = 1, LOG_ID_SITES = 2 };

/* Extension type of JSON arguments. */
#define LOG_EXT_JSON 1

/* The argument with an activity's node. */
#define LOG_NODE_KEY "graph node id"

#define LOG_MAGIC_BYTES 16  /* identical in every member */
#define LOG_HEADER_BYTES 24 /* before the deflate data */
#define LOG_TRAILER_BYTES 8 /* CRC-32 and size */
#define LOG_BLOCK_MAX ((uint32_t)16 * 1024 * 1024)

/* clang-format off */
#define LOG_MAGIC { 0x1f, 0x8b, 0x08, 0x04, 0, 0, 0, 0, 0, 0xff, \
		    0x0c, 0, 'C', 'T', 0x08, 0 }
/* clang-format on */

/* Entries closer than this to the previous one do not change the correction;
 * and the interval of the writer's entries. */
#define LOG_SYNC_MIN_NS INT64_C(500000000)
#define LOG_SYNC_NS INT64_C(1000000000)
#define LOG_SYNC_SLEW_MAX INT64_C(500000) /* ns per second */

/* Limits for a device's clock: a pair closer than this to the previous one is
 * ignored, unless it is off by more than this. Otherwise the clock stepped if it
 * is off by more than the second limit plus this share of the time since. */
#define LOG_DEVICE_SYNC_MIN_NS INT64_C(1000000)
#define LOG_DEVICE_STEP_NS INT64_C(20000)
#define LOG_DEVICE_STEP_PART 1000

/* Larger numbers are damage: readers have tables of these sizes. */
#define LOG_SITES_MAX (UINT32_C(1) << 24)
#define LOG_TRACKS_MAX (UINT32_C(1) << 22)
#define LOG_NO_TRACK 0 /* tracks are numbered from 1 */
#define LOG_MODULES_MAX (UINT32_C(1) << 20)
#define LOG_EVENTS_MAX (UINT32_C(1) << 20) /* in one block */
#define LOG_DESCRIPTIONS_MAX (UINT32_C(1) << 22)
#define LOG_DEVICES_MAX 4096
#define LOG_DEVICE_KEYS_MAX 256 /* per description or device */
#define LOG_ARGS_MAX 65536      /* per event */
#define LOG_FACTS_MAX 65536

/* Deeper stacks are not repeated at the start of event blocks. */
#define LOG_OPEN_MAX 1024

#endif

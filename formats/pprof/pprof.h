/* SPDX-License-Identifier: MIT */
/* pprof profiles: the fields of their messages, and the reader; see struct
 * format. */
#ifndef PPROF_H
#define PPROF_H

#include <stddef.h>

#include "base/error.h"

struct profile_source;

/* Fields of the message Profile. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_DROP_FRAMES = 7,
	PROFILE_KEEP_FRAMES = 8,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
	PROFILE_DOC_URL = 15,
	PROFILE_FIELDS,
};

/* Fields of the messages in it. */
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_LAST = 10 };
enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LOCATION_IS_FOLDED = 5,
};
enum { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5,
};

/* Type and unit of the value that counts calls; see pprof.c. */
#define PPROF_CALLS "calls"
#define PPROF_COUNT "count"

unsigned pprof_probe(const void *bytes, size_t size);
enum ctp_status pprof_read(struct profile_source *from, struct ctp_error *err);

#endif

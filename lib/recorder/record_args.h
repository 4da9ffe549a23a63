/* SPDX-License-Identifier: MIT */
/*
 * Events other than ranges, with arguments; between libctprof and
 * libctprof-inject, not for programs. For arguments of ranges see ctprof.h.
 */
#ifndef RECORD_ARGS_H
#define RECORD_ARGS_H

#include <stdint.h>

#include "pack/chunk.h"
#include "ctprof.h"

struct record_arg {
	enum chunk_long kind; /* CHUNK_ARG_INT, _FLOAT or _TEXT */
	const char *key;
	uint64_t number;  /* an int's; or the bits of a double */
	const char *text; /* of CHUNK_ARG_TEXT */
};

struct record_event {
	enum chunk_long kind; /* CHUNK_INSTANT, CHUNK_ASYNC_BEGIN or _END */
	struct ctp_site *site;
	uint64_t id; /* 0 for an instant */
	const struct record_arg *args;
	uint32_t arg_count;
};

/* Records the event now, with all of its arguments or not at all; up to
 * CTP_ARGS_MAX. Keys and texts are copied (truncated at 16,000 bytes
 * together). */
CTP_API void ctp_private_event(const struct record_event *event);

#endif

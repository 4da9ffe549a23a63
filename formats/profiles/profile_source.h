/* SPDX-License-Identifier: MIT */
/* A source that returns a profile read from a file. A reader supplies the
 * file's grammar. */
#ifndef PROFILE_SOURCE_H
#define PROFILE_SOURCE_H

#include <stdio.h>

#include "base/buffer.h"
#include "trace/event.h"
#include "profile/profile.h"

struct profile_source {
	struct event_source source; /* must be first */
	FILE *in;
	struct buffer head;
	struct profile *profile; /* result; initially empty */
	uint64_t position;

	/*
	 * Reads `in`, after `head`, to its end, and adds all to `profile`.
	 * CTP_ERR_FORMAT after the first function is damage: what was read
	 * before it is used.
	 */
	enum ctp_status (*read)(
		struct profile_source *from, struct ctp_error *err);
};

/* The arguments of format_open(). */
struct profile_source_input {
	FILE *in;
	const void *head;
	size_t head_size;
	const struct read_request *request; /* NULL: defaults */
};

/* Opens one that `read` reads. Errors: CTP_ERR_NOMEM. */
enum ctp_status profile_source_open(struct profile_source_input input,
	enum ctp_status (*read)(
		struct profile_source *from, struct ctp_error *err),
	struct event_source **out, struct ctp_error *err);

#endif

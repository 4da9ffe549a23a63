/* SPDX-License-Identifier: MIT */
/* One event of a Chrome trace, as it is in the file. */
#ifndef CHROME_READ_JSON_H
#define CHROME_READ_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_scan.h"
#include "json/json_key_cache.h"
#include "chrome_read/chrome_read_args.h"
#include "chrome_read/chrome_read_labels.h"
#include "timeline/json_args.h"

/* The kind of a missing member. */
#define CHROME_READ_JSON_NONE JSON_END

struct chrome_read_json {
	char phase; /* 0: missing or invalid */
	bool has_time;
	bool has_dur;
	bool has_thread_dur;
	int64_t time_ns;
	int64_t dur_ns;
	int64_t thread_dur_ns; /* CPU time of this thread */
	/* Their text is available until the next event is read. */
	struct json_token name;
	struct json_token category;
	struct json_token pid;
	struct json_token tid;
	struct json_token id;
	struct json_token local_id; /* local to a process */
	struct json_token scope;
	struct json_token reach; /* "s", of an instant */
	struct json_token bind;  /* "bp", of an arrow's end */
	struct json_token frame; /* in the table of stacks */
	uint32_t kind;           /* number of the category: see
				  * chrome_read_labels.h */
};

/* Most other members of an event; further ones are counted. */
#define CHROME_READ_MEMBERS_MAX 16

struct chrome_read_member {
	struct json_token key;
	struct json_token value;
	uint64_t from;      /* of an object or array: its position, ... */
	size_t nested_size; /* ... and size, or 0: neither */
};

/*
 * The members of an event other than time and place: "tts", "cname", "bind_id"
 * and any future ones. They become arguments, and so do a phase and an id that
 * we would write differently. The key has the member's position, so that it is
 * written there again: "event.tts"; "end.tts" for a member of an "E".
 */
struct chrome_read_members {
	struct chrome_read_member items[CHROME_READ_MEMBERS_MAX];
	uint32_t count;
	uint32_t missed;
	struct buffer key; /* scratch */
};

struct chrome_read_json_reader {
	struct json_scan *scan;
	struct chrome_read_labels *labels;
	/* The results of the last event. */
	struct chrome_read_args *args;
	struct chrome_read_members members; /* likewise */
	struct json_key_cache key_cache;    /* of events */
	struct json_members_read read;
	uint8_t meanings[JSON_STEPS_MAX]; /* meanings of members, by step */
	bool skip_args;
	bool keeps_args; /* keep some: see read_request.kept_args */
	bool details;    /* even then keep those of clang's ranges */
	bool places;     /* "file" and "line" are locations in this file */
};

/*
 * Reads the event that the last token began.
 *
 * Errors: those of json_scan_next(); CTP_ERR_NOMEM.
 */
enum ctp_status chrome_read_json_read(struct chrome_read_json_reader *reader,
	const struct json_token *begin, struct chrome_read_json *event,
	struct ctp_error *err);

/* Adds its other members to its arguments. False if out of memory. */
bool chrome_read_json_add_members(struct chrome_read_json_reader *reader,
	const struct chrome_read_json *event);

/* Frees the reader's memory. */
void chrome_read_json_clear(struct chrome_read_json_reader *reader);

/* Is it clang's name and category of a header that it read? */
bool chrome_read_json_is_source(
	const struct json_scan *scan, const struct json_token *token);

#endif

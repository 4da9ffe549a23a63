/* SPDX-License-Identifier: MIT */
/* One event of a Chrome trace, as it stands in the file. */
#ifndef CHROME_READ_JSON_H
#define CHROME_READ_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_scan.h"
#include "json/json_key_cache.h"
#include "chrome_read/chrome_read_args.h"
#include "chrome_read/chrome_read_labels.h"
#include "timeline/json_args.h"

/* A member that is not there has this kind. */
#define CHROME_READ_JSON_NONE JSON_END

struct chrome_read_json {
	char phase; /* 0: none that could be known */
	bool has_time;
	bool has_dur;
	bool has_thread_dur;
	int64_t time_ns;
	int64_t dur_ns;
	int64_t thread_dur_ns; /* of the processor, for this thread */
	/* Their text may be asked for until the event after this one is read.
	 */
	struct json_token name;
	struct json_token category;
	struct json_token pid;
	struct json_token tid;
	struct json_token id;
	struct json_token local_id; /* of one process only */
	struct json_token scope;
	struct json_token reach; /* "s": of an instant */
	struct json_token bind;  /* "bp": of an arrow's end */
	struct json_token frame; /* in the table of stacks */
	uint32_t kind;           /* of the category: see chrome_read_labels.h */
};

/* An event that has more of the members below has the others counted. */
#define CHROME_READ_MEMBERS_MAX 16

struct chrome_read_member {
	struct json_token key;
	struct json_token value;
	uint64_t from;      /* of an object or array: where it is, ... */
	size_t nested_size; /* ... or 0: it is neither */
};

/*
 * The members of an event that say nothing of when and where it happened:
 * "tts", "cname", "bind_id" and all that the format may get yet. They become
 * arguments, and so do a phase and an id that we would write otherwise. The key
 * tells where the member stood, so that it can be written there again:
 * "event.tts"; "end.tts" if it was that of an "E".
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
	/* Those of the event that was read last. */
	struct chrome_read_args *args;
	struct chrome_read_members members; /* likewise */
	struct json_key_cache key_cache;    /* of events */
	struct json_members_read read;
	uint8_t meanings[JSON_STEPS_MAX]; /* of the members that steps are */
	bool skip_args;
	bool keeps_args; /* some are kept: see read_request.kept_args */
	bool details;    /* of clang's ranges are wanted even then */
	bool places;     /* likewise: "file" and "line" are such in this file */
};

/*
 * Reads an event whose opening bracket was the last token.
 *
 * Errors: those of json_scan_next(); CTP_ERR_NOMEM.
 */
enum ctp_status chrome_read_json_read(struct chrome_read_json_reader *reader,
	const struct json_token *begin, struct chrome_read_json *event,
	struct ctp_error *err);

/* Adds its other members to its arguments. False if out of memory. */
bool chrome_read_json_add_members(struct chrome_read_json_reader *reader,
	const struct chrome_read_json *event);

/* Frees what reading took. */
void chrome_read_json_clear(struct chrome_read_json_reader *reader);

/* Is it what clang calls a header that it read, name and category? */
bool chrome_read_json_is_source(
	const struct json_scan *scan, const struct json_token *token);

#endif

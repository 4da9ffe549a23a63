/* SPDX-License-Identifier: MIT */
/*
 * What an event of a Chrome trace has that says nothing of when and where it
 * happened: "tts", "cname", "bind_id" and all that the format may get yet, and
 * what its phase is and how its id is written where that is not what we would
 * write. It becomes arguments, whose keys tell where it stood, so that it can
 * be written there again: "event.tts"; "end.tts" if it was that of an "E".
 */
#ifndef CHROME_READ_MEMBERS_H
#define CHROME_READ_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_scan.h"
#include "timeline/json_args.h"
#include "chrome_read/chrome_read_args.h"

/* What has more is counted. */
#define CHROME_READ_MEMBERS_MAX 16

struct chrome_read_json;

struct chrome_read_member {
	struct json_token key;
	struct json_token value;
	uint64_t from;      /* of an object or array: where it is, ... */
	size_t nested_size; /* ... or 0: it is neither */
};

struct chrome_read_members {
	struct chrome_read_member items[CHROME_READ_MEMBERS_MAX];
	uint32_t count;
	uint32_t missed;
	struct buffer key; /* scratch */
};

void chrome_read_members_clear(struct chrome_read_members *members);

/* Forgets them. */
void chrome_read_members_reset(struct chrome_read_members *members);

/* Text is kept by the scanner until chrome_read_members_keep(). */
void chrome_read_members_note(struct chrome_read_members *members,
	const struct json_token *key, const struct json_token *value);

/* The same of an object or array, which began at `from` and was read last. */
void chrome_read_members_note_nested(struct chrome_read_members *members,
	const struct json_scan *scan, const struct json_token *key,
	uint64_t from);

/* Adds them to the event's arguments. False if out of memory. */
bool chrome_read_members_keep(struct chrome_read_members *members,
	struct chrome_read_args *args, const struct json_scan *scan,
	const struct chrome_read_json *event);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Reads the members of objects with a repeating structure, such as a trace's
 * events: the same keys in the same order, with the same blanks. The text
 * before a value - comma, key, colon, blanks - is cached as a step, together
 * with the steps that followed it. Bytes that match a step need no further
 * parsing.
 */
#ifndef JSON_KEY_CACHE_H
#define JSON_KEY_CACHE_H

#include <stdint.h>

#include "json/json_scan.h"

/* Limits of the cache: the size of a step, and the number of steps. */
#define JSON_STEP_BYTES 48
#define JSON_STEPS_MAX 256
#define JSON_STEP_NEXT_MAX 8

/* The step of a member that is not cached. */
#define JSON_STEP_NONE 0

#define JSON_MEMBERS_MAX 16

struct json_step {
	uint8_t bytes[JSON_STEP_BYTES];
	uint8_t size;
	uint8_t key_at;
	uint8_t key_size;
	uint8_t next_count;
	uint8_t next[JSON_STEP_NEXT_MAX];
	uint32_t mask; /* one bit per byte, for the first 32 */
};

/* Zero-initialize: empty. */
struct json_key_cache {
	struct json_step steps[JSON_STEPS_MAX];
	unsigned count;
	unsigned cleared; /* number of times it was full */
	uint8_t at;       /* the step of the last member */
};

struct json_member {
	uint64_t at;             /* start of its step */
	struct json_token value; /* JSON_END: end of the object */
	uint8_t step;            /* JSON_STEP_NONE: not cached */
};

struct json_members_read {
	struct json_member items[JSON_MEMBERS_MAX];
	unsigned count;
	bool is_new; /* the only member's key is new_key */
	struct json_token new_key;
};

/*
 * Reads the next members of the innermost open object: all that match cached
 * steps, or one. Only the last of them may be an object or array, which is then
 * open, or the end. Pin the text to keep the keys' text.
 *
 * Errors: as json_scan_next().
 */
enum ctp_status json_key_cache_read(struct json_key_cache *cache,
	struct json_scan *scan, struct json_members_read *members,
	struct ctp_error *err);

/* The key of one of them. */
static inline struct json_token json_key_cache_key(
	const struct json_key_cache *cache,
	const struct json_members_read *members,
	const struct json_member *member)
{
	const struct json_step *step = &cache->steps[member->step];

	if (members->is_new)
		return members->new_key;
	return (struct json_token){.kind = JSON_KEY,
		.at = member->at + step->key_at,
		.size = step->key_size};
}

#endif

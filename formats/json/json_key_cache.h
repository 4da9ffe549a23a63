/* SPDX-License-Identifier: MIT */
/*
 * Reads the members of objects of which many are alike, as events of a trace
 * are: they have the same keys in the same order, and the same blanks between
 * them. What stands before a value - comma, key, colon, blanks - is remembered
 * as a step, and which steps came next. Where the bytes are those of such a
 * step, there is nothing else to look at.
 */
#ifndef JSON_KEY_CACHE_H
#define JSON_KEY_CACHE_H

#include <stdint.h>

#include "json/json_scan.h"

/* Steps of these many bytes are remembered, and so many of them at a time. */
#define JSON_STEP_BYTES 48
#define JSON_STEPS_MAX 256
#define JSON_STEP_NEXT_MAX 8

/* The step of a member that is not remembered. */
#define JSON_STEP_NONE 0

#define JSON_MEMBERS_MAX 16

struct json_step {
	uint8_t bytes[JSON_STEP_BYTES];
	uint8_t size;
	uint8_t key_at;
	uint8_t key_size;
	uint8_t next_count;
	uint8_t next[JSON_STEP_NEXT_MAX];
	uint32_t mask; /* a bit for each of the first 32 bytes there are */
};

/* Zeroed: nothing is remembered. */
struct json_key_cache {
	struct json_step steps[JSON_STEPS_MAX];
	unsigned count;
	unsigned cleared; /* how many times, for being full */
	uint8_t at;       /* the member that was read last */
};

struct json_member {
	uint64_t at;             /* where its step began */
	struct json_token value; /* JSON_END: the object ended here */
	uint8_t step;            /* JSON_STEP_NONE: it is not remembered */
};

struct json_members_read {
	struct json_member items[JSON_MEMBERS_MAX];
	unsigned count;
	bool is_new; /* the step of the one there is stands for its key now */
	struct json_token new_key;
};

/*
 * The next members of the object that is open innermost: as many as are like
 * ones before, or one. Only the last of them may be an object or array, which
 * has begun then, or the end. Text must be kept, for that of the keys to stay.
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

/* SPDX-License-Identifier: MIT */
/* Passes the members of JSON objects, in any order, and the items of arrays one
 * by one to a callback. */
#ifndef JSON_MEMBERS_H
#define JSON_MEMBERS_H

#include "json/json_scan.h"
#include "trace/trace.h"

struct json_members {
	struct json_scan *scan; /* borrowed */
	struct trace *trace;    /* likewise: counts values of the wrong kind */
	const char *const *keys;
	unsigned key_count; /* also the number for all other keys */
	void *user;         /* for the callbacks */
};

/*
 * Calls `add` with the first token of each member's value of the open object;
 * `add` reads the rest of the value.
 *
 * Errors: as json_scan_next(); those of `add`.
 */
enum ctp_status json_members_object(const struct json_members *members,
	enum ctp_status (*add)(void *user, unsigned key,
		const struct json_token *value, struct ctp_error *err),
	struct ctp_error *err);

/* Likewise for a whole text that is an object. CTP_END: it was read to its end.
 * Errors: CTP_ERR_FORMAT also if it is not an object. */
enum ctp_status json_members_text(const struct json_members *members,
	enum ctp_status (*add)(void *user, unsigned key,
		const struct json_token *value, struct ctp_error *err),
	struct ctp_error *err);

/* Likewise for the items of a value; a value that is not an array is
 * refused. */
enum ctp_status json_members_array(const struct json_members *members,
	const struct json_token *array,
	enum ctp_status (*add)(void *user, const struct json_token *value,
		struct ctp_error *err),
	struct ctp_error *err);

/* Skips and counts a value of the wrong kind. */
enum ctp_status json_members_refuse(const struct json_members *members,
	const struct json_token *value, struct ctp_error *err);

/* Skips the rest of a value whose first token was read. */
enum ctp_status json_members_skip(const struct json_members *members,
	const struct json_token *value, struct ctp_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* The members of JSON's objects, in any order, and the items of its arrays,
 * given one by one to whom they concern. */
#ifndef JSON_MEMBERS_H
#define JSON_MEMBERS_H

#include "json/json_scan.h"
#include "trace/trace.h"

struct json_members {
	struct json_scan *scan; /* borrowed */
	struct trace *trace;    /* likewise: counts what is of the wrong kind */
	const char *const *keys;
	unsigned key_count; /* which is also the number of all other keys */
	void *user;         /* for those who are called */
};

/*
 * Calls `add` with the value of each member of the object that has begun: its
 * first token, behind which `add` reads to its end.
 *
 * Errors: as json_scan_next(); those of `add`.
 */
enum ctp_status json_members_object(const struct json_members *members,
	enum ctp_status (*add)(void *user, unsigned key,
		const struct json_token *value, struct ctp_error *err),
	struct ctp_error *err);

/* The same of a text that is an object, and of all of it. CTP_END: it was read
 * to its end. Errors: CTP_ERR_FORMAT also if it is no object. */
enum ctp_status json_members_text(const struct json_members *members,
	enum ctp_status (*add)(void *user, unsigned key,
		const struct json_token *value, struct ctp_error *err),
	struct ctp_error *err);

/* And of the items of a value; one that is no array is refused. */
enum ctp_status json_members_array(const struct json_members *members,
	const struct json_token *array,
	enum ctp_status (*add)(void *user, const struct json_token *value,
		struct ctp_error *err),
	struct ctp_error *err);

/* Passes over a value that is not what it should be, and counts it. */
enum ctp_status json_members_refuse(const struct json_members *members,
	const struct json_token *value, struct ctp_error *err);

/* Passes over the rest of a value that has begun. */
enum ctp_status json_members_skip(const struct json_members *members,
	const struct json_token *value, struct ctp_error *err);

#endif

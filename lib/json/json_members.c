/* SPDX-License-Identifier: MIT */
#include "json/json_members.h"

#include <string.h>

static unsigned find_key(
	const struct json_members *members, const struct json_token *token)
{
	const char *text = json_scan_text(members->scan, token);
	unsigned key = 0;

	while (key < members->key_count &&
		(strlen(members->keys[key]) != token->size ||
			memcmp(members->keys[key], text, token->size) != 0))
		key++;
	return key;
}

enum ctp_status json_members_object(const struct json_members *members,
	enum ctp_status (*add)(void *user, unsigned key,
		const struct json_token *value, struct ctp_error *err),
	struct ctp_error *err)
{
	for (;;) {
		struct json_token token;
		enum ctp_status status =
			json_scan_next(members->scan, &token, err);
		unsigned key;

		if (status != CTP_OK || token.kind == JSON_END)
			return status;
		key = find_key(members, &token);
		status = json_scan_next(members->scan, &token, err);
		if (status == CTP_OK)
			status = add(members->user, key, &token, err);
		if (status != CTP_OK)
			return status;
	}
}

enum ctp_status json_members_text(const struct json_members *members,
	enum ctp_status (*add)(void *user, unsigned key,
		const struct json_token *value, struct ctp_error *err),
	struct ctp_error *err)
{
	struct json_token token;
	enum ctp_status status = json_scan_next(members->scan, &token, err);

	if (status == CTP_OK && token.kind != JSON_OBJECT)
		return ctp_fail_at(err, CTP_ERR_FORMAT, token.at,
			"does not begin with an object");
	if (status == CTP_OK)
		status = json_members_object(members, add, err);
	if (status == CTP_OK)
		status = json_scan_next(members->scan, &token, err);
	return status;
}

enum ctp_status json_members_array(const struct json_members *members,
	const struct json_token *array,
	enum ctp_status (*add)(void *user, const struct json_token *value,
		struct ctp_error *err),
	struct ctp_error *err)
{
	if (array->kind != JSON_ARRAY)
		return json_members_refuse(members, array, err);
	for (;;) {
		struct json_token token;
		enum ctp_status status =
			json_scan_next(members->scan, &token, err);

		if (status != CTP_OK || token.kind == JSON_END)
			return status;
		status = add(members->user, &token, err);
		if (status != CTP_OK)
			return status;
	}
}

enum ctp_status json_members_refuse(const struct json_members *members,
	const struct json_token *value, struct ctp_error *err)
{
	trace_lose(members->trace, LOSS_BAD_EVENTS, 1);
	return json_members_skip(members, value, err);
}

enum ctp_status json_members_skip(const struct json_members *members,
	const struct json_token *value, struct ctp_error *err)
{
	if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
		return json_scan_skip(members->scan, err);
	return CTP_OK;
}

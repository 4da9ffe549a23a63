/* SPDX-License-Identifier: MIT */
/*
 * What is usual, and all there, is read by its bytes in one go: usual_member()
 * and the like. All else, and what goes on behind the window, is read a token at
 * a time: next_token(), by what may follow what (json_grammar.h).
 */
#include "json_scan.h"

#include <string.h>

#include "json_brackets.h"
#include "json_bytes.h"
#include "json_grammar.h"
#include "json_pass.h"
#include "json_value.h"
#include "json_window.h"
#include "memory.h"

struct json_scan {
	struct json_window window;
	enum state state;
	struct json_brackets open;
	bool is_cut_off;
	struct ctp_error error; /* the first; status CTP_OK: none */
};

struct json_scan *json_scan_new(FILE *in, const void *head, size_t head_size)
{
	struct json_scan *scan = memory_new_zeroed(1, sizeof(*scan));

	if (scan == NULL)
		return NULL;
	scan->state = STATE_VALUE;
	if (!json_window_init(&scan->window, in, head, head_size)) {
		json_scan_free(scan);
		return NULL;
	}
	return scan;
}

void json_scan_free(struct json_scan *scan)
{
	if (scan == NULL)
		return;
	json_window_clear(&scan->window);
	memory_free(scan->open.arrays);
	memory_free(scan);
}

uint32_t json_scan_depth(const struct json_scan *scan)
{
	return scan->open.depth;
}

bool json_scan_is_at_end(const struct json_scan *scan)
{
	return scan->window.at_eof && scan->window.at == scan->window.used;
}

bool json_scan_is_cut_off(const struct json_scan *scan)
{
	return scan->is_cut_off;
}

const char *json_scan_bytes(const struct json_scan *scan, uint64_t from)
{
	return (const char *)scan->window.bytes + (from - scan->window.base);
}

const char *json_scan_text(
	const struct json_scan *scan, const struct json_token *token)
{
	/* One of a member that was not there has no place either. */
	return token->size == 0 ? "" : json_scan_bytes(scan, token->at);
}

void json_scan_keep(struct json_scan *scan, const struct json_token *token)
{
	scan->window.kept = token->at;
}

void json_scan_let_go(struct json_scan *scan)
{
	scan->window.kept = JSON_WINDOW_NOT_KEPT;
}

uint64_t json_scan_position(const struct json_scan *scan)
{
	return scan->window.base + scan->window.at;
}

/* Fails where it has been read to. */
static enum ctp_status fail(
	struct json_scan *scan, enum ctp_status status, const char *words)
{
	return ctp_fail(
		&scan->error, status, json_scan_position(scan), "%s", words);
}

static inline enum ctp_status push(struct json_scan *scan, bool array)
{
	enum ctp_status status = json_brackets_push(&scan->open, array);

	if (status != CTP_OK)
		return fail(scan, status,
			status == CTP_ERR_LIMIT ? "nested too deep"
						: "out of memory");
	scan->state = array ? STATE_FIRST_ITEM : STATE_FIRST_KEY;
	return CTP_OK;
}

/* What may come after a value, by what is open. */
static inline enum state after_value(const struct json_scan *scan)
{
	if (scan->open.depth == 0)
		return STATE_DONE;
	return json_brackets_in_array(&scan->open) ? STATE_IN_ARRAY
						   : STATE_IN_OBJECT;
}

/* Goes to where the next token begins; CTP_END if there is none. */
static enum ctp_status find_token(struct json_scan *scan)
{
	struct json_window *window = &scan->window;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		const uint8_t *end = window->bytes + window->used;
		const uint8_t *text =
			json_bytes_blanks(window->bytes + window->at, end);

		window->at = (size_t)(text - window->bytes);
		if (text < end)
			return CTP_OK;
		window->at = window->used;
		status = json_window_fill(window, &scan->error);
	}
	return status;
}

static enum ctp_status refuse(struct json_scan *scan)
{
	char words[64];

	(void)snprintf(
		words, sizeof(words), "expected %s", expected[scan->state]);
	return fail(scan, CTP_ERR_FORMAT, words);
}

/* There are no more tokens. */
static enum ctp_status end_input(struct json_scan *scan)
{
	if (scan->state == STATE_DONE)
		return CTP_END;
	scan->is_cut_off = true;
	return fail(
		scan, CTP_ERR_FORMAT, "the input ends before its last bracket");
}

static enum ctp_status take_text(
	struct json_scan *scan, struct json_token *token)
{
	struct json_window *window = &scan->window;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		const uint8_t *end = window->bytes + window->used;
		const uint8_t *text = window->bytes + window->at + 1;
		const uint8_t *quote =
			json_bytes_string(text, end, &token->has_escapes);

		if (quote < end) {
			token->at = json_scan_position(scan) + 1;
			token->size = (size_t)(quote - text);
			window->at += token->size + 2;
			return CTP_OK;
		}
		status = json_window_fill(window, &scan->error);
	}
	if (status != CTP_END)
		return status;
	scan->is_cut_off = true;
	return fail(scan, CTP_ERR_FORMAT,
		"the input ends in the string that begins here");
}

/* It may be right but for what comes no more. */
static enum ctp_status refuse_scalar(
	struct json_scan *scan, const struct json_token *token)
{
	enum ctp_status status;

	scan->window.at += token->size;
	status = find_token(scan);
	if (status != CTP_OK && status != CTP_END)
		return status;
	scan->is_cut_off = status == CTP_END && scan->open.depth > 0;
	return ctp_fail(&scan->error, CTP_ERR_FORMAT, token->at, "%s",
		scan->is_cut_off ? "the input ends in the value that begins "
				   "here"
				 : "neither a number nor a word of JSON");
}

static enum ctp_status take_scalar(
	struct json_scan *scan, struct json_token *token)
{
	struct json_window *window = &scan->window;
	enum ctp_status status = CTP_OK;
	size_t size = 0;

	while (status == CTP_OK) {
		const uint8_t *text = window->bytes + window->at;
		size_t left = window->used - window->at;

		while (size < left && !json_bytes_is_blank(text[size]) &&
			class_of(text[size]) == CLASS_SCALAR)
			size++;
		if (size < left)
			break;
		status = json_window_fill(window, &scan->error);
	}
	if (status != CTP_OK && status != CTP_END)
		return status;
	token->at = json_scan_position(scan);
	token->size = size;
	if (!json_value_kind((const char *)window->bytes + window->at, size,
		    &token->kind))
		return refuse_scalar(scan, token);
	window->at += size;
	return CTP_OK;
}

/* What is open is closed by the bracket that comes next. */
static inline void close_bracket(
	struct json_scan *scan, struct json_token *token)
{
	*token = (struct json_token){
		.kind = JSON_END, .at = json_scan_position(scan), .size = 1};
	scan->window.at++;
	scan->open.depth--;
	scan->state = after_value(scan);
}

static enum ctp_status take_bracket(
	struct json_scan *scan, enum class class, struct json_token *token)
{
	bool array = class == CLASS_ARRAY;
	enum ctp_status status;

	if (!array && class != CLASS_OBJECT) {
		close_bracket(scan, token);
		return CTP_OK;
	}
	*token = (struct json_token){.kind = array ? JSON_ARRAY : JSON_OBJECT,
		.at = json_scan_position(scan),
		.size = 1};
	status = push(scan, array);
	scan->window.at += status == CTP_OK;
	return status;
}

static enum ctp_status take_token(struct json_scan *scan, enum class class,
	enum state next, struct json_token *token)
{
	enum ctp_status status;

	token->has_escapes = false;
	if (class != CLASS_QUOTE && class != CLASS_SCALAR)
		return take_bracket(scan, class, token);
	if (class == CLASS_SCALAR) {
		status = take_scalar(scan, token);
	} else {
		token->kind = next == STATE_COLON ? JSON_KEY : JSON_STRING;
		status = take_text(scan, token);
	}
	if (status == CTP_OK)
		scan->state = next == STATE_COLON ? next : after_value(scan);
	return status;
}

/* The next token, whatever it is. */
static enum ctp_status next_token(
	struct json_scan *scan, struct json_token *token, struct ctp_error *err)
{
	enum ctp_status status = scan->error.status;

	while (status == CTP_OK) {
		enum class class;
		enum state next;

		status = find_token(scan);
		if (status == CTP_END)
			status = end_input(scan);
		if (status != CTP_OK)
			break;
		class = class_of(scan->window.bytes[scan->window.at]);
		next = transitions[scan->state][class];
		if (next == STATE_WRONG) {
			status = refuse(scan);
		} else if (class == CLASS_COLON || class == CLASS_COMMA) {
			scan->state = next;
			scan->window.at++;
		} else {
			status = take_token(scan, class, next, token);
			if (status == CTP_OK)
				return CTP_OK;
		}
	}
	if (status != CTP_END && err != NULL)
		*err = scan->error;
	return status;
}

/* What is before the next item or member, behind a comma if it is not the
 * first. NULL if it is not so. */
static inline const uint8_t *usual_begin(const struct json_scan *scan,
	enum state first, const uint8_t *text, const uint8_t *end)
{
	if (scan->state == first)
		return text;
	return *text == ',' ? json_bytes_blanks(text + 1, end) : NULL;
}

/* What is behind the value that begins there; NULL if it is to be read as a
 * token. */
static inline const uint8_t *usual_value(const struct json_scan *scan,
	const uint8_t *text, const uint8_t *end, struct json_token *value)
{
	const struct json_window *window = &scan->window;
	const uint8_t *behind;

	value->has_escapes = false;
	if (*text == '"') {
		value->kind = JSON_STRING;
		behind = json_bytes_string(++text, end, &value->has_escapes);
	} else if (*text == '{' || *text == '[') {
		value->kind = *text == '[' ? JSON_ARRAY : JSON_OBJECT;
		behind = text + 1;
	} else {
		behind = json_bytes_scalar(text, end, &value->kind);
	}
	value->at = window->base + (uint64_t)(text - window->bytes);
	value->size = (size_t)(behind - text);
	return behind;
}

/* Goes on behind a value; false if that is not there. */
static inline bool usual_end(struct json_scan *scan, const uint8_t *behind,
	const struct json_token *value, enum state next)
{
	struct json_window *window = &scan->window;

	if (behind == NULL || behind >= window->bytes + window->used)
		return false;
	if (value->kind != JSON_OBJECT && value->kind != JSON_ARRAY) {
		behind += value->kind == JSON_STRING;
		scan->state = next;
	} else if (!json_brackets_has_room(&scan->open) ||
		   push(scan, value->kind == JSON_ARRAY) != CTP_OK) {
		return false;
	}
	window->at = (size_t)(behind - window->bytes);
	return true;
}

/* The bracket that closes what is open; false if it is not there. */
static inline bool usual_close(
	struct json_scan *scan, const uint8_t *text, struct json_token *token)
{
	struct json_window *window = &scan->window;

	if (text >= window->bytes + window->used)
		return false;
	window->at = (size_t)(text - window->bytes);
	close_bracket(scan, token);
	return true;
}

/* The next member of an object, or its end; false, having read nothing, if
 * that is not usual. */
static inline bool usual_member(struct json_scan *scan, struct json_token *key,
	struct json_token *value)
{
	const struct json_window *window = &scan->window;
	const uint8_t *end = window->bytes + window->used;
	const uint8_t *text = window->bytes + window->at;
	const uint8_t *quote;

	if (scan->state != STATE_IN_OBJECT && scan->state != STATE_FIRST_KEY)
		return false;
	text = json_bytes_blanks(text, end);
	if (*text == '}')
		return usual_close(scan, text, key);
	text = usual_begin(scan, STATE_FIRST_KEY, text, end);
	if (text == NULL || *text++ != '"')
		return false;
	quote = json_bytes_string(text, end, &key->has_escapes);
	key->kind = JSON_KEY;
	key->at = window->base + (uint64_t)(text - window->bytes);
	key->size = (size_t)(quote - text);
	text = json_bytes_blanks(quote + 1, end);
	if (*text != ':')
		return false;
	text = json_bytes_blanks(text + 1, end);
	text = usual_value(scan, text, end, value);
	return usual_end(scan, text, value, STATE_IN_OBJECT);
}

/* The same of an array's items. */
static inline bool usual_item(struct json_scan *scan, struct json_token *value)
{
	const uint8_t *end = scan->window.bytes + scan->window.used;
	const uint8_t *text = scan->window.bytes + scan->window.at;

	if (scan->state != STATE_IN_ARRAY && scan->state != STATE_FIRST_ITEM)
		return false;
	text = json_bytes_blanks(text, end);
	if (*text == ']')
		return usual_close(scan, text, value);
	text = usual_begin(scan, STATE_FIRST_ITEM, text, end);
	if (text == NULL)
		return false;
	text = usual_value(scan, text, end, value);
	return usual_end(scan, text, value, STATE_IN_ARRAY);
}

enum ctp_status json_scan_next(
	struct json_scan *scan, struct json_token *token, struct ctp_error *err)
{
	if (scan->error.status == CTP_OK && usual_item(scan, token))
		return CTP_OK;
	return next_token(scan, token, err);
}

enum ctp_status json_scan_member(struct json_scan *scan, struct json_token *key,
	struct json_token *value, struct ctp_error *err)
{
	enum ctp_status status;

	if (scan->error.status == CTP_OK && usual_member(scan, key, value))
		return CTP_OK;
	status = next_token(scan, key, err);
	if (status != CTP_OK || key->kind == JSON_END)
		return status;
	return next_token(scan, value, err);
}

/* Passes over as much of what is open innermost as is usual. */
static enum ctp_status pass_usual(struct json_scan *scan)
{
	struct json_window *window = &scan->window;
	bool is_first = scan->state == STATE_FIRST_ITEM ||
			scan->state == STATE_FIRST_KEY;
	struct json_place place = {.text = window->bytes + window->at,
		.is_first = is_first,
		.depth = 1,
		.arrays = json_brackets_in_array(&scan->open)};
	enum ctp_status status = CTP_OK;

	if (!is_first && scan->state != after_value(scan))
		return CTP_OK;
	json_pass(&place, window->bytes + window->used);
	window->at = (size_t)(place.text - window->bytes);
	if (place.depth == 0)
		scan->open.depth--;
	for (unsigned i = place.depth; i > 1 && status == CTP_OK; i--)
		status = push(scan, (place.arrays >> (i - 2) & 1) != 0);
	if (status == CTP_OK && !place.is_first)
		scan->state = after_value(scan);
	return status;
}

enum ctp_status json_scan_skip(struct json_scan *scan, struct ctp_error *err)
{
	uint32_t depth = scan->open.depth;
	enum ctp_status status = scan->error.status;
	struct json_token token;

	while (status == CTP_OK && scan->open.depth >= depth) {
		status = pass_usual(scan);
		if (status == CTP_OK && scan->open.depth >= depth)
			status = next_token(scan, &token, NULL);
	}
	if (status != CTP_OK && err != NULL)
		*err = scan->error;
	return status;
}

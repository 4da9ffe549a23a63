/* SPDX-License-Identifier: MIT */
/* Which brackets are open is a stack of bits. What may follow what:
 * json_grammar.h; where the tokens are: json_window.h. */
#include "json_scan.h"

#include <string.h>

#include "json_grammar.h"
#include "json_skip.h"
#include "json_value.h"
#include "json_window.h"
#include "memory.h"

/* Of a member whose value is text, and what is before it and behind. */
#define MEMBER_TOKENS 7

struct json_scan {
	struct json_window window;
	uint64_t end; /* of the token that was read last */
	enum state state;
	uint32_t depth;
	uint64_t *arrays; /* a bit for each open bracket: of an array? */
	size_t array_words;
	bool is_cut_off;
	struct ctp_error error; /* the first; status CTP_OK: none */
};

struct json_scan *json_scan_new(FILE *in, const void *head, size_t head_size)
{
	struct json_scan *scan = memory_new_zeroed(1, sizeof(*scan));

	if (scan == NULL)
		return NULL;
	scan->state = STATE_VALUE;
	scan->array_words = 1;
	scan->arrays = memory_new_zeroed(1, sizeof(*scan->arrays));
	if (!json_window_init(&scan->window, in, head, head_size) ||
		scan->arrays == NULL) {
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
	memory_free(scan->arrays);
	memory_free(scan);
}

uint32_t json_scan_depth(const struct json_scan *scan)
{
	return scan->depth;
}

bool json_scan_is_at_end(const struct json_scan *scan)
{
	return scan->window.at_eof &&
	       scan->window.token_at == scan->window.token_count;
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
	return scan->end;
}

static enum ctp_status fail(struct json_scan *scan, enum ctp_status status,
	size_t at, const char *words)
{
	return ctp_fail(
		&scan->error, status, scan->window.base + at, "%s", words);
}

/* Makes sure that `count` tokens are known; CTP_END if there are not so many. */
static inline enum ctp_status need(struct json_scan *scan, size_t count)
{
	const struct json_window *window = &scan->window;

	if (window->token_count - window->token_at >= count)
		return CTP_OK;
	return json_window_need(&scan->window, count, &scan->error);
}

static enum ctp_status push(struct json_scan *scan, bool array)
{
	size_t word = scan->depth / 64;
	uint64_t bit = UINT64_C(1) << scan->depth % 64;
	uint64_t *arrays;

	if (scan->depth == JSON_SCAN_DEPTH_MAX)
		return fail(scan, CTP_ERR_LIMIT,
			scan->window.tokens[scan->window.token_at],
			"nested too deep");
	if (word == scan->array_words) {
		arrays =
			memory_resize(scan->arrays, 2 * word * sizeof(*arrays));
		if (arrays == NULL)
			return fail(scan, CTP_ERR_NOMEM, 0, "out of memory");
		scan->arrays = arrays;
		scan->array_words = 2 * word;
	}
	scan->arrays[word] = (scan->arrays[word] & ~bit) | (array ? bit : 0);
	scan->depth++;
	scan->state = array ? STATE_FIRST_ITEM : STATE_FIRST_KEY;
	return CTP_OK;
}

/* Is what is open innermost an array? */
static inline bool is_array(const struct json_scan *scan)
{
	uint32_t last = scan->depth - 1;

	return (scan->arrays[last / 64] >> last % 64 & 1) != 0;
}

/* What may come after a value, by what is open. */
static inline enum state after_value(const struct json_scan *scan)
{
	if (scan->depth == 0)
		return STATE_DONE;
	return is_array(scan) ? STATE_IN_ARRAY : STATE_IN_OBJECT;
}

/* Is the number or word that begins there no plain number? */
static inline bool is_odd(const struct json_window *window, uint32_t at)
{
	return (json_window_block(window, at)->odd >> at % JSON_INDEX_STEP &
		       1) != 0;
}

/* The number or word that begins at the next token; its size. */
static enum ctp_status read_scalar(
	struct json_scan *scan, enum json_kind *kind, size_t *size)
{
	enum ctp_status status = need(scan, 2);
	const struct json_window *window = &scan->window;
	size_t end = window->used;
	uint32_t at;

	if (status != CTP_OK && status != CTP_END)
		return status;
	at = window->tokens[window->token_at];
	if (status == CTP_OK)
		end = window->tokens[window->token_at + 1];
	*size = json_window_scalar(window, at, end);
	*kind = JSON_NUMBER;
	if ((status == CTP_OK && !is_odd(window, at)) ||
		json_value_kind((const char *)window->bytes + at, *size, kind))
		return CTP_OK;
	if (status == CTP_OK || scan->depth == 0)
		return fail(scan, CTP_ERR_FORMAT, at,
			"neither a number nor a word of JSON");
	scan->is_cut_off = true;
	return fail(scan, CTP_ERR_FORMAT, at,
		"the input ends in the value that begins here");
}

static enum ctp_status refuse(struct json_scan *scan)
{
	char words[64];

	(void)snprintf(
		words, sizeof(words), "expected %s", expected[scan->state]);
	return fail(scan, CTP_ERR_FORMAT,
		scan->window.tokens[scan->window.token_at], words);
}

/* There are no more tokens. */
static enum ctp_status end_input(struct json_scan *scan)
{
	if (scan->state == STATE_DONE)
		return CTP_END;
	scan->is_cut_off = true;
	return fail(scan, CTP_ERR_FORMAT, scan->window.used,
		"the input ends before its last bracket");
}

static void take(struct json_scan *scan, struct json_token *token, size_t size)
{
	token->size = size;
	scan->end = token->at + size;
	scan->window.token_at++;
}

/* The text between two quotes, of which the first is this token. */
static inline struct json_token text_at(const struct json_window *window,
	const uint32_t *token, enum json_kind kind)
{
	uint32_t from = token[0] + 1;
	uint32_t size = token[1] - from;

	return (struct json_token){.kind = kind,
		.has_escapes =
			from < window->index.slashed &&
			json_window_has_backslash(window->bytes + from, size),
		.at = window->base + from,
		.size = size};
}

static enum ctp_status take_text(
	struct json_scan *scan, enum state next, struct json_token *token)
{
	enum ctp_status status = need(scan, 2);

	if (status == CTP_END) {
		scan->is_cut_off = true;
		return fail(scan, CTP_ERR_FORMAT,
			scan->window.tokens[scan->window.token_at],
			"the input ends in the string that begins here");
	}
	if (status != CTP_OK)
		return status;
	*token = text_at(&scan->window,
		scan->window.tokens + scan->window.token_at,
		next == STATE_COLON ? JSON_KEY : JSON_STRING);
	scan->end = token->at + token->size + 1;
	scan->window.token_at += 2;
	return CTP_OK;
}

static enum ctp_status take_token(struct json_scan *scan, enum class class,
	enum state next, struct json_token *token)
{
	enum ctp_status status = CTP_OK;
	size_t size = 1;

	token->has_escapes = false;
	switch (class) {
	case CLASS_QUOTE:
		status = take_text(scan, next, token);
		break;
	case CLASS_SCALAR:
		status = read_scalar(scan, &token->kind, &size);
		break;
	case CLASS_OBJECT:
	case CLASS_ARRAY:
		token->kind = class == CLASS_ARRAY ? JSON_ARRAY : JSON_OBJECT;
		status = push(scan, class == CLASS_ARRAY);
		break;
	default:
		token->kind = JSON_END;
		scan->depth--;
	}
	if (status != CTP_OK)
		return status;
	if (class != CLASS_QUOTE) {
		token->at = scan->window.base +
			    scan->window.tokens[scan->window.token_at];
		take(scan, token, size);
	}
	if (next == STATE_COLON)
		scan->state = next;
	else if (next != STATE_OPEN_OBJECT && next != STATE_OPEN_ARRAY)
		scan->state = after_value(scan);
	return CTP_OK;
}

enum ctp_status json_scan_next(
	struct json_scan *scan, struct json_token *token, struct ctp_error *err)
{
	enum ctp_status status = scan->error.status;

	while (status == CTP_OK) {
		enum class class;
		enum state next;

		status = need(scan, 1);
		if (status == CTP_END)
			status = end_input(scan);
		if (status != CTP_OK)
			break;
		class = class_of(
			scan->window.bytes
				[scan->window.tokens[scan->window.token_at]]);
		next = transitions[scan->state][class];
		if (next == STATE_WRONG) {
			status = refuse(scan);
		} else if (class == CLASS_COLON || class == CLASS_COMMA) {
			scan->state = next;
			scan->window.token_at++;
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

/* A number that is not odd, behind which is another token. */
static inline struct json_token number_at(
	const struct json_window *window, const uint32_t *token)
{
	return (struct json_token){.kind = JSON_NUMBER,
		.at = window->base + token[0],
		.size = json_window_scalar(window, token[0], token[1])};
}

/* The key of a member whose tokens are known and as usual; false, having read
 * nothing, if they are not. */
static inline bool take_key(struct json_scan *scan, struct json_token *key)
{
	struct json_window *window = &scan->window;
	const uint8_t *bytes = window->bytes;
	const uint32_t *token = window->tokens + window->token_at;
	size_t count = 3;

	if (window->token_count - window->token_at < MEMBER_TOKENS)
		return false;
	if (scan->state == STATE_IN_OBJECT) {
		if (bytes[*token++] != ',')
			return false;
		count++;
	} else if (scan->state != STATE_FIRST_KEY) {
		return false;
	}
	if (bytes[token[0]] != '"' || bytes[token[2]] != ':')
		return false;
	*key = text_at(window, token, JSON_KEY);
	window->token_at += count;
	scan->state = STATE_MEMBER;
	return true;
}

/* The value behind that. */
static inline enum ctp_status take_value(
	struct json_scan *scan, struct json_token *value, struct ctp_error *err)
{
	struct json_window *window = &scan->window;
	const uint32_t *token = window->tokens + window->token_at;
	uint8_t first = window->bytes[token[0]];

	if (first == '"') {
		*value = text_at(window, token, JSON_STRING);
		scan->end = value->at + value->size + 1;
		window->token_at += 2;
	} else if (class_of(first) == CLASS_SCALAR &&
		   !is_odd(window, token[0])) {
		*value = number_at(window, token);
		scan->end = value->at + value->size;
		window->token_at++;
	} else {
		return json_scan_next(scan, value, err);
	}
	scan->state = STATE_IN_OBJECT;
	return CTP_OK;
}

enum ctp_status json_scan_member(struct json_scan *scan, struct json_token *key,
	struct json_token *value, struct ctp_error *err)
{
	enum ctp_status status;

	if (scan->error.status == CTP_OK && take_key(scan, key))
		return take_value(scan, value, err);
	status = json_scan_next(scan, key, err);
	if (status != CTP_OK || key->kind == JSON_END)
		return status;
	return json_scan_next(scan, value, err);
}

/* Passes over tokens that are known already, as long as there is one more
 * behind; stops at the end of what was open at `depth`. */
static enum ctp_status skip_known(struct json_scan *scan, uint32_t depth)
{
	enum ctp_status status = CTP_OK;

	while (scan->window.token_at + 1 < scan->window.token_count &&
		scan->depth >= depth) {
		uint32_t at = scan->window.tokens[scan->window.token_at];
		enum class class = class_of(scan->window.bytes[at]);
		enum state next = transitions[scan->state][class];
		enum json_kind kind;
		size_t size;

		if (__builtin_expect(next == STATE_WRONG, 0))
			return refuse(scan);
		switch (class) {
		case CLASS_QUOTE:
			scan->window.token_at += 2;
			scan->state = next;
			continue;
		case CLASS_SCALAR:
			status = read_scalar(scan, &kind, &size);
			scan->state = next;
			break;
		case CLASS_OBJECT:
		case CLASS_ARRAY:
			status = push(scan, class == CLASS_ARRAY);
			break;
		case CLASS_OBJECT_END:
		case CLASS_ARRAY_END:
			scan->depth--;
			scan->state = after_value(scan);
			break;
		default:
			scan->state = next;
		}
		if (__builtin_expect(status != CTP_OK, 0))
			return status;
		scan->window.token_at++;
		scan->end = scan->window.base + at + 1;
	}
	return CTP_OK;
}

enum ctp_status json_scan_skip(struct json_scan *scan, struct ctp_error *err)
{
	uint32_t depth = scan->depth;
	enum ctp_status status = scan->error.status;
	struct json_token token;

	if (status == CTP_OK && json_skip(&scan->window, is_array(scan))) {
		scan->end = scan->window.base +
			    scan->window.tokens[scan->window.token_at - 1] + 1;
		scan->depth--;
		scan->state = after_value(scan);
		return CTP_OK;
	}
	while (status == CTP_OK && scan->depth >= depth) {
		status = need(scan, 2);
		if (status == CTP_OK)
			status = skip_known(scan, depth);
		else if (status == CTP_END) /* the last token of all */
			status = json_scan_next(scan, &token, NULL);
	}
	if (status != CTP_OK && err != NULL)
		*err = scan->error;
	return status;
}

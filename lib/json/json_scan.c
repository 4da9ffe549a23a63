/* SPDX-License-Identifier: MIT */
/*
 * Two paths. The fast one, fast_item() and the like, reads common forms that
 * are complete in the window directly from their bytes. Everything else,
 * including text that extends beyond the window, is read token by token by
 * json_scan_next_any(), with the table of transitions.
 */
#include "json/json_scan.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"

#define WINDOW_BYTES ((size_t)1 << 20)
#define WINDOW_BYTES_MAX ((size_t)64 << 20)
#define WINDOW_NOT_KEPT UINT64_MAX

static void window_set_used(struct json_window *window, size_t used)
{
	window->used = used;
	memset(window->bytes + used, 0, JSON_BYTES_ROOM);
}

bool json_window_init(struct json_window *window, FILE *in, const void *head,
	size_t head_size, size_t max)
{
	size_t room = WINDOW_BYTES > head_size ? WINDOW_BYTES : head_size;

	*window = (struct json_window){
		.in = in, .room = room, .max = max, .kept = WINDOW_NOT_KEPT};
	window->bytes = memory_new(room + JSON_BYTES_ROOM);
	if (window->bytes == NULL)
		return false;
	if (head_size > 0)
		memcpy(window->bytes, head, head_size);
	window_set_used(window, head_size);
	return true;
}

void json_window_clear(struct json_window *window)
{
	memory_free(window->bytes);
}

/* Drops text that has been read and is not pinned. */
static void window_drop(struct json_window *window)
{
	size_t from = window->at;

	if (window->kept != WINDOW_NOT_KEPT &&
		window->kept - window->base < from)
		from = (size_t)(window->kept - window->base);
	memmove(window->bytes, window->bytes + from, window->used - from);
	window->used -= from;
	window->at -= from;
	window->base += from;
}

static enum ctp_status window_grow(
	struct json_window *window, struct ctp_error *err)
{
	size_t room = window->room * 2;
	uint8_t *bytes;

	if (room > window->max && window->used < window->room)
		return CTP_OK;
	if (room > window->max)
		return ctp_fail_at(err, CTP_ERR_LIMIT, window->base,
			"the value that begins here is too long");
	bytes = memory_resize(window->bytes, room + JSON_BYTES_ROOM);
	if (bytes == NULL)
		return ctp_fail_at(
			err, CTP_ERR_NOMEM, window->base, "out of memory");
	window->bytes = bytes;
	window->room = room;
	return CTP_OK;
}

enum ctp_status json_window_fill(
	struct json_window *window, struct ctp_error *err)
{
	enum ctp_status status;
	size_t got;

	if (window->at_eof)
		return CTP_END;
	window_drop(window);
	/* Text that was kept may have to be read once more. */
	if (window->used > window->room / 2) {
		status = window_grow(window, err);
		if (status != CTP_OK)
			return status;
	}
	errno = 0;
	got = fread(window->bytes + window->used, 1,
		window->room - window->used, window->in);
	if (got == 0 && ferror(window->in))
		return ctp_fail_at(err, CTP_ERR_IO, window->base + window->used,
			"cannot be read");
	window_set_used(window, window->used + got);
	window->at_eof = window->used < window->room && !ferror(window->in);
	return got == 0 ? CTP_END : CTP_OK;
}

/* Classes of the first byte of a token. */
enum class {
	CLASS_OBJECT,
	CLASS_OBJECT_END,
	CLASS_ARRAY,
	CLASS_ARRAY_END,
	CLASS_COLON,
	CLASS_COMMA,
	CLASS_QUOTE,
	CLASS_SCALAR,
	CLASSES
};

static const uint8_t classes[256] = {
	['{'] = CLASS_OBJECT,
	['}'] = CLASS_OBJECT_END,
	['['] = CLASS_ARRAY,
	[']'] = CLASS_ARRAY_END,
	[':'] = CLASS_COLON,
	[','] = CLASS_COMMA,
	['"'] = CLASS_QUOTE,
};

/* Bytes without an entry are CLASS_SCALAR; 0 is CLASS_OBJECT, the class of an
 * opening brace. */
static inline enum class class_of(uint8_t byte) {
	return byte == '{' || classes[byte] != 0 ? (enum class)classes[byte]
						 : CLASS_SCALAR;
}

static const uint8_t transitions[JSON_STATES][CLASSES] = {
	[JSON_STATE_VALUE] = {[CLASS_OBJECT] = JSON_STATE_OPEN_OBJECT,
		[CLASS_ARRAY] = JSON_STATE_OPEN_ARRAY,
		[CLASS_QUOTE] = JSON_STATE_IN_ARRAY,
		[CLASS_SCALAR] = JSON_STATE_IN_ARRAY},
	[JSON_STATE_FIRST_ITEM] = {[CLASS_OBJECT] = JSON_STATE_OPEN_OBJECT,
		[CLASS_ARRAY] = JSON_STATE_OPEN_ARRAY,
		[CLASS_ARRAY_END] = JSON_STATE_CLOSE,
		[CLASS_QUOTE] = JSON_STATE_IN_ARRAY,
		[CLASS_SCALAR] = JSON_STATE_IN_ARRAY},
	[JSON_STATE_FIRST_KEY] = {[CLASS_OBJECT_END] = JSON_STATE_CLOSE,
		[CLASS_QUOTE] = JSON_STATE_COLON},
	[JSON_STATE_KEY] = {[CLASS_QUOTE] = JSON_STATE_COLON},
	[JSON_STATE_COLON] = {[CLASS_COLON] = JSON_STATE_MEMBER},
	[JSON_STATE_MEMBER] = {[CLASS_OBJECT] = JSON_STATE_OPEN_OBJECT,
		[CLASS_ARRAY] = JSON_STATE_OPEN_ARRAY,
		[CLASS_QUOTE] = JSON_STATE_IN_OBJECT,
		[CLASS_SCALAR] = JSON_STATE_IN_OBJECT},
	[JSON_STATE_IN_ARRAY] = {[CLASS_COMMA] = JSON_STATE_VALUE,
		[CLASS_ARRAY_END] = JSON_STATE_CLOSE},
	[JSON_STATE_IN_OBJECT] = {[CLASS_COMMA] = JSON_STATE_KEY,
		[CLASS_OBJECT_END] = JSON_STATE_CLOSE},
};

static const char *const expected[JSON_STATES] = {
	[JSON_STATE_VALUE] = "a value",
	[JSON_STATE_FIRST_ITEM] = "a value or ]",
	[JSON_STATE_FIRST_KEY] = "a key or }",
	[JSON_STATE_KEY] = "a key",
	[JSON_STATE_COLON] = "a colon",
	[JSON_STATE_MEMBER] = "a value",
	[JSON_STATE_IN_ARRAY] = "a comma or ]",
	[JSON_STATE_IN_OBJECT] = "a comma or }",
	[JSON_STATE_DONE] = "the end of the input",
};

size_t json_scan_mark(const void *head, size_t size)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t length = sizeof(mark) - 1;

	return size >= length && memcmp(head, mark, length) == 0 ? length : 0;
}

_Static_assert(offsetof(struct json_scan, window) == 0,
	"The window must be the first member.");

struct json_scan *json_scan_new(FILE *in, const void *head, size_t head_size)
{
	struct json_scan *scan = memory_new_zeroed(1, sizeof(*scan));

	if (scan == NULL)
		return NULL;
	scan->state = JSON_STATE_VALUE;
	if (!json_window_init(
		    &scan->window, in, head, head_size, WINDOW_BYTES_MAX)) {
		json_scan_free(scan);
		return NULL;
	}
	scan->window.at = json_scan_mark(head, head_size);
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

bool json_scan_has_words(const struct json_scan *scan, uint64_t from)
{
	return scan->words_end > from;
}

void json_scan_pin(struct json_scan *scan, const struct json_token *token)
{
	scan->window.kept = token->at;
}

void json_scan_unpin(struct json_scan *scan)
{
	scan->window.kept = WINDOW_NOT_KEPT;
}

/* Fails at the current position. */
static enum ctp_status fail(
	struct json_scan *scan, enum ctp_status status, const char *words)
{
	return ctp_fail_at(
		&scan->error, status, json_scan_position(scan), "%s", words);
}

static enum ctp_status push(struct json_scan *scan, bool array)
{
	enum ctp_status status = json_brackets_push(&scan->open, array);

	if (status != CTP_OK)
		return fail(scan, status,
			status == CTP_ERR_LIMIT ? "nested too deep"
						: "out of memory");
	scan->state = array ? JSON_STATE_FIRST_ITEM : JSON_STATE_FIRST_KEY;
	return CTP_OK;
}

/* Advances to the next token; CTP_END if there is none. */
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

/* Handles the end of the tokens. */
static enum ctp_status end_input(struct json_scan *scan)
{
	if (scan->state == JSON_STATE_DONE)
		return CTP_END;
	scan->is_cut_off = true;
	return fail(
		scan, CTP_ERR_FORMAT, "the input ends before its last bracket");
}

static enum ctp_status next_text(
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
			token->size = (uint32_t)(quote - text);
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

/* The scalar may be invalid only because the input ends. */
static enum ctp_status refuse_scalar(
	struct json_scan *scan, const struct json_token *token)
{
	enum ctp_status status;

	scan->window.at += token->size;
	status = find_token(scan);
	if (status != CTP_OK && status != CTP_END)
		return status;
	scan->is_cut_off = status == CTP_END && scan->open.depth > 0;
	return ctp_fail_at(&scan->error, CTP_ERR_FORMAT, token->at, "%s",
		scan->is_cut_off ? "the input ends in the value that begins "
				   "here"
				 : "invalid number or word");
}

/* Is it a number or a word, or accepted as one? */
static bool read_scalar(
	struct json_scan *scan, size_t size, enum json_kind *kind)
{
	const char *text = (const char *)scan->window.bytes + scan->window.at;

	if (json_value_kind(text, size, kind))
		return true;
	if (size == 0 || json_value_no_number(text, size) != size)
		return false;
	scan->words_end = json_scan_position(scan) + size;
	*kind = JSON_STRING;
	return true;
}

static enum ctp_status next_scalar(
	struct json_scan *scan, struct json_token *token)
{
	struct json_window *window = &scan->window;
	enum ctp_status status = CTP_OK;
	enum json_kind kind;
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
	token->size = (uint32_t)size;
	if (!read_scalar(scan, size, &kind))
		return refuse_scalar(scan, token);
	token->kind = (uint8_t)kind;
	window->at += size;
	return CTP_OK;
}

static enum ctp_status next_bracket(
	struct json_scan *scan, enum class class, struct json_token *token)
{
	bool array = class == CLASS_ARRAY;
	enum ctp_status status;

	if (!array && class != CLASS_OBJECT) {
		json_state_close(scan, token);
		return CTP_OK;
	}
	*token = (struct json_token){.kind = array ? JSON_ARRAY : JSON_OBJECT,
		.at = json_scan_position(scan),
		.size = 1};
	status = push(scan, array);
	scan->window.at += status == CTP_OK;
	return status;
}

static enum ctp_status next_token(struct json_scan *scan, enum class class,
	enum json_state next, struct json_token *token)
{
	enum ctp_status status;

	token->has_escapes = false;
	if (class != CLASS_QUOTE && class != CLASS_SCALAR)
		return next_bracket(scan, class, token);
	if (class == CLASS_SCALAR) {
		status = next_scalar(scan, token);
	} else {
		token->kind = next == JSON_STATE_COLON ? JSON_KEY : JSON_STRING;
		status = next_text(scan, token);
	}
	if (status == CTP_OK)
		scan->state = next == JSON_STATE_COLON ? next
						       : json_state_after(scan);
	return status;
}

enum ctp_status json_scan_next_any(
	struct json_scan *scan, struct json_token *token, struct ctp_error *err)
{
	enum ctp_status status = scan->error.status;

	while (status == CTP_OK) {
		enum class class;
		enum json_state next;

		status = find_token(scan);
		if (status == CTP_END)
			status = end_input(scan);
		if (status != CTP_OK)
			break;
		class = class_of(scan->window.bytes[scan->window.at]);
		next = transitions[scan->state][class];
		if (next == JSON_STATE_WRONG) {
			status = refuse(scan);
		} else if (class == CLASS_COLON || class == CLASS_COMMA) {
			scan->state = next;
			scan->window.at++;
		} else {
			status = next_token(scan, class, next, token);
			if (status == CTP_OK)
				return CTP_OK;
		}
	}
	if (status != CTP_END && err != NULL)
		*err = scan->error;
	return status;
}

/* Reads the next item of an array, or its end; false, reading nothing, if it
 * needs the slow path. */
static inline bool fast_item(struct json_scan *scan, struct json_token *value)
{
	const struct json_text all = json_state_text(scan);
	const uint8_t *text = scan->window.bytes + scan->window.at;

	if (scan->state != JSON_STATE_IN_ARRAY &&
		scan->state != JSON_STATE_FIRST_ITEM)
		return false;
	text = json_bytes_blanks(text, all.end);
	if (*text == ']')
		return json_state_fast_close(scan, text, value);
	text = json_state_fast_begin(
		scan, JSON_STATE_FIRST_ITEM, text, all.end);
	if (text == NULL)
		return false;
	text = json_state_fast_value(&all, text, value);
	return json_state_fast_end(scan, text, value, JSON_STATE_IN_ARRAY);
}

enum ctp_status json_scan_next(
	struct json_scan *scan, struct json_token *token, struct ctp_error *err)
{
	if (scan->error.status == CTP_OK && fast_item(scan, token))
		return CTP_OK;
	return json_scan_next_any(scan, token, err);
}

/* Skips as much of the innermost open bracket as is in the common form. */
static enum ctp_status skip_fast(struct json_scan *scan)
{
	struct json_window *window = &scan->window;
	bool is_first = scan->state == JSON_STATE_FIRST_ITEM ||
			scan->state == JSON_STATE_FIRST_KEY;
	struct json_walk walk;
	enum ctp_status status = CTP_OK;

	if (!is_first && scan->state != json_state_after(scan))
		return CTP_OK;
	json_walk_begin(&walk, window->bytes + window->at,
		window->bytes + window->used);
	walk.depth = 1;
	walk.is_first = is_first;
	walk.arrays[0] = json_brackets_in_array(&scan->open);
	(void)json_walk_to_end(&walk, 0, NULL);
	window->at = (size_t)(walk.text - window->bytes);
	if (walk.depth == 0)
		scan->open.depth--;
	for (uint32_t i = 1; i < walk.depth && status == CTP_OK; i++)
		status = push(scan, json_walk_is_array(&walk, i));
	if (status == CTP_OK && !walk.is_first)
		scan->state = json_state_after(scan);
	return status;
}

enum ctp_status json_scan_skip(struct json_scan *scan, struct ctp_error *err)
{
	uint32_t depth = scan->open.depth;
	enum ctp_status status = scan->error.status;
	struct json_token token;

	while (status == CTP_OK && scan->open.depth >= depth) {
		status = skip_fast(scan);
		if (status == CTP_OK && scan->open.depth >= depth)
			status = json_scan_next_any(scan, &token, NULL);
	}
	if (status != CTP_OK && err != NULL)
		*err = scan->error;
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Looks ahead in damaged JSON, validates its values, and converts its texts and
 * words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "chrome/chrome_facts.h"
#include "json_repair/repair_value.h"

/* In damaged text, longer keys do not count as keys. */
#define KEY_BYTES_MAX 64

#define RULES (JSON_WALK_STRICT | JSON_WALK_SAFE)

/* Is the number zero? */
static bool is_zero(const uint8_t *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != '0' && text[i] != '.')
			return false;
	return true;
}

void repair_event_add(void *user, const uint8_t *key, const uint8_t *value,
	const uint8_t *end)
{
	struct repair_event *event = user;
	size_t size = (size_t)(end - value);
	bool is_time = memcmp(key, "\"ts\"", 4) == 0;
	bool is_dur = memcmp(key, "\"dur\"", 5) == 0;
	bool is_text;

	if (memcmp(key, "\"ph\"", 4) == 0 && size == 3 && *value == '"')
		event->phase = (char)value[1];
	if ((!is_time && !is_dur && memcmp(key, "\"tts\"", 5) != 0 &&
		    memcmp(key, "\"tdur\"", 6) != 0) ||
		*value == '{' || *value == '[')
		return;
	is_text = *value == '"' &&
		  repair_word_is_time((const char *)value + 1, size - 2);
	if (is_text && event->text_size == 0) {
		event->text = value;
		event->text_size = size;
	}
	if (is_dur) {
		event->has_dur = is_text || *value != '"';
		event->zero_dur = is_zero(value, size);
	} else if (is_time) {
		event->has_time = is_text || *value != '"';
		event->zero_time = is_zero(value, size);
		event->time = value;
		event->time_size = size;
	}
}

bool repair_event_is_timeless(const struct repair_event *event)
{
	if (!event->zero_time || event->phase == 0)
		return false;
	if (event->phase == 'X')
		return event->zero_dur;
	return strchr("stf", event->phase) != NULL;
}

enum repair_outcome repair_event_read(const uint8_t *bytes, size_t *at,
	size_t end, struct repair_event *event)
{
	struct json_walk walk;
	bool done;

	*event = (struct repair_event){0};
	json_walk_begin(&walk, bytes + *at, bytes + end);
	walk.user = event;
	done = json_walk_whole(&walk, RULES, repair_event_add);
	*at = (size_t)(walk.text - bytes);
	if (done)
		return REPAIR_DONE;
	return *at >= end ? REPAIR_MORE : REPAIR_WRONG;
}

uint8_t repair_view_at(struct repair_view *view, size_t at)
{
	if (at < view->end)
		return view->bytes[at];
	view->hit_end = true;
	return 0;
}

size_t repair_view_word(struct repair_view *view, size_t at)
{
	while (repair_view_is_word(repair_view_at(view, at)))
		at++;
	return at;
}

size_t repair_view_past(struct repair_view *view, size_t at)
{
	while (at < view->end && view->bytes[at] <= ' ')
		at++;
	view->hit_end |= at >= view->end;
	return at;
}

size_t repair_view_skip(struct repair_view *view, size_t at)
{
	while (at < view->end && json_bytes_is_blank(view->bytes[at]))
		at++;
	view->hit_end |= at >= view->end;
	return at;
}

size_t repair_view_string(struct repair_view *view, size_t at)
{
	const uint8_t *end = view->bytes + view->end;
	struct json_walk walk = {.end = end};
	const uint8_t *behind =
		json_walk_string(&walk, view->bytes + at, RULES);

	if (behind != NULL)
		return (size_t)(behind - view->bytes);
	view->hit_end |= walk.text >= end;
	return 0;
}

/* The position after the key that this quote begins; 0 if it begins none. */
static size_t key_end(struct repair_view *view, size_t at)
{
	size_t from = at + 1;

	if (repair_view_at(view, at) != '"')
		return 0;
	do {
		at++;
		if (at - from > KEY_BYTES_MAX)
			return 0;
	} while (repair_view_at(view, at) >= 0x20 && view->bytes[at] < 0x80 &&
		 strchr("\"\\{}[],:", view->bytes[at]) == NULL);
	return at > from && repair_view_at(view, at) == '"' ? at + 1 : 0;
}

/* The position of the colon after a key that ends at `at`; 0 if there is
 * none. */
static size_t colon_after(struct repair_view *view, size_t at)
{
	at = at == 0 ? 0 : repair_view_past(view, at);
	return at != 0 && repair_view_at(view, at) == ':' ? at : 0;
}

static bool begins_value(struct repair_view *view, size_t at)
{
	uint8_t byte = repair_view_at(view, at = repair_view_past(view, at));

	return byte != 0 && strchr("\"{[-0123456789tfnNIT'", byte) != NULL;
}

/* The bit of the event's key from `at` to its end; 0 for other texts. */
static uint32_t event_key(const struct repair_view *view, size_t at, size_t end)
{
	return end == 0 ? 0
			: chrome_facts_event_key(
				  view->bytes + at + 1, end - at - 2);
}

bool repair_view_is_key(struct repair_view *view, size_t at)
{
	size_t end = key_end(view, at);
	size_t colon = colon_after(view, end);

	return colon != 0 &&
	       (begins_value(view, colon + 1) || event_key(view, at, end) != 0);
}

bool repair_view_is_event_key(struct repair_view *view, size_t at)
{
	size_t end = key_end(view, at);

	return colon_after(view, end) != 0 && event_key(view, at, end) != 0;
}

bool repair_view_is_document_key(struct repair_view *view, size_t at)
{
	size_t end = key_end(view, at);

	return colon_after(view, end) != 0 &&
	       chrome_facts_is_document_key(view->bytes + at + 1, end - at - 2);
}

/* Is it an event's key, with or without a colon, or a valid key of any size and
 * letters, before a value? */
static bool is_loose_key(struct repair_view *view, size_t at)
{
	size_t end = key_end(view, at);
	size_t colon;

	if (event_key(view, at, end) != 0 && begins_value(view, end))
		return true;
	colon = colon_after(view, repair_view_string(view, at));
	return colon != 0 && begins_value(view, colon + 1);
}

bool repair_key_is_profile(const uint8_t *key, size_t size)
{
	/* From speedscope's and gprof2dot's files. */
	static const char *const keys[] = {
		"$schema", "shared", "profiles", "functions"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i]) == size && memcmp(keys[i], key, size) == 0)
			return true;
	return false;
}

bool repair_view_is_event(struct repair_view *view, size_t at)
{
	return repair_view_at(view, at) == '{' &&
	       repair_view_is_event_key(view, repair_view_past(view, at + 1));
}

bool repair_view_continues(
	struct repair_view *view, size_t at, uint32_t had, bool is_whole)
{
	static const char args[] = "\"args\"";
	uint32_t key;

	at = repair_view_past(view, at + 1);
	if (repair_view_at(view, at) != ',')
		return false;
	at = repair_view_past(view, at + 1);
	key = event_key(view, at, key_end(view, at));
	return key != 0 && (key & had) == 0 &&
	       colon_after(view, key_end(view, at)) != 0 &&
	       (!is_whole || memcmp(view->bytes + at, args, 6) == 0);
}

bool repair_view_ends_events(struct repair_view *view, size_t at)
{
	uint8_t byte;

	at = repair_view_past(view, at + 1);
	byte = repair_view_at(view, at);
	if (byte == ',')
		return repair_view_is_document_key(
			view, repair_view_past(view, at + 1));
	return byte == '}' || byte == 0;
}

/* An event can be recognized by its first bytes. */
#define EVENT_BYTES ((size_t)64 << 10)

bool repair_view_begins_event(struct repair_view *view)
{
	struct repair_event event;
	size_t at = view->at;
	size_t end = view->end;

	if (!repair_view_is_event(view, at))
		return false;
	if (end - at > EVENT_BYTES)
		end = at + EVENT_BYTES;
	if (repair_event_read(view->bytes, &at, end, &event) == REPAIR_MORE &&
		end == view->end)
		view->hit_end = true;
	at = repair_view_skip(view, view->at + 1);
	return event.phase != 0 || memcmp(view->bytes + at, "\"ph\"", 4) == 0;
}

/* Is the view's text a single valid value? */
static bool is_single(struct repair_view *view)
{
	struct repair_event event;
	size_t end = view->at;
	enum repair_outcome outcome =
		repair_event_read(view->bytes, &end, view->end, &event);

	view->hit_end |= outcome == REPAIR_MORE;
	return outcome == REPAIR_DONE &&
	       repair_view_skip(view, end) == view->end;
}

bool repair_view_begins_document(struct repair_view *view, bool is_first)
{
	size_t next = repair_view_skip(view, view->at + 1);
	uint8_t byte = repair_view_at(view, next);
	bool is;

	if (byte == 0)
		return next >= view->end;
	if (view->bytes[view->at] == '{')
		return strchr("}\"'", byte) != NULL ||
		       (uint8_t)((byte | 0x20) - 'a') < 26;
	is = strchr("{]\"[", byte) != NULL &&
	     (byte != '{' || !repair_view_is_document_key(
				     view, repair_view_skip(view, next + 1)));
	return is || (is_first && is_single(view));
}

/* Can this follow a closing bracket? */
static bool follows_bracket(struct repair_view *view, size_t at)
{
	uint8_t byte = repair_view_at(view, at = repair_view_past(view, at));

	return byte == 0 || strchr(",}]{", byte) != NULL;
}

/* Can this follow a comma after a text? */
static bool follows_comma(
	struct repair_view *view, size_t at, enum repair_place place)
{
	uint8_t byte;

	do
		at = repair_view_past(view, at);
	while (repair_view_at(view, at) == ',' && at++ < view->end);
	byte = repair_view_at(view, at);
	if (byte == 0)
		return true;
	if (byte == '}' || byte == ']')
		return follows_bracket(view, at + 1);
	if (place == REPAIR_ITEM)
		return begins_value(view, at);
	if (byte == '{')
		return repair_view_is_event(view, at);
	return byte == '\'' || (byte == '"' && (repair_view_is_key(view, at) ||
						       is_loose_key(view, at)));
}

/* Does a text end before `at`, the position after a quote? */
static bool closes(struct repair_view *view, size_t at, enum repair_place place)
{
	uint8_t byte = repair_view_at(view, at = repair_view_past(view, at));

	if (byte == 0)
		return true;
	if (place == REPAIR_KEY)
		return byte == ':' || byte == ',' || byte == '}' ||
		       begins_value(view, at);
	if (byte == ',')
		return follows_comma(view, at + 1, place);
	if (byte == '}' || byte == ']')
		return follows_bracket(view, at + 1);
	return byte == '"' && place == REPAIR_MEMBER &&
	       repair_view_is_key(view, at);
}

/* A run of this many zeros is not text but a hole: a block that was never
 * written. */
#define HOLE_BYTES 16

static bool is_hole(const struct repair_view *view, size_t at)
{
	static const uint8_t zeros[HOLE_BYTES];

	return view->end - at >= HOLE_BYTES &&
	       memcmp(view->bytes + at, zeros, HOLE_BYTES) == 0;
}

/* "C:\new": a Windows path. */
static bool is_path(const struct repair_view *view, size_t from)
{
	return view->end - from > 2 &&
	       (uint8_t)((view->bytes[from] | 0x20) - 'a') < 26 &&
	       view->bytes[from + 1] == ':' && view->bytes[from + 2] == '\\';
}

/*
 * A quote that does not end the text may begin the next member's key if the
 * text's own closing quote is lost. Then a comma, a bracket or a line end
 * precedes it. Sets the end of the text.
 */
static bool ends_before(
	struct repair_view *view, struct repair_text *text, size_t at)
{
	bool line = false;
	bool known;

	if (!repair_view_is_key(view, at))
		return false;
	known = repair_view_is_event_key(view, at) ||
		repair_view_is_document_key(view, at);
	while (at > text->from && json_bytes_is_blank(view->bytes[at - 1])) {
		line = line || view->bytes[at - 1] == '\n';
		at--;
	}
	if (at == text->from || (!known && !line))
		return false;
	if (view->bytes[at - 1] == ',' || view->bytes[at - 1] == '{')
		at--;
	else if (!line)
		return false;
	text->to = at;
	text->next = at;
	text->is_open = true;
	return true;
}

/* The size of the escape at `at`; 0 if the backslash does not begin one. Half a
 * surrogate pair is an escape, but not a character. */
static size_t escape_size(const struct repair_view *view,
	const struct repair_text *text, size_t at, uint32_t *code)
{
	size_t size = json_value_escape(
		(const char *)view->bytes + at, view->end - at, code);

	if (size == 0 && text->quote == '\'' && view->bytes[at + 1] == '\'') {
		*code = '\'';
		return 2;
	}
	return size;
}

/* Handles a backslash; false if it ends the text. */
static bool skip_backslash(
	struct repair_view *view, struct repair_text *text, size_t *at)
{
	uint32_t code;
	size_t size = escape_size(view, text, *at, &code);
	uint8_t next = repair_view_at(view, *at + 1);

	if (next == text->quote && text->place != REPAIR_KEY &&
		closes(view, *at + 2, text->place) && *at + 2 < view->end) {
		text->is_literal = is_path(view, text->from);
		text->to = *at + 1;
		text->next = *at + 2;
		return false;
	}
	if (size == 0 && is_path(view, text->from))
		text->is_literal = true;
	*at += size == 0 ? 1 : size;
	return true;
}

/* The end of a run of plain bytes. */
static size_t plain_end(const struct repair_view *view, size_t at)
{
	return (size_t)(json_bytes_plain(view->bytes + at) - view->bytes);
}

/* The next byte that is not plain text. */
static size_t find_special(const struct repair_view *view,
	const struct repair_text *text, size_t at)
{
	size_t plain = plain_end(view, at);
	const uint8_t *quote;

	if (text->quote == '"' || plain == at)
		return plain;
	quote = memchr(view->bytes + at, text->quote, plain - at);
	return quote == NULL ? plain : (size_t)(quote - view->bytes);
}

bool repair_text_find(struct repair_view *view, struct repair_text *text)
{
	size_t at = text->from;

	text->is_open = false;
	text->is_literal = false;
	for (;;) {
		at = find_special(view, text, at);
		if (at >= view->end) {
			view->hit_end = true;
			return false;
		}
		if (view->bytes[at] == '\\') {
			if (!skip_backslash(view, text, &at))
				return true;
		} else if (view->bytes[at] == text->quote) {
			if (closes(view, at + 1, text->place)) {
				text->to = at;
				text->next = at + 1;
				return true;
			}
			if (ends_before(view, text, at))
				return true;
			at++;
		} else if (is_hole(view, at)) {
			return false;
		} else {
			at++;
		}
	}
}

static void add_control(struct buffer *out, uint8_t byte)
{
	static const char short_forms[] = "btn fr"; /* from \b on */
	char escape[8];

	if (byte >= '\b' && byte <= '\r' && byte != '\v')
		(void)snprintf(escape, sizeof(escape), "\\%c",
			short_forms[byte - '\b']);
	else
		(void)snprintf(escape, sizeof(escape), "\\u%04x", byte);
	buffer_add_text(out, escape);
}

/* Appends the text at a backslash; returns the size used. */
static size_t add_escape(struct buffer *out, const struct repair_view *view,
	const struct repair_text *text, size_t at, enum repair_fix *fix)
{
	const uint8_t *bytes = view->bytes + at;
	uint32_t code;
	size_t size =
		at + 1 < text->to ? escape_size(view, text, at, &code) : 0;

	if (at + size > text->to ||
		(text->is_literal && bytes[1] != '\\' && bytes[1] != '"'))
		size = 0;
	if (size == 0) {
		buffer_add_text(out, "\\\\");
		*fix = REPAIR_BACKSLASHES;
		return 1;
	}
	if (code == '\'') {
		buffer_add_byte(out, '\'');
	} else if (json_value_is_surrogate(code)) {
		buffer_add_text(out, "\\ufffd");
		*fix = REPAIR_SURROGATES;
	} else {
		buffer_add(out, bytes, size);
	}
	return size;
}

/* Appends bytes over 0x7f; their first sequence may be invalid. */
static size_t add_foreign(struct buffer *out, const uint8_t *bytes, size_t left,
	enum repair_fix *fix)
{
	const char *text = (const char *)bytes;
	size_t size = utf8_size(text, left);

	if (size > 0) {
		buffer_add(out, text, size);
		return size;
	}
	*fix = REPAIR_UTF8;
	buffer_add_text(out, UTF8_REPLACEMENT);
	return utf8_invalid_size(text, left > 4 ? 4 : left);
}

void repair_text_add(struct buffer *out, const struct repair_view *view,
	const struct repair_text *text, struct repair_fixes *fixes,
	uint64_t base)
{
	size_t at = text->from;

	buffer_add_byte(out, '"');
	for (;;) {
		size_t plain = plain_end(view, at);
		enum repair_fix fix = REPAIR_FIXES;
		size_t size = 1;
		uint8_t byte;

		if (plain > text->to)
			plain = text->to;
		buffer_add(out, view->bytes + at, plain - at);
		at = plain;
		if (at >= text->to)
			break;
		byte = view->bytes[at];
		if (byte == '\\') {
			size = add_escape(out, view, text, at, &fix);
		} else if (byte == '"') {
			buffer_add_text(out, "\\\"");
			fix = text->quote == '"' ? REPAIR_QUOTES : REPAIR_FIXES;
		} else if (byte < 0x20) {
			add_control(out, byte);
			fix = REPAIR_CONTROLS;
		} else {
			size = add_foreign(
				out, view->bytes + at, text->to - at, &fix);
		}
		if (fix != REPAIR_FIXES)
			repair_fix_add(fixes, fix, base + at);
		at += size;
	}
	buffer_add_byte(out, '"');
}

static bool is_digit(const char *text, size_t size, size_t at)
{
	return at < size && (unsigned char)(text[at] - '0') < 10;
}

/* A number in a looser grammar: any sign, no digits before or after the point,
 * leading zeros. */
static bool add_decimal(struct buffer *out, const char *text, size_t size)
{
	size_t from = out->used;
	size_t at = size > 0 && (text[0] == '+' || text[0] == '-');
	size_t digits = 0;
	const char *made;
	enum json_kind kind;

	if (at > 0 && text[0] == '-')
		buffer_add_byte(out, '-');
	while (at + 1 < size && text[at] == '0' && is_digit(text, size, at + 1))
		at++;
	for (; is_digit(text, size, at); at++, digits++)
		buffer_add_byte(out, (uint8_t)text[at]);
	if (digits == 0)
		buffer_add_byte(out, '0');
	if (at < size && text[at] == '.') {
		buffer_add_byte(out, '.');
		at++;
		if (!is_digit(text, size, at))
			buffer_add_byte(out, '0');
		else
			digits++;
	}
	buffer_add(out, text + at, size - at);
	made = (const char *)out->bytes + from;
	if (digits > 0 && !out->failed &&
		json_value_kind(made, out->used - from, &kind) &&
		kind == JSON_NUMBER &&
		json_value_is_finite(made, out->used - from))
		return true;
	out->used = from;
	return false;
}

static bool is_blank(char c)
{
	return json_bytes_is_blank((uint8_t)c);
}

/* Removes the blanks around it. */
static void trim(const char **text, size_t *size)
{
	for (; *size > 0 && is_blank(**text); --*size)
		++*text;
	while (*size > 0 && is_blank((*text)[*size - 1]))
		--*size;
}

bool repair_word_is_time(const char *text, size_t size)
{
	struct buffer out = BUFFER_INIT;
	bool is_time;

	trim(&text, &size);
	is_time = size > 0 && size <= JSON_VALUE_SMALL &&
		  add_decimal(&out, text, size);
	buffer_clear(&out);
	return is_time;
}

static bool add_hex(struct buffer *out, const char *text, size_t size)
{
	char digits[24];
	uint64_t value;
	bool negative = size > 0 && text[0] == '-';
	size_t sign = negative || (size > 0 && text[0] == '+');

	if (size - sign < 3 || (text[sign + 1] | 0x20) != 'x' ||
		!json_value_id(text + sign, size - sign, &value))
		return false;
	(void)snprintf(digits, sizeof(digits), "%s%" PRIu64,
		negative ? "-" : "", value);
	buffer_add_text(out, digits);
	return true;
}

/* NaN and infinity as in protobuf's JSON, from any spelling. */
static void add_no_number(struct buffer *out, const char *text, size_t size)
{
	size_t sign = text[0] == '-' || text[0] == '+';
	const char *word = text + sign;
	bool infinite = (word[0] | 0x20) == 'i' ||
			(size - sign > 5 && memcmp(word, "1.#INF", 6) == 0);

	if (!infinite)
		buffer_add_text(out, "\"NaN\"");
	else
		buffer_add_text(
			out, text[0] == '-' ? "\"-Infinity\"" : "\"Infinity\"");
}

bool repair_word_add(
	struct buffer *out, const char *text, size_t size, enum repair_fix *fix)
{
	static const char *const words[][2] = {{"True", "true"},
		{"False", "false"}, {"None", "null"}, {"undefined", "null"}};
	enum json_kind kind;

	trim(&text, &size);
	*fix = REPAIR_WORDS;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i][0]) != size ||
			memcmp(words[i][0], text, size) != 0)
			continue;
		buffer_add_text(out, words[i][1]);
		return true;
	}
	*fix = REPAIR_NAN;
	if (size > 0 && json_value_no_number(text, size) == size) {
		add_no_number(out, text, size);
		return true;
	}
	*fix = REPAIR_FIXES;
	if (json_value_kind(text, size, &kind) &&
		(kind != JSON_NUMBER || json_value_is_finite(text, size))) {
		buffer_add(out, text, size);
		return true;
	}
	*fix = REPAIR_NUMBERS;
	return add_decimal(out, text, size) || add_hex(out, text, size);
}

bool repair_view_is_scalar(struct repair_view *view)
{
	struct repair_text text = {.from = view->at + 1,
		.quote = view->bytes[view->at],
		.place = REPAIR_ITEM};
	struct buffer out = BUFFER_INIT;
	size_t end;
	uint8_t next;
	enum repair_fix fix;
	bool is;

	if (text.quote == '"' || text.quote == '\'')
		return repair_text_find(view, &text) && !text.is_open;
	end = repair_view_word(view, view->at);
	next = repair_view_at(view, repair_view_past(view, end));
	is = (next == ',' || next == ']') &&
	     repair_word_add(&out, (const char *)view->bytes + view->at,
		     end - view->at, &fix);
	buffer_clear(&out);
	return is;
}

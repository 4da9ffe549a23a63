/* SPDX-License-Identifier: MIT */
/*
 * Repairs a value of damaged JSON: guesses the roles of quotes and brackets from
 * their context, and writes the value as close as possible to its likely
 * meaning. It never recurses. For repair*.c only.
 */
#ifndef REPAIR_VALUE_H
#define REPAIR_VALUE_H

#include "base/buffer.h"
#include "json/json_walk.h"
#include "json_repair/repair.h"

/* Perfetto and Python's json stop at about twice as many. */
#define REPAIR_DEPTH_MAX (JSON_WALK_DEPTH_MAX / 2)

enum repair_outcome {
	REPAIR_DONE,
	REPAIR_WRONG,
	REPAIR_MORE, /* it continues after the end */
};

/* The members of an object that may be an event. */
struct repair_event {
	char phase; /* 0: none */
	bool has_time;
	bool has_dur;
	bool zero_time;
	bool zero_dur;
	const uint8_t *time; /* borrowed from the value */
	size_t time_size;
	const uint8_t *text; /* likewise the first time or duration that is a
			      * string */
	size_t text_size;    /* 0: there is none */
};

/* Records a member, as json_walk.h's hook; `key` is at its quote. */
void repair_event_add(void *event, const uint8_t *key, const uint8_t *value,
	const uint8_t *end);

/* Is its time zero, which stands for an unknown time? */
bool repair_event_is_timeless(const struct repair_event *event);

/* Validates the value at bytes[*at], which then needs no repair. Sets *at to
 * its end, or to the error. */
enum repair_outcome repair_event_read(const uint8_t *bytes, size_t *at,
	size_t end, struct repair_event *event);

/* Bytes and the position up to which they are parsed. */
struct repair_view {
	const uint8_t *bytes; /* followed by zeros */
	size_t at;
	size_t end;
	bool hit_end; /* bytes after the end would have mattered */
};

/* The byte at `at`, or 0 after the end, which sets `hit_end`. */
uint8_t repair_view_at(struct repair_view *view, size_t at);

/* Is it part of a word or number? */
static inline bool repair_view_is_word(uint8_t byte)
{
	return byte > ' ' && byte != 0x7f && byte != '{' && byte != '}' &&
	       byte != '[' && byte != ']' && byte != ',' && byte != ':' &&
	       byte != '"' && byte != '\'';
}

/* The end of the word at `at`. */
size_t repair_view_word(struct repair_view *view, size_t at);

/* The first position from `at` on that is not blank. */
size_t repair_view_skip(struct repair_view *view, size_t at);

/* Likewise, also skipping control characters. */
size_t repair_view_past(struct repair_view *view, size_t at);

/* Validates the string with the quote at `at`; returns the position after it,
 * or 0. */
size_t repair_view_string(struct repair_view *view, size_t at);

/* Does this quote begin a key with a colon and a value? */
bool repair_view_is_key(struct repair_view *view, size_t at);

/* Likewise for a key of events or of documents. */
bool repair_view_is_event_key(struct repair_view *view, size_t at);
bool repair_view_is_document_key(struct repair_view *view, size_t at);

/* Does the event continue after this bracket, which seems to end it, with a
 * member that it lacks? A complete event continues only with arguments. */
bool repair_view_continues(
	struct repair_view *view, size_t at, uint32_t had, bool is_whole);

/* Does the array of all events seem to end with this bracket? */
bool repair_view_ends_events(struct repair_view *view, size_t at);

/* Does an event seem to begin with this bracket? */
bool repair_view_is_event(struct repair_view *view, size_t at);

/* Does an event begin at view->at, rather than a document? */
bool repair_view_begins_event(struct repair_view *view);

/* Can an array or an object begin like view->at, rather than a log line? An
 * array of numbers can if it is the whole input: `is_first`. */
bool repair_view_begins_document(struct repair_view *view, bool is_first);

/* Is it a member of another JSON format, not a Chrome trace? */
bool repair_key_is_profile(const uint8_t *key, size_t size);

/* Is it a single number, word or text that JSON spells differently? */
bool repair_view_is_scalar(struct repair_view *view);

/* The role of a text: key, member's value or array item. */
enum repair_place { REPAIR_KEY, REPAIR_MEMBER, REPAIR_ITEM };

/* Text in damaged JSON that becomes a string. */
struct repair_text {
	size_t from;
	size_t to;
	size_t next; /* after the quote, if any */
	uint8_t quote;
	enum repair_place place;
	bool is_open;    /* without closing quote */
	bool is_literal; /* backslashes are literal, as in "C:\new" */
};

/*
 * Finds the end of the text that begins at text->from, after text->quote; a
 * quote ends it only if a plausible continuation follows. False if a hole in
 * the file or the end of the view truncates it.
 */
bool repair_text_find(struct repair_view *view, struct repair_text *text);

/* Appends it with its quotes, and counts the repairs; `base` is the view's
 * offset. */
void repair_text_add(struct buffer *out, const struct repair_view *view,
	const struct repair_text *text, struct repair_fixes *fixes,
	uint64_t base);

/* Is the text a time: a decimal number, perhaps with blanks around it? */
bool repair_word_is_time(const char *text, size_t size);

/*
 * Appends the meaning of a word, perhaps with blanks around it: true, false,
 * null or a number; false, appending nothing, for an unknown word. *fix is the
 * repair, or REPAIR_FIXES for none.
 */
bool repair_word_add(struct buffer *out, const char *text, size_t size,
	enum repair_fix *fix);

/* The text at the view's position. */
enum repair_part {
	REPAIR_PART_ITEM,  /* of an array, whose objects may be events */
	REPAIR_PART_REST,  /* likewise, after an opening bracket that is lost */
	REPAIR_PART_VALUE, /* of an object's member */
	REPAIR_PART_KEY,   /* of an object's member, with its colon */
};

struct repair_value {
	struct buffer *out;    /* borrowed; output is appended */
	uint64_t base;         /* the view's offset */
	const char *last_time; /* of the previous event; NULL: near 0 */
	struct repair_fixes fixes;
	struct repair_event event; /* for items */
};

/*
 * Reads the text at view->at and moves past it. REPAIR_WRONG: the value is
 * incomplete, because another event begins within it or the input ends. The
 * appended text is then useless, as it is if view->hit_end is set.
 *
 * Errors: if out of memory, value->out has failed.
 */
enum repair_outcome repair_value_read(struct repair_view *view,
	enum repair_part part, struct repair_value *value);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Validates a JSON value, which then needs no repair, in one pass and without
 * recursion. For repair_*.c only.
 *
 * Stricter than most parsers, whose limits differ: no numbers beyond a double,
 * no unpaired surrogates, and at most REPAIR_DEPTH_MAX nested brackets. Source:
 * RFC 8259, sections 6, 8.2 and 9.
 */
#ifndef REPAIR_VALIDATE_H
#define REPAIR_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Perfetto and Python's json stop at about twice as many. */
#define REPAIR_DEPTH_MAX 512

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
	bool text_time; /* a time or duration is a string */
	bool zero_time;
	bool zero_dur;
	size_t time_at; /* offset of the number */
	size_t time_size;
};

/* The event members used here. */
enum repair_key_kind {
	REPAIR_OTHER,
	REPAIR_PHASE,
	REPAIR_TIME,
	REPAIR_DUR,
	REPAIR_THREAD_TIME, /* "tts", "tdur" */
};

enum repair_key_kind repair_validate_member(const uint8_t *key);

/* Is the number zero? */
bool repair_validate_is_zero(const uint8_t *text, size_t size);

/* Is its time zero, which stands for an unknown time? */
bool repair_validate_is_timeless(const struct repair_event *event);

/*
 * Validates the value at bytes[*at]; zeros must follow bytes[end], as in a
 * window. Sets *at to its end, or to the error.
 */
enum repair_outcome repair_validate_value(const uint8_t *bytes, size_t *at,
	size_t end, struct repair_event *event);

/* Likewise for a string; *at is after its opening quote. */
enum repair_outcome repair_validate_text(
	const uint8_t *bytes, size_t *at, size_t end);

/* The end of a run of plain bytes: printable ASCII without quotes and
 * backslashes. */
size_t repair_validate_plain(const uint8_t *bytes, size_t at, size_t end);

/* The size of the escape at `at`, of `left` bytes; 0: not an escape. A
 * surrogate pair is one escape, an unpaired surrogate is not. */
size_t repair_validate_escape(const uint8_t *at, size_t left);

/* The size of the non-ASCII character at `at`; 0: invalid. */
size_t repair_validate_sequence(const uint8_t *at, size_t left);

static inline bool repair_validate_is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

#endif

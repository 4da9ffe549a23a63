/* SPDX-License-Identifier: MIT */
/*
 * Is a value as JSON wants it, so that it can be taken as it stands? In one
 * pass over its bytes, and without recursion. For repair_*.c only.
 *
 * Stricter than most parsers, whose limits differ: no numbers beyond a double,
 * no halves of surrogates, and no more than REPAIR_DEPTH_MAX brackets.
 * Source: RFC 8259, sections 6, 8.2 and 9.
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
	REPAIR_MORE, /* it goes on behind what is there */
};

/* The members of an object that may be an event. */
struct repair_event {
	char phase; /* 0: none */
	bool has_time;
	bool has_dur;
	bool text_time; /* a time or duration is a string */
	bool zero_time;
	bool zero_dur;
	size_t time_at; /* where the number is */
	size_t time_size;
};

/* Members of events that mean something here. */
enum repair_key_kind {
	REPAIR_OTHER,
	REPAIR_PHASE,
	REPAIR_TIME,
	REPAIR_DUR,
	REPAIR_THREAD_TIME, /* "tts", "tdur" */
};

enum repair_key_kind repair_validate_member(const uint8_t *key, size_t size);

/* Is the number zero? */
bool repair_validate_is_zero(const uint8_t *text, size_t size);

/* Is its time zero, as is that of what nobody knows the time of? */
bool repair_validate_is_timeless(const struct repair_event *event);

/*
 * The value that begins at bytes[*at]; there are zeros behind bytes[end], as in
 * a window. *at is where it ends, or what is wrong.
 */
enum repair_outcome repair_validate_value(const uint8_t *bytes, size_t *at,
	size_t end, struct repair_event *event);

/* The same of a string, behind whose first quote *at is. */
enum repair_outcome repair_validate_text(
	const uint8_t *bytes, size_t *at, size_t end);

/* Where a run of bytes ends that need no look: of printable ASCII, no quotes
 * and no backslashes. */
size_t repair_validate_plain(const uint8_t *bytes, size_t at);

/* The size of the escape that begins here, of `left` bytes; 0: it is none.
 * A pair of surrogates is one, half of one none. */
size_t repair_validate_escape(const uint8_t *at, size_t left);

/* The size of the character beyond ASCII that begins here; 0: it is none. */
size_t repair_validate_sequence(const uint8_t *at, size_t left);

static inline bool repair_validate_is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

#endif

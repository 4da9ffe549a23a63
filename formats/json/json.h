/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON: the only place in the project that escapes a string or prints a
 * number for it. What comes out is always valid JSON in valid UTF-8, whatever
 * the bytes and the locale.
 *
 * json_string and json_null are libjansson's, which the program links, too.
 *
 * Two levels. The items (json_begin … json_none) put commas and colons where
 * they belong; reports use only these. Below them are raw text and numbers for
 * writers that print the same few shapes millions of times.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct event_arg;

/* Room that suffices for any one number. */
#define JSON_NUMBER_MAX 32

struct json {
	FILE *out; /* NULL: the text stays in `bytes` */
	char *bytes;
	size_t used;
	size_t room;
	uint64_t replaced; /* invalid UTF-8 sequences replaced by U+FFFD */
	bool comma;        /* the next item needs one before it */
	bool failed;       /* out of memory: text is missing */
	int sys_errno;     /* of the first write that failed; then no more */
};

/* A writer to `out`, or with NULL one that keeps its text in `bytes`. False if
 * out of memory. Ownership: `out` is borrowed until json_clear(). */
bool json_init(struct json *json, FILE *out);

/* Frees the memory; what is not flushed is lost. */
void json_clear(struct json *json);

/* Hands everything to the stream. If a write has failed, the stream's error
 * flag is set and errno is that of the first failure. */
void json_flush(struct json *json);

/* Items: values, members and brackets, with commas as needed. `bracket` is one
 * of { } [ ]. */
void json_begin(struct json *json, char bracket);
void json_end(struct json *json, char bracket);
void json_key(struct json *json, const char *key);
void json_text_sized(struct json *json, const char *bytes, size_t size);
void json_text(struct json *json, const char *text);
void json_int(struct json *json, int64_t value);
void json_uint(struct json *json, uint64_t value);
/* As few of 15 to 17 digits as read back as the same number. What JSON has no
 * number for becomes "NaN", "Infinity" or "-Infinity", a string.
 * Source: the JSON mapping of protocol buffers, which does the same. */
void json_double(struct json *json, double value);
void json_bool(struct json *json, bool value);
void json_none(struct json *json); /* null */
/* Bytes that already are one valid JSON value. */
void json_value(struct json *json, const char *bytes, size_t size);

/* Raw: no commas. A string gets its quotes. */
void json_raw_string(struct json *json, const char *bytes, size_t size);

/* json_raw() where there is not the room. */
void json_raw_slowly(struct json *json, const char *bytes, size_t size);

/* Makes room; false if out of memory, which only a writer without a stream or
 * a `size` over JSON_BUFFER_BYTES can be. */
#define JSON_BUFFER_BYTES ((size_t)256 * 1024)
bool json_make_room(struct json *json, size_t size);

/* `size` bytes to write to, then json_advance() to the end of what was written;
 * NULL if out of memory. */
static inline char *json_room(struct json *json, size_t size)
{
	if (__builtin_expect(size > json->room - json->used, 0) &&
		!json_make_room(json, size))
		return NULL;
	return json->bytes + json->used;
}

static inline void json_advance(struct json *json, const char *end)
{
	json->used = (size_t)(end - json->bytes);
}

static inline void json_raw(struct json *json, const char *bytes, size_t size)
{
	if (__builtin_expect(size > json->room - json->used, 0)) {
		json_raw_slowly(json, bytes, size);
	} else if (size > 0) {
		memcpy(json->bytes + json->used, bytes, size);
		json->used += size;
	}
}

static inline void json_raw_text(struct json *json, const char *text)
{
	json_raw(json, text, strlen(text));
}

/* Print at `at`, which has JSON_NUMBER_MAX bytes of room, and return the end;
 * no zero byte. */
char *json_put_uint(char *at, uint64_t value);
char *json_put_int(char *at, int64_t value);
char *json_put_double(char *at, double value);
/* Units: nanoseconds in, microseconds with three decimals out: "-0.005". */
char *json_put_us(char *at, int64_t time_ns);
char *json_put_duration_us(char *at, uint64_t duration_ns);

/* Writes the value of an event's argument, or of a device's property, an item. */
void json_arg(struct json *json, const struct event_arg *arg);

#endif

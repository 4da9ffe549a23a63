/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON: the only place in the project that escapes JSON strings or
 * prints JSON numbers. The output is always valid JSON in valid UTF-8, for any
 * bytes and any locale.
 *
 * The names json_string and json_null belong to libjansson, which the program
 * links too.
 *
 * Two levels. The items (json_begin … json_none) add commas and colons; reports
 * use only these. Below them are raw text and numbers, for writers that print
 * the same few structures millions of times.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct event_arg;

/* Room for any number. */
#define JSON_NUMBER_MAX 32

struct json {
	FILE *out; /* NULL: the text stays in `bytes` */
	char *bytes;
	size_t used;
	size_t room;
	uint64_t replaced; /* invalid UTF-8 sequences replaced by U+FFFD */
	bool comma;        /* the next item needs a comma */
	bool failed;       /* out of memory: text is missing */
	int sys_errno;     /* of the first failed write, which was the last */
};

/* A writer to `out`, or if NULL, one that keeps its text in `bytes`. False if
 * out of memory. Ownership: `out` is borrowed until json_clear(). */
bool json_init(struct json *json, FILE *out);

/* Frees the memory; unflushed text is lost. */
void json_clear(struct json *json);

/* Writes everything to the stream. If a write failed, the stream's error flag
 * is set, and errno is that of the first failure. */
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
/* Writes the fewest digits, from 15 to 17, that read back as the same number.
 * Values without a JSON number become the strings "NaN", "Infinity" or
 * "-Infinity". Source: the JSON mapping of protocol buffers. */
void json_double(struct json *json, double value);
void json_bool(struct json *json, bool value);
void json_none(struct json *json); /* null */
/* Bytes that are already a valid JSON value. */
void json_value(struct json *json, const char *bytes, size_t size);

/* Are they exactly one value, in valid UTF-8, nested at most 1,024 deep?
 * Source: RFC 8259. */
bool json_check(const char *text, size_t size);

/* Raw: no commas. A string gets its quotes. */
void json_raw_string(struct json *json, const char *bytes, size_t size);

/* json_raw() without enough room. */
void json_raw_slowly(struct json *json, const char *bytes, size_t size);

/* Makes room; false if out of memory, which is possible only without a stream
 * or with a `size` over JSON_BUFFER_BYTES. */
#define JSON_BUFFER_BYTES ((size_t)256 * 1024)
bool json_make_room(struct json *json, size_t size);

/* `size` bytes of room; after writing, call json_advance() with the end. NULL
 * if out of memory. */
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

/* Print to `at`, which must have room for JSON_NUMBER_MAX bytes, and return the
 * end; no zero byte. */
char *json_put_uint(char *at, uint64_t value);
char *json_put_int(char *at, int64_t value);
char *json_put_double(char *at, double value);
/* Units: nanoseconds in, microseconds with three decimals out: "-0.005". */
char *json_put_us(char *at, int64_t time_ns);
char *json_put_duration_us(char *at, uint64_t duration_ns);

/* Writes the value of an event's argument, or of a device's property, as an
 * item. */
void json_arg(struct json *json, const struct event_arg *arg);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Makes logs by hand from recipes that read like JSON. So a test shows a
 * damaged log as such, and no damaged log is kept as a file of bytes.
 *
 *	[3, -7, 0.5, 'it\'s \xff', {'key': nil}, true, 0 * 1000]
 *
 * is a MessagePack array of 1,006 elements: `value * count` stands for that
 * many of it, `json'[1]'` for JSON as an argument. Text that is not UTF-8 becomes bin, as in the log.
 */
#ifndef LOG_MAKER_H
#define LOG_MAKER_H

#include "base/buffer.h"

/* Appends the MessagePack of a recipe, given as a printf format. Aborts on an
 * error in it. */
void log_maker_pack(struct buffer *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends a block as one member of the log. The recipe's first number is its
 * kind. */
void log_maker_add(struct buffer *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends a member that unpacks to any given bytes. */
void log_maker_add_bytes(
	struct buffer *log, unsigned kind, const void *bytes, size_t size);

/* The parts of a member: packed data unchanged, CRC and size as given. */
struct log_maker_member {
	unsigned kind;
	const void *data; /* raw deflate */
	size_t size;
	uint32_t crc;
	uint32_t unpacked;
};

void log_maker_add_member(
	struct buffer *log, const struct log_maker_member *member);

/* A header with this start time; and with a least reader. */
void log_maker_add_header(struct buffer *log, int64_t realtime, int reader);

/* A whole small log with every kind of block, event and row. */
void log_maker_add_small(struct buffer *log);

/* The range of the member with this number, from 0; false if there is none. The
 * log must be undamaged. */
struct log_maker_span {
	size_t begin;
	size_t end;
};

bool log_maker_find(
	const struct buffer *log, size_t number, struct log_maker_span *span);

#endif

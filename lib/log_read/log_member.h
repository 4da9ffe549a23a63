/* SPDX-License-Identifier: MIT */
/* Members of a log: one in memory is found, measured, unpacked and checked; a
 * stream gives one after another. Source: lib/log/FORMAT.md, "Members". */
#ifndef LOG_MEMBER_H
#define LOG_MEMBER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/cursor.h"
#include "base/error.h"
#include "log/deflate.h"
#include "log/log.h"
#include "trace/trace.h"

struct log_member {
	uint64_t offset; /* in the file */
	uint32_t size;   /* in bytes, header and trailer included */
	uint8_t kind;    /* from the header, which is not checked */
};

/* Whether a member's fixed part with a possible size is here. Sets size and
 * kind. */
bool log_member_parse(
	const void *bytes, size_t size, struct log_member *member);

/* Whether these bytes, which may be few, match the start of a member. */
bool log_member_may_begin(const void *bytes, size_t size);

/* Number of bytes to skip to a possible member; none begins at the first.
 * `at_end`: no bytes follow. */
size_t log_member_search(const void *bytes, size_t size, bool at_end);

struct log_unpacker {
	struct inflater *inflater;
	uint8_t *block;
	size_t room;
	uint64_t wasted_bytes; /* of unsound members, packed and unpacked */
};

/* False if out of memory. */
bool log_unpacker_init(struct log_unpacker *unpacker);
void log_unpacker_clear(struct log_unpacker *unpacker);

/*
 * Unpacks a member of `size` bytes, parsed before; `sound` is set if it is
 * complete and correct.
 *
 * Errors: CTP_ERR_NOMEM. Damage is not an error.
 * Ownership: the block is borrowed until the next call.
 */
enum ctp_status log_unpacker_unpack(struct log_unpacker *unpacker,
	struct cursor member, struct cursor *block, bool *sound,
	struct ctp_error *err);

/*
 * The size of a damaged member may be wrong, so its bytes are searched for
 * members. The search stops for inputs crafted to make us unpack the same bytes
 * repeatedly.
 */
bool log_unpacker_is_misled(
	const struct log_unpacker *unpacker, uint64_t read_bytes);

/* The members of a stream, one after another, unpacked and checked. Bytes that
 * are not a whole, sound member are skipped and counted. */
struct log_input;

/* `file` is borrowed; `head` are bytes already taken from it, copied. Losses
 * are counted in `losses`, by kind, borrowed. NULL if out of memory. */
struct log_input *log_input_new(
	FILE *file, const void *head, size_t size, uint64_t *losses);
void log_input_free(struct log_input *input);

/*
 * The next sound block; CTP_END after the last.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM. Damage is not an error.
 * Ownership: the bytes are borrowed until the next call.
 */
enum ctp_status log_input_next(
	struct log_input *input, struct cursor *block, struct ctp_error *err);

/* A member that is not unpacked yet. */
struct log_packed {
	uint8_t *bytes;
	size_t size;
	size_t room;
	uint64_t position; /* in the input */
};

/* Members that are taken are at most so large, packed and unpacked. */
#define LOG_TAKEN_MAX ((size_t)1 << 20)

/*
 * Takes the next member without unpacking it. False, with nothing taken, if no
 * such member is next, or at an error: log_input_next() then has the reason.
 * Initialize `packed` with zeros, and free its bytes with memory_free().
 */
bool log_input_take(struct log_input *input, struct log_packed *packed);

/* Goes back to a member taken before; false if that is impossible. */
bool log_input_go_back(struct log_input *input, uint64_t position);

/* With `follow` the file still grows: CTP_END means its current end, and an
 * incomplete member is kept for the next call. */
void log_input_follow(struct log_input *input, bool follow);

/* Moves the losses of an input to the trace. */
void log_input_move_losses(uint64_t *losses, struct trace *trace);

/* Bytes of the file used so far. */
uint64_t log_input_position(const struct log_input *input);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Blocks of the log other than events (log_column.h) and activities
 * (log_activities.h), and their rows: for the recorder's packer, cupti,
 * formats/log, symbolize and log_read. Source: FORMAT.md.
 */
#ifndef LOG_BLOCK_H
#define LOG_BLOCK_H

#include "base/cursor.h"
#include "log/log_write.h"
#include "log/msgpack_out.h"

/* Begins a block of this many elements in an emptied buffer. */
static inline msgpack_packer log_block_begin(
	struct buffer *bytes, enum log_block kind, size_t elements)
{
	msgpack_packer out = msgpack_out(bytes);

	bytes->used = 0;
	(void)msgpack_pack_array(&out, elements);
	(void)msgpack_pack_int(&out, (int)kind);
	return out;
}

/* The same for numbered rows, [kind, first, [row, …]]. */
static inline msgpack_packer log_block_begin_rows(
	struct buffer *bytes, enum log_block kind, uint64_t first, size_t count)
{
	msgpack_packer out = log_block_begin(bytes, kind, 3);

	(void)msgpack_pack_uint64(&out, first);
	(void)msgpack_pack_array(&out, count);
	return out;
}

/* Errors: CTP_ERR_NOMEM if the buffer failed; those of log_writer_add(). */
enum ctp_status log_block_write(struct log_writer *writer, enum log_block kind,
	const struct buffer *bytes, struct ctp_error *err);

struct log_text {
	const char *bytes;
	size_t size;
};

#define LOG_SITE_ELEMENTS 3
#define LOG_SITE_FUNCTION_ELEMENTS 6 /* for a site known by address */
#define LOG_SITE_INFO_ELEMENTS 8     /* for a site with more information */

/* A site. Texts are borrowed. */
struct log_site_row {
	struct log_text name;
	struct log_text file;
	uint32_t line;
	bool is_function; /* known by address: has the following members */
	uint32_t module;
	uint64_t offset;
	struct log_text mangled;
	struct log_text full_name; /* empty: same as the name, or unknown */
	struct log_text category;
	uint32_t call_line;
	uint32_t elements;  /* including unknown ones */
	struct cursor rest; /* these, packed */
};

void log_block_add_site(msgpack_packer *out, const struct log_site_row *row);

#define LOG_TRACK_ELEMENTS 5         /* of a thread */
#define LOG_TRACK_DEVICE_ELEMENTS 7  /* with a device */
#define LOG_TRACK_PROCESS_ELEMENTS 9 /* with a process of its own */
#define LOG_TRACK_SORT_ELEMENTS 11
#define LOG_TRACK_END_ELEMENTS 12

/* A track, by its number. Texts are borrowed. */
struct log_track_row {
	uint32_t number;
	uint32_t kind;
	int64_t tid; /* or number of the stream */
	struct log_text name;
	uint32_t device;
	uint32_t context;
	bool has_process; /* it differs from the recording's */
	int64_t pid;
	struct log_text process;
	bool has_sort;
	bool has_process_sort;
	bool has_end;
	int64_t sort;
	int64_t process_sort;
	int64_t end_ns;
};

/* Replaces `bytes` by a track's block with the first `elements`. */
void log_block_set_track(
	struct buffer *bytes, const struct log_track_row *row, size_t elements);

/* One instant on two clocks. */
struct log_device_sync {
	int64_t log_ns;
	int64_t device_ns;
};

/* Replaces `bytes` by a block of these. */
void log_block_set_device_syncs(struct buffer *bytes,
	const struct log_device_sync *syncs, uint32_t count);

#endif

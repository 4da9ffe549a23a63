/* SPDX-License-Identifier: MIT */
#include "log/log_column.h"

#include <endian.h>

#include "base/memory.h"
#include "log/msgpack_out.h"
#include "log/repeats.h"
#include "log/unpack.h"

void log_column_clear(struct log_column *column)
{
	buffer_clear(&column->extras);
	buffer_clear(&column->bytes);
	memory_free(column->local);
}

/* An integer below 2^16, as log_column_put() takes it; never 0. */
static uint32_t pack(uint32_t value)
{
	uint8_t bytes[sizeof(uint32_t)] = {0};
	uint32_t word;

	bytes[3] = (uint8_t)(msgpack_out_short(bytes, value) - bytes);
	memcpy(&word, bytes, sizeof(word));
	return le32toh(word);
}

/* Makes room for the times and their table. */
static bool prepare(struct log_column *column)
{
	if (column->bytes.room > 0)
		return true;
	for (uint32_t i = 0; i < LOG_COLUMN_SHORT; i++)
		column->short_times[i] = pack(i);
	return buffer_reserve(&column->bytes,
		LOG_COLUMN_HEAD_MAX + LOG_COLUMN_MAX * MSGPACK_OUT_INT_MAX);
}

void log_column_begin(struct log_column *column, uint32_t track,
	const uint32_t *open, uint32_t depth)
{
	column->track = track;
	column->count = 0;
	column->open_known = depth <= LOG_OPEN_MAX;
	column->open_count = column->open_known ? depth : 0;
	if (column->open_count > 0)
		memcpy(column->open, open,
			column->open_count * sizeof(column->open[0]));
	for (uint32_t i = 0; i < column->site_count; i++)
		column->local[column->list[i]] = 0;
	column->site_count = 0;
	column->bytes.used = 0;
	column->failed = !prepare(column);
	column->times_end = column->bytes.bytes + LOG_COLUMN_HEAD_MAX;
	column->ids_end = column->ids;
}

uint32_t log_column_new_id(struct log_column *column, uint32_t id)
{
	uint32_t packed = pack(LOG_ID_END);

	if (!array_ensure_index(&column->local, id, &column->room,
		    sizeof(*column->local))) {
		column->failed = true;
		return 0;
	}
	if (id != LOG_COLUMN_END) {
		packed = pack(column->site_count + LOG_ID_SITES);
		column->list[column->site_count++] = id;
	}
	column->local[id] = packed;
	return packed;
}

static void add_numbers(
	struct buffer *bytes, const uint32_t *numbers, uint32_t count)
{
	msgpack_packer packer = msgpack_out(bytes);
	uint8_t *at;

	(void)msgpack_pack_array(&packer, count);
	if (!buffer_reserve(bytes, (size_t)count * MSGPACK_OUT_INT_MAX))
		return;
	at = bytes->bytes + bytes->used;
	for (uint32_t i = 0; i < count; i++)
		at = msgpack_out_int(at, numbers[i]);
	bytes->used = (size_t)(at - bytes->bytes);
}

/* Packs the elements before the times right before these. Returns the first
 * byte's position. */
static size_t add_head(struct log_column *column)
{
	uint8_t bytes[LOG_COLUMN_HEAD_MAX];
	struct buffer head = {.bytes = bytes, .room = sizeof(bytes)};
	msgpack_packer packer = msgpack_out(&head);
	size_t first;

	(void)msgpack_pack_array(&packer, 9);
	(void)msgpack_pack_int(&packer, LOG_EVENTS);
	(void)msgpack_pack_uint32(&packer, column->track);
	(void)msgpack_pack_uint64(&packer, column->seq);
	(void)msgpack_pack_int64(&packer, column->first_ns);
	(void)msgpack_pack_array(&packer, column->count);
	first = LOG_COLUMN_HEAD_MAX - head.used;
	memcpy(column->bytes.bytes + first, bytes, head.used);
	return first;
}

/* The parts of a block of this size whose times end at one offset, and whose ids
 * end at another one. */
static void set_parts(struct deflate_part parts[LOG_COLUMN_PARTS],
	const uint8_t *block, const size_t ends[LOG_COLUMN_PARTS])
{
	parts[0] = (struct deflate_part){block, ends[0], DEFLATE_LITERALS};
	parts[1] = (struct deflate_part){block + ends[0], ends[1] - ends[0],
		repeats_expected(block + ends[0], ends[1] - ends[0])
			? DEFLATE_REPEATS
			: DEFLATE_LITERALS};
	parts[2] = (struct deflate_part){
		block + ends[1], ends[2] - ends[1], DEFLATE_ANY};
}

enum ctp_status log_column_write(struct log_column *column,
	struct log_writer *writer, struct ctp_error *err)
{
	struct deflate_part parts[LOG_COLUMN_PARTS];
	size_t ends[LOG_COLUMN_PARTS];
	struct buffer *bytes = &column->bytes;
	msgpack_packer packer = msgpack_out(bytes);
	size_t first;

	if (column->failed)
		return ctp_no_memory(err);
	if (column->count == 0)
		return CTP_OK;
	first = add_head(column);
	bytes->used = (size_t)(column->times_end - bytes->bytes);
	ends[0] = bytes->used - first;
	if (column->open_known)
		add_numbers(bytes, column->open, column->open_count);
	else
		(void)msgpack_pack_nil(&packer);
	add_numbers(bytes, column->list, column->site_count);
	(void)msgpack_pack_array(&packer, column->count);
	buffer_add(bytes, column->ids, (size_t)(column->ids_end - column->ids));
	ends[1] = bytes->used - first;
	(void)msgpack_pack_array(&packer, column->extra_count);
	buffer_add(bytes, column->extras.bytes, column->extras.used);
	if (bytes->failed || column->extras.failed)
		return ctp_no_memory(err);
	ends[2] = bytes->used - first;
	if (!log_writer_compresses(writer)) {
		parts[0] = (struct deflate_part){
			bytes->bytes + first, ends[2], DEFLATE_ANY};
		return log_writer_add(writer, LOG_EVENTS, parts, 1, err);
	}
	set_parts(parts, bytes->bytes + first, ends);
	return log_writer_add(writer, LOG_EVENTS, parts, LOG_COLUMN_PARTS, err);
}

void log_column_parts(
	struct cursor block, struct deflate_part parts[LOG_COLUMN_PARTS])
{
	const struct cursor whole = block;
	size_t ends[LOG_COLUMN_PARTS] = {0, 0, block.left};
	uint32_t elements;
	uint32_t kind = LOG_BLOCK_KINDS;
	bool valid = unpack_array(&block, &elements) &&
		     unpack_u32(&block, UINT32_MAX, &kind);

	/* Track, number, base and times; open, sites, ids. */
	if (valid && kind == LOG_EVENTS && unpack_skip_values(&block, 4)) {
		ends[0] = whole.left - block.left;
		ends[1] = unpack_skip_values(&block, 3)
				  ? whole.left - block.left
				  : ends[0];
	} else if (valid && kind == LOG_ACTIVITIES &&
		   unpack_skip_values(&block, 3)) {
		ends[0] = whole.left - block.left; /* base and two columns */
		ends[1] = ends[0];
	}
	set_parts(parts, whole.at, ends);
}

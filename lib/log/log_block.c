/* SPDX-License-Identifier: MIT */
#include "log/log_block.h"

enum ctp_status log_block_write(struct log_writer *writer, enum log_block kind,
	const struct buffer *bytes, struct ctp_error *err)
{
	if (bytes->failed)
		return ctp_no_memory(err);
	return log_writer_add(writer, kind,
		&(struct deflate_part){bytes->bytes, bytes->used, DEFLATE_ANY},
		1, err);
}

static void add_text(msgpack_packer *out, struct log_text text)
{
	msgpack_out_text(out, text.size == 0 ? "" : text.bytes, text.size);
}

void log_block_add_site(msgpack_packer *out, const struct log_site_row *row)
{
	(void)msgpack_pack_array(out, row->elements);
	add_text(out, row->name);
	add_text(out, row->file);
	(void)msgpack_pack_uint32(out, row->line);
	if (row->elements < LOG_SITE_FUNCTION_ELEMENTS)
		return;
	(void)msgpack_pack_uint32(out, row->module);
	(void)msgpack_pack_uint64(out, row->offset);
	add_text(out, row->is_function ? row->mangled : row->full_name);
	if (row->elements < LOG_SITE_INFO_ELEMENTS)
		return;
	add_text(out, row->category);
	(void)msgpack_pack_uint32(out, row->call_line);
}

static void add_optional(msgpack_packer *out, bool is_there, int64_t number)
{
	if (is_there)
		(void)msgpack_pack_int64(out, number);
	else
		(void)msgpack_pack_nil(out);
}

void log_block_set_track(
	struct buffer *bytes, const struct log_track_row *row, size_t elements)
{
	msgpack_packer out = log_block_begin(bytes, LOG_TRACK, elements);

	(void)msgpack_pack_uint32(&out, row->number);
	(void)msgpack_pack_uint32(&out, row->kind);
	(void)msgpack_pack_int64(&out, row->tid);
	add_text(&out, row->name);
	if (elements < LOG_TRACK_DEVICE_ELEMENTS)
		return;
	(void)msgpack_pack_uint32(&out, row->device);
	(void)msgpack_pack_uint32(&out, row->context);
	if (elements < LOG_TRACK_PROCESS_ELEMENTS)
		return;
	(void)msgpack_pack_int64(&out, row->pid);
	add_text(&out, row->process);
	if (elements < LOG_TRACK_SORT_ELEMENTS)
		return;
	add_optional(&out, row->has_sort, row->sort);
	add_optional(&out, row->has_process_sort, row->process_sort);
	if (elements >= LOG_TRACK_END_ELEMENTS)
		add_optional(&out, row->has_end, row->end_ns);
}

void log_block_set_device_syncs(struct buffer *bytes,
	const struct log_device_sync *syncs, uint32_t count)
{
	msgpack_packer out = log_block_begin(bytes, LOG_DEVICE_SYNC, 2);

	(void)msgpack_pack_array(&out, count);
	for (uint32_t i = 0; i < count; i++) {
		(void)msgpack_pack_array(&out, 2);
		(void)msgpack_pack_int64(&out, syncs[i].log_ns);
		(void)msgpack_pack_int64(&out, syncs[i].device_ns);
	}
}

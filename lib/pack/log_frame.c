/* SPDX-License-Identifier: MIT */
#include "pack/log_frame.h"

#include <string.h>

#include "log/log_block.h"
#include "pack/options.h"

static void add_command(msgpack_packer *out, const struct spool_facts *facts)
{
	const char *at = facts->command;
	size_t left = facts->command_bytes < sizeof(facts->command)
			      ? facts->command_bytes
			      : sizeof(facts->command);
	size_t count = 0;

	for (size_t i = 0; i < left; i++)
		count += at[i] == '\0';
	(void)msgpack_pack_array(out, count);
	for (; count > 0; count--) {
		size_t size = strlen(at);

		msgpack_out_text(out, at, size);
		at += size + 1;
	}
}

/* Ticks per second, from the fixed-point nanoseconds per tick. */
static uint64_t hertz(const struct clock_scale *scale)
{
	uint64_t per_tick = scale->ns_per_tick;

	/* 1e9 × 2^32 fits 62 bits. */
	return per_tick == 0 ? 0
			     : ((UINT64_C(1000000000) << 32) + per_tick / 2) /
				       per_tick;
}

/* Writes the block and frees it. */
static enum ctp_status write_block(struct log_writer *writer,
	enum log_block kind, struct buffer *bytes, struct ctp_error *err)
{
	enum ctp_status status = log_block_write(writer, kind, bytes, err);

	buffer_clear(bytes);
	return status;
}

enum ctp_status log_frame_header(struct log_writer *writer,
	const struct spool_header *spool, const char *spool_path,
	struct ctp_error *err)
{
	const struct spool_facts *facts = &spool->facts;
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = log_block_begin(&bytes, LOG_HEADER, 2);
	static const char *const clocks[SPOOL_CLOCKS] = {
		"monotonic_raw", "tsc", "events"};

	(void)msgpack_pack_map(&out, (size_t)14 + (spool->range_ps != 0));
	msgpack_out_pair(&out, "format", LOG_FORMAT_NAME);
	msgpack_out_pair_uint(&out, "version", LOG_VERSION);
	msgpack_out_pair_uint(&out, "reader", LOG_READER);
	msgpack_out_pair(&out, "tool", PACKAGE_STRING);
	msgpack_out_pair(&out, "host", facts->host);
	msgpack_out_pair_uint(&out, "pid", facts->pid);
	msgpack_out_pair_uint(&out, "parent", facts->parent);
	msgpack_out_key(&out, "command");
	add_command(&out, facts);
	msgpack_out_pair_int(&out, "realtime", spool->start.realtime_ns);
	msgpack_out_pair(&out, "clock", clocks[spool->clock]);
	msgpack_out_pair_uint(&out, "clock_hz", hertz(&spool->scale));
	msgpack_out_pair(&out, "policy",
		options_policy_name((enum ctp_policy)facts->policy));
	msgpack_out_pair_uint(&out, "min_ns", facts->min_ns);
	msgpack_out_pair(&out, "spool", spool_path);
	if (spool->range_ps != 0)
		msgpack_out_pair_uint(&out, "range_ps", spool->range_ps);
	return write_block(writer, LOG_HEADER, &bytes, err);
}

enum ctp_status log_frame_sync(struct log_writer *writer,
	const struct clock_scale *scale, const struct clock_sync *sync,
	struct ctp_error *err)
{
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = log_block_begin(&bytes, LOG_SYNC, 2);

	(void)msgpack_pack_array(&out, 1);
	(void)msgpack_pack_array(&out, 3);
	(void)msgpack_pack_int64(&out, clock_ns(scale, sync->ticks));
	(void)msgpack_pack_int64(&out, sync->raw_ns);
	(void)msgpack_pack_int64(&out, sync->realtime_ns);
	return write_block(writer, LOG_SYNC, &bytes, err);
}

enum ctp_status log_frame_end(struct log_writer *writer,
	const struct log_frame_totals *totals, struct ctp_error *err)
{
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = log_block_begin(&bytes, LOG_END, 2);

	(void)msgpack_pack_map(&out, (size_t)5 + (totals->unrecorded != 0) +
					     totals->recovered +
					     (totals->stopped != NULL));
	msgpack_out_pair_int(&out, "log", totals->log_ns);
	msgpack_out_pair_uint(&out, "events", totals->events);
	msgpack_out_pair_uint(&out, "blocks", log_writer_blocks(writer));
	msgpack_out_pair_uint(&out, "stalls", totals->stalls);
	msgpack_out_pair_uint(&out, "stall_ns", totals->stall_ns);
	if (totals->unrecorded != 0)
		msgpack_out_pair_uint(&out, "unrecorded", totals->unrecorded);
	if (totals->recovered)
		msgpack_out_pair_uint(&out, "recovered", 1);
	if (totals->stopped != NULL)
		msgpack_out_pair(&out, "stopped", totals->stopped);
	return write_block(writer, LOG_END, &bytes, err);
}

/* SPDX-License-Identifier: MIT */
#include "log_frame.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "msgpack_out.h"
#include "options.h"

/* More of the command line is not kept. */
#define COMMAND_MAX ((size_t)32 * 1024)

/* The process's arguments, each with a zero byte after it. */
static void read_command(struct buffer *text)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got = 1;

	if (fd < 0)
		return;
	while (got > 0 && text->used < COMMAND_MAX &&
		buffer_reserve(text, COMMAND_MAX - text->used)) {
		got = read(
			fd, text->bytes + text->used, COMMAND_MAX - text->used);
		if (got > 0)
			text->used += (size_t)got;
	}
	(void)close(fd);
	if (text->used > 0 && text->bytes[text->used - 1] != '\0')
		buffer_add_byte(text, '\0');
}

static void add_command(msgpack_packer *out)
{
	struct buffer text = BUFFER_INIT;
	size_t count = 0;
	const char *at;

	read_command(&text);
	for (size_t i = 0; i < text.used; i++)
		count += text.bytes[i] == '\0';
	(void)msgpack_pack_array(out, count);
	at = (const char *)text.bytes;
	for (; count > 0; count--) {
		size_t size = strlen(at);

		msgpack_out_text(out, at, size);
		at += size + 1;
	}
	buffer_clear(&text);
}

static void add_text(msgpack_packer *out, const char *key, const char *value)
{
	msgpack_out_key(out, key);
	msgpack_out_text(out, value, strlen(value));
}

static void add_number(msgpack_packer *out, const char *key, uint64_t value)
{
	msgpack_out_key(out, key);
	(void)msgpack_pack_uint64(out, value);
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
	enum ctp_status status;

	if (bytes->failed)
		status = ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	else
		status = log_writer_add(writer, kind,
			&(struct deflate_part){
				bytes->bytes, bytes->used, false},
			1, err);
	buffer_clear(bytes);
	return status;
}

enum ctp_status log_frame_header(struct log_writer *writer,
	const struct session_options *options, const struct clock_sync *start,
	const struct clock_scale *scale, const char *spool_path,
	struct ctp_error *err)
{
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = msgpack_out(&bytes);
	char host[256] = "";
	bool tsc = scale->ns_per_tick != UINT64_C(1) << 32;

	(void)gethostname(host, sizeof(host) - 1);
	(void)msgpack_pack_array(&out, 2);
	(void)msgpack_pack_int(&out, LOG_HEADER);
	(void)msgpack_pack_map(&out, 13);
	add_text(&out, "format", LOG_FORMAT_NAME);
	add_number(&out, "version", LOG_VERSION);
	add_number(&out, "reader", LOG_READER);
	add_text(&out, "tool", PACKAGE_STRING);
	add_text(&out, "host", host);
	add_number(&out, "pid", (uint64_t)getpid());
	msgpack_out_key(&out, "command");
	add_command(&out);
	msgpack_out_key(&out, "realtime");
	(void)msgpack_pack_int64(&out, start->realtime_ns);
	add_text(&out, "clock", tsc ? "tsc" : "monotonic_raw");
	add_number(&out, "clock_hz", hertz(scale));
	add_text(&out, "policy", options_policy_name(options->policy));
	add_number(&out, "min_ns", options->min_ns);
	add_text(&out, "spool", spool_path);
	return write_block(writer, LOG_HEADER, &bytes, err);
}

enum ctp_status log_frame_sync(struct log_writer *writer,
	const struct clock_scale *scale, const struct clock_sync *sync,
	struct ctp_error *err)
{
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = msgpack_out(&bytes);

	(void)msgpack_pack_array(&out, 2);
	(void)msgpack_pack_int(&out, LOG_SYNC);
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
	msgpack_packer out = msgpack_out(&bytes);

	(void)msgpack_pack_array(&out, 2);
	(void)msgpack_pack_int(&out, LOG_END);
	(void)msgpack_pack_map(&out, 5);
	msgpack_out_key(&out, "log");
	(void)msgpack_pack_int64(&out, totals->log_ns);
	add_number(&out, "events", totals->events);
	add_number(&out, "blocks", log_writer_blocks(writer));
	add_number(&out, "stalls", totals->stalls);
	add_number(&out, "stall_ns", totals->stall_ns);
	return write_block(writer, LOG_END, &bytes, err);
}

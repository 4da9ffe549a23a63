/* SPDX-License-Identifier: MIT */
#include "pack_device.h"

#include "msgpack_out.h"

static uint64_t at_most_int(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : value;
}

static void add_activity(struct pack_device *device, struct chunk_head head,
	const uint64_t *record)
{
	struct device_activity row = {
		.start_ns = (int64_t)record[1],
		.dur_ns = at_most_int(record[2]),
		.track = (uint32_t)(record[3] >> 32),
		.description = (uint32_t)record[3],
		.correlation = (uint32_t)record[4],
	};

	if (head.words >= 6) {
		row.bytes = at_most_int(record[5]);
		row.node = record[6];
	}
	if (row.track < LOG_TRACKS_MAX &&
		row.description < LOG_DESCRIPTIONS_MAX)
		device->rows[device->count++] = row;
}

void pack_device_add(struct pack_device *device,
	const struct clock_scale *scale, struct chunk_head head,
	const uint64_t *record)
{
	if (head.kind == CHUNK_ACTIVITY)
		add_activity(device, head, record);
	else
		device->syncs[device->sync_count++] = (struct pack_device_sync){
			clock_ns(scale, record[1]), (int64_t)record[2]};
}

enum ctp_status pack_device_write_syncs(const struct pack_device *device,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(bytes);

	if (device->sync_count == 0)
		return CTP_OK;
	bytes->used = 0;
	(void)msgpack_pack_array(&out, 2);
	(void)msgpack_pack_int(&out, LOG_DEVICE_SYNC);
	(void)msgpack_pack_array(&out, device->sync_count);
	for (uint32_t i = 0; i < device->sync_count; i++) {
		(void)msgpack_pack_array(&out, 2);
		(void)msgpack_pack_int64(&out, device->syncs[i].log_ns);
		(void)msgpack_pack_int64(&out, device->syncs[i].device_ns);
	}
	if (bytes->failed)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	return log_writer_add(writer, LOG_DEVICE_SYNC,
		&(struct deflate_part){bytes->bytes, bytes->used, false}, 1,
		err);
}

enum column {
	STARTS,
	DURATIONS,
	TRACKS,
	DESCRIPTIONS,
	CORRELATIONS,
	BYTES,
	NODES
};

static uint64_t value_of(const struct device_activity *row, enum column column)
{
	switch (column) {
	case STARTS:
		return (uint64_t)row->start_ns;
	case DURATIONS:
		return row->dur_ns;
	case TRACKS:
		return row->track;
	case DESCRIPTIONS:
		return row->description;
	case CORRELATIONS:
		return row->correlation;
	case BYTES:
		return row->bytes;
	case NODES:
		return row->node;
	}
	return 0;
}

/* Are the values of this column differences to the one before? */
static bool is_delta(enum column column)
{
	return column == STARTS || column == CORRELATIONS || column == NODES;
}

/* Adds a column, whose differences count from `base`. */
static void add_column(struct buffer *bytes, const struct pack_device *device,
	enum column column, uint64_t base)
{
	msgpack_packer out = msgpack_out(bytes);
	bool delta = is_delta(column);
	uint64_t last = base;
	uint8_t *at;

	(void)msgpack_pack_array(&out, device->count);
	if (!buffer_reserve(bytes, (size_t)device->count * MSGPACK_OUT_INT_MAX))
		return;
	at = bytes->bytes + bytes->used;
	for (uint32_t i = 0; i < device->count; i++) {
		uint64_t value = value_of(&device->rows[i], column);

		/* Modulo 2^64, as the reader adds it up. */
		at = msgpack_out_int(
			at, (int64_t)(delta ? value - last : value));
		last = value;
	}
	bytes->used = (size_t)(at - bytes->bytes);
}

/* The same of a column that is left out where it has nothing but zeros. */
static void add_optional(struct buffer *bytes, const struct pack_device *device,
	enum column column)
{
	msgpack_packer out = msgpack_out(bytes);

	for (uint32_t i = 0; i < device->count; i++) {
		if (value_of(&device->rows[i], column) == 0)
			continue;
		add_column(bytes, device, column, 0);
		return;
	}
	(void)msgpack_pack_array(&out, 0);
}

enum ctp_status pack_device_write(const struct pack_device *device,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(bytes);
	uint64_t base = (uint64_t)device->rows[0].start_ns;
	size_t times;

	if (device->count == 0)
		return CTP_OK;
	bytes->used = 0;
	(void)msgpack_pack_array(&out, 9);
	(void)msgpack_pack_int(&out, LOG_ACTIVITIES);
	(void)msgpack_pack_int64(&out, (int64_t)base);
	add_column(bytes, device, STARTS, base);
	add_column(bytes, device, DURATIONS, 0);
	times = bytes->used;
	add_column(bytes, device, TRACKS, 0);
	add_column(bytes, device, DESCRIPTIONS, 0);
	add_column(bytes, device, CORRELATIONS, 0);
	add_optional(bytes, device, BYTES);
	add_optional(bytes, device, NODES);
	if (bytes->failed)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	return log_writer_add(writer, LOG_ACTIVITIES,
		(struct deflate_part[]){{bytes->bytes, times, true},
			{bytes->bytes + times, bytes->used - times, false}},
		2, err);
}

/* SPDX-License-Identifier: MIT */
#include "pack/pack_device.h"

#include "log/msgpack_out.h"

static uint64_t at_most_int(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : value;
}

static void add_activity(struct pack_device *device, struct chunk_head head,
	const uint64_t *record)
{
	struct log_activity_row row = {
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
		device->activities.rows[device->activities.count++] = row;
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

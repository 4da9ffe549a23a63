/* SPDX-License-Identifier: MIT */
#include "log/log_activities.h"

#include <string.h>

void log_activities_reset(struct log_activities *activities)
{
	activities->count = 0;
	activities->last = (struct log_activity_row){0};
	activities->all_bytes = 0;
	activities->all_nodes = 0;
	activities->has_args = false;
	activities->args.used = 0;
	memset(activities->sizes, 0, sizeof(activities->sizes));
}

static inline void put(struct log_activities *activities,
	enum log_activity_column column, uint64_t value)
{
	uint8_t *bytes = activities->columns[column];
	uint32_t *size = &activities->sizes[column];

	*size = (uint32_t)(msgpack_out_int(bytes + *size, (int64_t)value) -
			   bytes);
}

/* Differences are modulo 2^64, like the reader's sum. */
void log_activities_add(
	struct log_activities *activities, const struct log_activity_row *row)
{
	struct log_activity_row *last = &activities->last;

	if (activities->count++ == 0) {
		activities->base_ns = row->start_ns;
		last->start_ns = row->start_ns;
	}
	put(activities, LOG_ACTIVITY_STARTS,
		(uint64_t)row->start_ns - (uint64_t)last->start_ns);
	put(activities, LOG_ACTIVITY_DURATIONS, row->dur_ns);
	put(activities, LOG_ACTIVITY_TRACKS, row->track);
	put(activities, LOG_ACTIVITY_DESCRIPTIONS, row->description);
	put(activities, LOG_ACTIVITY_CORRELATIONS,
		row->correlation - last->correlation);
	put(activities, LOG_ACTIVITY_BYTES, row->bytes);
	put(activities, LOG_ACTIVITY_NODES, row->node - last->node);
	activities->all_bytes |= row->bytes;
	activities->all_nodes |= row->node;
	*last = *row;
}

static void add_column(struct buffer *bytes,
	const struct log_activities *activities,
	enum log_activity_column column)
{
	msgpack_packer out = msgpack_out(bytes);

	(void)msgpack_pack_array(&out, activities->count);
	buffer_add(
		bytes, activities->columns[column], activities->sizes[column]);
}

/* A column is left empty if all its values are 0. */
static void add_optional(struct buffer *bytes,
	const struct log_activities *activities,
	enum log_activity_column column, bool is_there)
{
	msgpack_packer out = msgpack_out(bytes);

	if (is_there)
		add_column(bytes, activities, column);
	else
		(void)msgpack_pack_array(&out, 0);
}

enum ctp_status log_activities_write(const struct log_activities *activities,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(bytes);
	size_t times;

	if (activities->count == 0)
		return CTP_OK;
	bytes->used = 0;
	(void)msgpack_pack_array(&out, activities->has_args ? 10 : 9);
	(void)msgpack_pack_int(&out, LOG_ACTIVITIES);
	(void)msgpack_pack_int64(&out, activities->base_ns);
	add_column(bytes, activities, LOG_ACTIVITY_STARTS);
	add_column(bytes, activities, LOG_ACTIVITY_DURATIONS);
	times = bytes->used;
	add_column(bytes, activities, LOG_ACTIVITY_TRACKS);
	add_column(bytes, activities, LOG_ACTIVITY_DESCRIPTIONS);
	add_column(bytes, activities, LOG_ACTIVITY_CORRELATIONS);
	add_optional(bytes, activities, LOG_ACTIVITY_BYTES,
		activities->all_bytes != 0);
	add_optional(bytes, activities, LOG_ACTIVITY_NODES,
		activities->all_nodes != 0);
	if (activities->has_args) {
		(void)msgpack_pack_array(&out, activities->count);
		buffer_add(
			bytes, activities->args.bytes, activities->args.used);
	}
	if (bytes->failed || activities->args.failed)
		return ctp_no_memory(err);
	return log_writer_add(writer, LOG_ACTIVITIES,
		(struct deflate_part[]){{bytes->bytes, times, DEFLATE_LITERALS},
			{bytes->bytes + times, bytes->used - times,
				DEFLATE_ANY}},
		2, err);
}

/* SPDX-License-Identifier: MIT */
#include "log/log_out.h"

#include <string.h>

#include "log/log_out_private.h"
#include "base/memory.h"

/* What waits of all tracks, at most; then all of it is written. */
#define HELD_MAX ((size_t)24 * 1024 * 1024)

/* What waits is larger than what it becomes by about this factor: 2.5 bytes
 * for one of 16, and arguments that repeat. */
#define HELD_PER_BYTE 6

struct log_out *log_out_new(struct log_writer *writer, struct trace *trace)
{
	struct log_out *out = memory_new_zeroed(1, sizeof(*out));

	if (out == NULL)
		return NULL;
	out->writer = writer;
	out->trace = trace;
	out->descriptions = strtab_new();
	out->node_key =
		strtab_add(trace->text, LOG_NODE_KEY, strlen(LOG_NODE_KEY));
	if (out->descriptions == NULL || out->node_key == STRTAB_NONE) {
		log_out_free(out);
		return NULL;
	}
	return out;
}

static void track_free(struct log_out_track *track)
{
	if (track == NULL)
		return;
	memory_free(track->events);
	memory_free(track->open);
	buffer_clear(&track->extras);
	memory_free(track);
}

void log_out_free(struct log_out *out)
{
	if (out == NULL)
		return;
	for (uint32_t i = 0; i < out->track_room; i++)
		track_free(out->tracks[i]);
	memory_free(out->tracks);
	/* A column's rows are its track's. */
	log_column_sites_clear(&out->sites);
	buffer_clear(&out->activities.args);
	buffer_clear(&out->bytes);
	buffer_clear(&out->description);
	strtab_free(out->descriptions);
	memory_free(out);
}

enum ctp_status log_out_no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

enum ctp_status log_out_write(
	struct log_out *out, enum log_block kind, struct ctp_error *err)
{
	if (out->bytes.failed)
		return log_out_no_memory(err);
	return log_writer_add(out->writer, kind,
		&(struct deflate_part){
			out->bytes.bytes, out->bytes.used, false},
		1, err);
}

enum ctp_status log_out_add(
	struct log_out *out, const struct event *event, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (!out->begun)
		status = log_out_write_header(out, err);
	if (status != CTP_OK)
		return status;
	if (event->kind == EVENT_ACTIVITY)
		return log_out_activity(out, event, err);
	status = log_out_event(out, event, err);
	if (status == CTP_OK && out->held_bytes > HELD_MAX)
		status = log_out_write_tracks(out, err);
	return status;
}

uint64_t log_out_pending(const struct log_out *out)
{
	return out->held_bytes / HELD_PER_BYTE;
}

enum ctp_status log_out_finish(struct log_out *out, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (!out->begun)
		status = log_out_write_header(out, err);
	if (status == CTP_OK)
		status = log_out_write_activities(out, err);
	if (status == CTP_OK)
		status = log_out_write_tracks(out, err);
	return status == CTP_OK ? log_out_write_end(out, err) : status;
}

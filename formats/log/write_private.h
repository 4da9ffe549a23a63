/* SPDX-License-Identifier: MIT */
/* What the files that write events as a log share; nobody else includes it. */
#ifndef FORMATS_LOG_WRITE_PRIVATE_H
#define FORMATS_LOG_WRITE_PRIVATE_H

#include "log/log_activities.h"
#include "log/log_column.h"
#include "log/write.h"
#include "log/msgpack_out.h"

/* Longer text is cut. */
#define LOG_OUT_TEXT_MAX ((size_t)1024 * 1024)

/* The last keys of arguments, as they stand in a log. */
#define LOG_OUT_KEYS 128
#define LOG_OUT_KEY_BYTES 59

struct log_out_key {
	uint32_t number; /* strtab number */
	uint8_t size;    /* 0: none is here */
	uint8_t bytes[LOG_OUT_KEY_BYTES];
};

struct log_out_event {
	int64_t time_ns;
	uint32_t id; /* as in log_column.ids */
};

/* What waits of a track, and what is open on it before that. */
struct log_out_track {
	uint32_t number;        /* in the log, of its events; 0: no block yet */
	uint32_t device_number; /* likewise, of its activities */
	uint32_t name;          /* strtab numbers, as the log has them */
	uint32_t process_name;
	uint64_t blocks;
	struct log_out_event *events;
	uint32_t count;
	uint32_t room;
	struct buffer extras;
	uint32_t extra_count;
	uint32_t *open; /* log numbers of sites, outermost first */
	uint32_t depth;
	uint32_t open_room;
	/* Of those that have calls of a device's API waiting. */
	struct log_out_track *next_caller;
	bool is_caller;
};

struct log_out {
	struct log_writer *writer;
	struct trace *trace;
	bool begun;
	bool is_log_again; /* a log's facts are written */
	uint64_t event_count;
	struct log_out_track **tracks; /* by trace number; NULL: not met */
	uint32_t track_room;
	uint32_t track_count;  /* that the log has */
	uint32_t last_number;  /* given to one */
	uint32_t site_count;   /* that the log has */
	uint32_t device_count; /* likewise */
	uint32_t header_facts; /* that there were when it was written */
	bool has_sync;         /* a block of it */
	size_t held_bytes;     /* of all tracks */
	struct log_out_track *callers;
	struct buffer bytes; /* scratch */
	struct log_column column;
	struct log_column_sites sites;
	struct log_activities activities;
	/* Numbers are descriptions': a site, or with packed arguments. */
	struct strtab *descriptions;
	struct buffer description;  /* rows that wait */
	uint32_t description_count; /* of these */
	uint32_t args_tried; /* to find a description of the same arguments */
	uint32_t args_found;
	uint32_t node_key; /* strtab number */
	struct log_out_key keys[LOG_OUT_KEYS];
};

/* Writes what is in out->bytes as a block of this kind. */
enum ctp_status log_out_write(
	struct log_out *out, enum log_block kind, struct ctp_error *err);

/* Adds one of the trace's texts, at most LOG_OUT_TEXT_MAX of it. */
void log_out_string(
	struct log_out *out, msgpack_packer *packer, uint32_t number);

/* Adds an argument's value; false, adding nothing, where it has no room in a
 * log, which is counted. */
bool log_out_value(
	struct log_out *out, struct buffer *bytes, const struct event_arg *arg);

/* Adds arguments as a map. */
void log_out_args(struct log_out *out, struct buffer *bytes,
	const struct event_arg *args, uint32_t count);

/* The entry of the event's track; NULL if out of memory. */
struct log_out_track *log_out_track(struct log_out *out, uint32_t number);

/* Writes what waits of a track as a block. */
enum ctp_status log_out_write_track(struct log_out *out,
	struct log_out_track *track, struct ctp_error *err);

/* The same of all tracks, and gives their memory back. */
enum ctp_status log_out_write_tracks(
	struct log_out *out, struct ctp_error *err);

/* Adds an event that is no activity to what waits. */
enum ctp_status log_out_event(
	struct log_out *out, const struct event *event, struct ctp_error *err);

/* Adds an EVENT_ACTIVITY; writes those that wait. */
enum ctp_status log_out_activity(
	struct log_out *out, const struct event *event, struct ctp_error *err);
enum ctp_status log_out_write_activities(
	struct log_out *out, struct ctp_error *err);

/* Gives a track its number in the log, for its events or its activities, if
 * it has none. */
enum ctp_status log_out_number(struct log_out *out, uint32_t track,
	bool activities, struct ctp_error *err);

/* Begins the log; writes what it does not have yet of the trace's tables. */
enum ctp_status log_out_write_header(
	struct log_out *out, struct ctp_error *err);
enum ctp_status log_out_write_tables(
	struct log_out *out, struct ctp_error *err);

/* What comes last. */
enum ctp_status log_out_write_end(struct log_out *out, struct ctp_error *err);

#endif

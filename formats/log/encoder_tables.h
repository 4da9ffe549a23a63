/* SPDX-License-Identifier: MIT */
/* The blocks of an encoder around its events: header, sites, tracks, devices,
 * facts, losses and the end. */
#ifndef LOG_ENCODER_TABLES_H
#define LOG_ENCODER_TABLES_H

#include "log/log_activities.h"
#include "log/log_column.h"
#include "log/log_block.h"
#include "trace/event.h"

/* The state of an encoder, and the elements of its blocks: texts, values and
 * arguments. */

/* Longer text is cut. */
#define LOG_ENCODER_TEXT_MAX ((size_t)1024 * 1024)

/* The latest keys of arguments, encoded. */
#define LOG_ENCODER_KEYS 128
#define LOG_ENCODER_KEY_BYTES 59

struct log_encoder_key {
	uint32_t number; /* strtab number */
	uint8_t size;    /* 0: empty */
	uint8_t bytes[LOG_ENCODER_KEY_BYTES];
};

struct log_encoder_event {
	int64_t time_ns;
	uint32_t id; /* as log_column_add() takes it */
};

/* A track's pending events, and the ranges open before them. */
struct log_encoder_track {
	uint32_t number;        /* in the log, for its events; 0: no block
				 * yet */
	uint32_t device_number; /* likewise, for its activities */
	uint32_t name;          /* strtab numbers, as last written */
	uint32_t process_name;
	uint64_t blocks;
	struct log_encoder_event *events;
	uint32_t count;
	uint32_t room;
	struct buffer extras;
	uint32_t extra_count;
	uint32_t *open; /* log numbers of sites, outermost first */
	uint32_t depth;
	uint32_t open_room;
	/* List of the tracks with pending device API calls. */
	struct log_encoder_track *next_caller;
	bool is_caller;
};

struct log_encoder {
	struct log_writer *writer;
	struct trace *trace;
	bool begun;
	bool is_log_again; /* the facts come from a log */
	uint64_t event_count;
	/* By trace number; NULL: no event yet. */
	struct log_encoder_track **tracks;
	uint32_t track_room;
	uint32_t track_count;  /* written */
	uint32_t last_number;  /* given to one */
	uint32_t site_count;   /* written */
	uint32_t device_count; /* likewise */
	uint32_t header_facts; /* number of facts when it was written */
	bool has_sync;         /* its block is written */
	size_t held_bytes;     /* of all tracks */
	struct log_encoder_track *callers;
	struct buffer bytes; /* scratch */
	struct log_column column;
	struct log_activities activities;
	/* Numbered descriptions: a site, perhaps with packed arguments. */
	struct strtab *descriptions;
	struct buffer description;  /* pending rows */
	uint32_t description_count; /* of these */
	/* Attempts to find a description with these arguments. */
	uint32_t args_tried;
	uint32_t args_found;
	uint32_t node_key; /* strtab number */
	struct log_encoder_key keys[LOG_ENCODER_KEYS];
};

/* The entry of the event's track; NULL if out of memory. */
struct log_encoder_track *log_encoder_track(
	struct log_encoder *encoder, uint32_t number);

/* Writes encoder->bytes as a block of this kind. */
enum ctp_status log_encoder_write_block(struct log_encoder *encoder,
	enum log_block kind, struct ctp_error *err);

/* One of the trace's texts, cut at LOG_ENCODER_TEXT_MAX; or adds it. */
struct log_text log_encoder_text(struct log_encoder *encoder, uint32_t number);
void log_encoder_string(
	struct log_encoder *encoder, msgpack_packer *packer, uint32_t number);

/* Adds an argument's value; if it is too large for a log, counts a loss and
 * returns false. */
bool log_encoder_value(struct log_encoder *encoder, struct buffer *bytes,
	const struct event_arg *arg);

/* Adds arguments as a map. */
void log_encoder_args(struct log_encoder *encoder, struct buffer *bytes,
	const struct event_arg *args, uint32_t count);

/* Assigns a track its number in the log, for its events or its activities, if
 * necessary. */
enum ctp_status log_encoder_number(struct log_encoder *encoder, uint32_t track,
	bool activities, struct ctp_error *err);

/* Begins the log; writes the entries of the trace's tables that it lacks. */
enum ctp_status log_encoder_write_header(
	struct log_encoder *encoder, struct ctp_error *err);
enum ctp_status log_encoder_write_tables(
	struct log_encoder *encoder, struct ctp_error *err);

/* Writes the facts, the losses and the end. */
enum ctp_status log_encoder_write_end(
	struct log_encoder *encoder, struct ctp_error *err);

#endif

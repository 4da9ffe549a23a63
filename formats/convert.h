/* SPDX-License-Identifier: MIT */
/*
 * The one loop that joins a source of events with a format. Timelines are
 * written event by event; for other formats the events first become a profile.
 */
#ifndef CONVERT_H
#define CONVERT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/event.h"
#include "format.h"
#include "profile/profile.h"
#include "profile/replay.h"

#define CONVERT_PARTS 1000000

/* A part of an output, of at most about `bytes` bytes. */
struct convert_part {
	uint64_t bytes;
	bool full; /* set when it is full: the source must then end */
};

struct convert_job {
	/* convert_run(): what to write, and where. */
	const struct format *to;
	FILE *out;
	struct format_options options;

	/* Profiles only: functions below any of these limits are folded into
	 * "(other)". 0: off. */
	uint64_t min_cumtime_ns;
	uint32_t min_parts;  /* of the total time, in CONVERT_PARTS */
	uint32_t top;        /* number of functions to keep */
	bool all_edge_times; /* see struct replay_options; likewise: */
	enum replay_device device;
	bool no_root; /* see struct profile; always set for Python's */

	struct convert_part *part; /* timelines only; NULL: no limit */

	/* Called now and then with source->position(); may be NULL. */
	void (*progress)(void *user, uint64_t position);
	void *user;
};

/*
 * Sets the arguments and range names that a format needs from its source. Call
 * it before that is opened. NULL: all arguments, as in convert_run() of a
 * timeline.
 */
void convert_set_request(const struct format *to, struct read_request *request);

/*
 * Reads the source to its end and writes it.
 *
 * Errors: CTP_ERR_UNSUPPORTED if the format can only be read; CTP_ERR_IO if the
 * output cannot be written, with errno kept; those of the source and of the
 * writer. After an error, the output is not a valid file.
 */
enum ctp_status convert_run(struct event_source *source,
	const struct convert_job *job, struct ctp_error *err);

/* The receiver of events. */
struct convert_sink {
	enum ctp_status (*add)(
		void *to, const struct event *event, struct ctp_error *err);
	/* NULL: events of runs come one by one, too. */
	enum ctp_status (*add_run)(
		void *to, const struct event_run *run, struct ctp_error *err);
	void *to;
};

/*
 * Reads the source to its end, or its end so far, and hands each event to the
 * sink. `job` is used for progress only. Returns CTP_END.
 *
 * Errors: those of the source, and of the sink.
 */
enum ctp_status convert_read_events(struct event_source *source,
	const struct convert_job *job, const struct convert_sink *sink,
	struct ctp_error *err);

/*
 * Reads the source to its end, or its end so far, into a replay. `job` is used
 * for progress only. Returns CTP_END.
 *
 * Errors: CTP_ERR_NOMEM; those of the source.
 */
enum ctp_status convert_replay(struct event_source *source,
	const struct convert_job *job, struct replay *replay,
	struct ctp_error *err);

/*
 * Reads the source to its end into a profile, pruned and sorted; free it with
 * profile_free(). `job->to` may be NULL; it only determines whether the tree is
 * needed.
 *
 * Errors: CTP_ERR_NOMEM; those of the source.
 */
enum ctp_status convert_profile(struct event_source *source,
	const struct convert_job *job, struct profile **out,
	struct ctp_error *err);

/*
 * Prunes and sorts a profile that was made otherwise, and writes it.
 *
 * Errors: CTP_ERR_NOMEM; CTP_ERR_IO, with errno kept; those of the writer.
 */
enum ctp_status convert_write(struct profile *profile,
	const struct convert_job *job, struct ctp_error *err);

#endif

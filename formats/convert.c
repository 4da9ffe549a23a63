/* SPDX-License-Identifier: MIT */
#include "convert.h"

#include <assert.h>
#include <errno.h>

#include "profile/estimated_tree.h"

/* Interval for noticing a full disk and showing progress. */
#define EVENTS_PER_TICK 65536

/* Interval for noticing that a part is full. */
#define EVENTS_PER_CHECK 16

void convert_set_request(const struct format *to, struct read_request *request)
{
	bool is_profile = to != NULL && to->write_profile != NULL;

	request->skip_args = is_profile || (to != NULL && to->has_no_args);
	request->detailed_names = is_profile;
}

/* Adds the events that can be taken at once. */
static enum ctp_status next_run(struct event_source *source,
	const struct convert_sink *sink, uint32_t *count, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct event_run run;

	source->peek_run(source, &run);
	*count += run.count;
	if (run.count > 0)
		status = sink->add_run(sink->to, &run, err);
	if (run.count > 0)
		source->take_run(source);
	return status;
}

/* Reads about one tick's events. CTP_OK: there is more. */
static enum ctp_status next_events(struct event_source *source,
	const struct convert_sink *sink, struct ctp_error *err)
{
	const bool has_runs = source->peek_run != NULL && sink->add_run != NULL;
	enum ctp_status status = CTP_OK;
	struct event event;

	for (uint32_t i = 0; i < EVENTS_PER_TICK && status == CTP_OK; i++) {
		status = source->next(source, &event, err);
		if (status == CTP_OK)
			status = sink->add(sink->to, &event, err);
		if (status == CTP_OK && has_runs)
			status = next_run(source, sink, &i, err);
	}
	return status;
}

static void show_progress(
	const struct event_source *source, const struct convert_job *job)
{
	if (job->progress != NULL)
		job->progress(job->user, source->position(source));
}

/* A timeline being written. */
struct timeline {
	struct timeline_writer *writer;
	const struct convert_job *job;
	unsigned added; /* since the last check */
};

static void check_part(struct timeline *timeline)
{
	const struct timeline_writer *writer = timeline->writer;
	struct convert_part *part = timeline->job->part;
	off_t written = ftello(timeline->job->out);
	uint64_t bytes = written < 0 ? 0 : (uint64_t)written;

	timeline->added = 0;
	if (writer->pending != NULL)
		bytes += writer->pending(writer);
	part->full = bytes >= part->bytes;
}

static enum ctp_status add_to_timeline(
	void *to, const struct event *event, struct ctp_error *err)
{
	struct timeline *timeline = to;

	if (timeline->job->part != NULL &&
		++timeline->added == EVENTS_PER_CHECK)
		check_part(timeline);
	return timeline->writer->add(timeline->writer, event, err);
}

static enum ctp_status add_to_replay(
	void *to, const struct event *event, struct ctp_error *err)
{
	return replay_add(to, event, err);
}

static enum ctp_status add_run_to_replay(
	void *to, const struct event_run *run, struct ctp_error *err)
{
	return replay_add_run(to, run, err);
}

/* stdio remembers that a write failed, but not always why. */
static enum ctp_status check_output(FILE *out, struct ctp_error *err)
{
	if (!ferror(out) && fflush(out) == 0 && !ferror(out))
		return CTP_OK;
	if (errno == 0)
		errno = EIO;
	return ctp_fail(err, CTP_ERR_IO, "cannot write");
}

static enum ctp_status run_timeline(struct event_source *source,
	const struct convert_job *job, struct ctp_error *err)
{
	struct timeline timeline = {.job = job};
	const struct convert_sink sink = {
		.add = add_to_timeline, .to = &timeline};
	struct timeline_writer *writer;
	enum ctp_status status;

	if (source->read_profile != NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"is a profile (no timestamps) and cannot become a "
			"timeline (%s)",
			job->to->name);
	status = job->to->new_timeline(
		job->out, source->trace, &job->options, &writer, err);
	if (status != CTP_OK)
		return status;
	timeline.writer = writer;
	while (status == CTP_OK && !ferror(job->out)) {
		status = next_events(source, &sink, err);
		show_progress(source, job);
	}
	/* Also after a failed write: the writer then reports the reason. */
	if (status == CTP_END || status == CTP_OK)
		status = writer->finish(writer, err);
	if (status == CTP_OK)
		status = check_output(job->out, err);
	writer->free(writer);
	return status;
}

static enum ctp_status prune(struct profile *profile,
	const struct convert_job *job, struct ctp_error *err)
{
	uint64_t total_ns = profile->total_ns;
	uint64_t min_ns =
		total_ns / CONVERT_PARTS * job->min_parts +
		total_ns % CONVERT_PARTS * job->min_parts / CONVERT_PARTS;

	assert(job->min_parts <= CONVERT_PARTS);
	if (min_ns < job->min_cumtime_ns)
		min_ns = job->min_cumtime_ns;
	if (min_ns == 0 && job->top == 0)
		return CTP_OK;
	return profile_prune(profile, min_ns, job->top, err);
}

enum ctp_status convert_read_events(struct event_source *source,
	const struct convert_job *job, const struct convert_sink *sink,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		status = next_events(source, sink, err);
		show_progress(source, job);
	}
	return status;
}

enum ctp_status convert_replay(struct event_source *source,
	const struct convert_job *job, struct replay *replay,
	struct ctp_error *err)
{
	const struct convert_sink sink = {.add = add_to_replay,
		.add_run = add_run_to_replay,
		.to = replay};

	return convert_read_events(source, job, &sink, err);
}

/* Makes the call paths that the profile lacks, if the format may have an
 * estimate. */
static enum ctp_status need_tree(
	struct profile *profile, const struct format *to, struct ctp_error *err)
{
	if (to->can_estimate)
		return profile_estimate_tree(profile, err);
	return ctp_fail(err, CTP_ERR_UNSUPPORTED,
		"has callers and callees but no call paths, which %s needs; "
		"-t flamegraph estimates them",
		to->name);
}

/* A profile that the source holds: most have no call paths, only edges. */
static enum ctp_status read_sums(struct event_source *source,
	const struct convert_job *job, struct profile **out,
	struct ctp_error *err)
{
	struct profile *profile;
	enum ctp_status status = source->read_profile(source, &profile, err);

	if (status != CTP_OK)
		return status;
	if (job->to != NULL && job->to->needs_tree && profile->node_count == 0)
		status = need_tree(profile, job->to, err);
	if (status == CTP_OK)
		*out = profile;
	else
		profile_free(profile);
	return status;
}

static enum ctp_status run_replay(struct event_source *source,
	const struct convert_job *job, struct profile **out,
	struct ctp_error *err)
{
	struct replay_options options = {
		.tree = job->to != NULL && job->to->needs_tree,
		.all_edge_times = job->all_edge_times,
		.device = job->device,
	};
	struct replay *replay;
	enum ctp_status status;

	if (source->read_profile != NULL)
		return read_sums(source, job, out, err);
	replay = replay_new(source->trace, options);
	if (replay == NULL)
		return ctp_no_memory(err);
	status = convert_replay(source, job, replay, err);
	if (status == CTP_END)
		status = replay_finish(replay, out, err);
	replay_free(replay);
	return status;
}

/* Prunes and sorts. */
static enum ctp_status finish(struct profile *profile,
	const struct convert_job *job, struct ctp_error *err)
{
	enum ctp_status status = prune(profile, job, err);

	return status == CTP_OK ? profile_sort(profile, err) : status;
}

enum ctp_status convert_profile(struct event_source *source,
	const struct convert_job *job, struct profile **out,
	struct ctp_error *err)
{
	struct profile *profile = NULL;
	enum ctp_status status = run_replay(source, job, &profile, err);

	if (status == CTP_OK)
		status = finish(profile, job, err);
	if (status != CTP_OK) {
		profile_free(profile);
		return status;
	}
	*out = profile;
	return CTP_OK;
}

enum ctp_status convert_write(struct profile *profile,
	const struct convert_job *job, struct ctp_error *err)
{
	enum ctp_status status = finish(profile, job, err);

	profile->no_root = profile->no_root || job->no_root;
	errno = 0;
	if (status == CTP_OK)
		status = job->to->write_profile(
			job->out, profile, &job->options, err);
	return status == CTP_OK ? check_output(job->out, err) : status;
}

static enum ctp_status run_profile(struct event_source *source,
	const struct convert_job *job, struct ctp_error *err)
{
	struct profile *profile = NULL;
	enum ctp_status status = run_replay(source, job, &profile, err);

	if (status == CTP_OK)
		status = convert_write(profile, job, err);
	profile_free(profile);
	return status;
}

enum ctp_status convert_run(struct event_source *source,
	const struct convert_job *job, struct ctp_error *err)
{
	errno = 0;
	if (job->to->new_timeline != NULL)
		return run_timeline(source, job, err);
	if (job->to->write_profile != NULL)
		return run_profile(source, job, err);
	return ctp_fail(err, CTP_ERR_UNSUPPORTED, "format %s is read-only",
		job->to->name);
}

/* SPDX-License-Identifier: MIT */
/*
 * speedscope's files as events: a profile is a track, and its frames are
 * ranges, which a sample opens and closes where it differs from the previous
 * one. If a profile's unit is not a time, one unit counts as 1 ns.
 */
#include "speedscope/speedscope_read.h"

#include <string.h>

#include "base/buffer.h"
#include "json/json_scan.h"
#include "base/memory.h"
#include "io/unit.h"

#define PID 1

struct speedscope_in {
	struct event_source source; /* must be first */
	FILE *in;
	struct buffer head;
	struct speedscope_data data; /* its points refer to sites instead of
				      * frames */
	bool is_read;

	/* Where it is. */
	size_t profile;
	bool begun;
	uint32_t track;
	int exponent; /* of the unit */
	size_t point;
	int64_t sample; /* that is open */
	int64_t time_ns;
	uint32_t *open; /* sites, the innermost last */
	size_t depth;
	size_t room;
	uint32_t *times_open; /* by site */
	/* A range being closed while others in it are open. */
	bool closing;
	uint32_t closing_site;
};

static struct speedscope_in *in_of(struct event_source *source)
{
	return (struct speedscope_in *)(void *)source;
}

/* A frame's site; a frame without a name is called by its number. */
static uint32_t site_of(struct speedscope_in *in, uint32_t frame)
{
	struct trace *trace = in->source.trace;
	uint32_t before = trace->site_count;
	char name[32];
	uint32_t site;

	if (frame < in->data.frame_count) {
		const struct speedscope_frame *known = &in->data.frames[frame];

		return trace_add_place(
			trace, (struct trace_site){.name = known->name,
				       .file = known->file,
				       .line = known->line});
	}
	(void)snprintf(name, sizeof(name), "(frame %u)", frame);
	site = trace_add_site(trace, name, strlen(name), "", 0, 0);
	if (trace->site_count > before)
		trace_lose(trace, LOSS_UNKNOWN_SITES, 1);
	return site;
}

static enum ctp_status read_input(
	struct speedscope_in *in, struct ctp_error *err)
{
	struct speedscope_input input = {in->in, in->head.bytes, in->head.used};
	enum ctp_status status =
		speedscope_data_read(&in->data, input, in->source.trace, err);

	if (status != CTP_OK)
		return status;
	for (size_t i = 0; i < in->data.point_count; i++) {
		uint32_t site = site_of(in, in->data.points[i].frame);

		if (site == TRACE_NONE)
			return ctp_no_memory(err);
		in->data.points[i].frame = site;
	}
	in->times_open = memory_new_zeroed(
		(size_t)in->source.trace->site_count + 1, sizeof(uint32_t));
	if (in->times_open == NULL)
		return ctp_no_memory(err);
	in->is_read = true;
	return CTP_OK;
}

static const struct speedscope_profile *profile_of(
	const struct speedscope_in *in)
{
	return &in->data.profiles[in->profile];
}

/* The end of the profile's points and weights. */
static size_t points_end(const struct speedscope_in *in)
{
	return in->profile + 1 < in->data.profile_count
		       ? profile_of(in)[1].first_point
		       : in->data.point_count;
}

static size_t weights_end(const struct speedscope_in *in)
{
	return in->profile + 1 < in->data.profile_count
		       ? profile_of(in)[1].first_weight
		       : in->data.weight_count;
}

/* A number in nanoseconds; false on overflow. */
static bool to_ns(const struct speedscope_in *in,
	struct speedscope_number number, int64_t *time_ns)
{
	int64_t divisor = 1;
	int64_t rest;

	*time_ns = number.value;
	for (; number.power < in->exponent; number.power++)
		if (__builtin_mul_overflow(*time_ns, 10, time_ns))
			return false;
	for (; number.power > in->exponent; number.power--)
		divisor *= 10;
	rest = number.value % divisor;
	if (divisor > 1)
		*time_ns = number.value / divisor + (rest >= divisor / 2) -
			   (rest <= -divisor / 2);
	return true;
}

/* Tracks and the trace end at their last event. */
static void extend_end(struct speedscope_in *in, int64_t time_ns)
{
	struct trace *trace = in->source.trace;
	struct trace_track *track = &trace->tracks[in->track];

	if (time_ns > track->end_ns)
		track->end_ns = time_ns;
	if (time_ns > trace->end_ns)
		trace->end_ns = time_ns;
}

static enum ctp_status begin_profile(
	struct speedscope_in *in, struct ctp_error *err)
{
	const struct speedscope_profile *profile = profile_of(in);
	struct trace *trace = in->source.trace;
	const char *unit = strtab_text(trace->text, profile->unit, NULL);
	int64_t weights = (int64_t)(weights_end(in) - profile->first_weight);
	int64_t more = profile->sample_count - weights;
	int64_t end_ns;

	in->exponent = 0;
	if (!unit_power(unit, strlen(unit), &in->exponent) &&
		!trace_set_fact(trace, "unit", unit))
		return ctp_no_memory(err);
	if (!to_ns(in, profile->start, &in->time_ns))
		in->time_ns = 0;
	in->track = trace_add_track(
		trace, (struct trace_track){.kind = TRACE_THREAD,
			       .pid = PID,
			       .tid = (int64_t)in->profile + 1,
			       .name = profile->name,
			       .has_end = true,
			       .end_ns = in->time_ns});
	if (in->track == TRACE_NONE)
		return ctp_no_memory(err);
	if (in->profile == 0 || in->time_ns < trace->start_ns)
		trace->start_ns = in->time_ns;
	if (in->profile == 0)
		trace->end_ns = in->time_ns;
	if (profile->has_end && to_ns(in, profile->end, &end_ns))
		extend_end(in, end_ns);
	trace_lose(trace, LOSS_BAD_EVENTS, (uint64_t)(more < 0 ? -more : more));
	in->point = profile->first_point;
	in->sample = 0;
	in->depth = 0;
	in->closing = false;
	in->begun = true;
	return CTP_OK;
}

/* Advances to the start of a sample. */
static void advance_samples(struct speedscope_in *in, int64_t sample)
{
	const struct speedscope_profile *profile = profile_of(in);
	size_t end = weights_end(in);

	for (; in->sample < sample; in->sample++) {
		size_t weight = profile->first_weight + (size_t)in->sample;
		int64_t time_ns;

		if (weight >= end)
			continue;
		if (!to_ns(in, in->data.weights[weight], &time_ns) ||
			__builtin_add_overflow(in->time_ns, time_ns, &time_ns))
			trace_lose(in->source.trace, LOSS_BAD_EVENTS, 1);
		else
			in->time_ns = time_ns;
	}
}

/* Sets the track's time to the point's; false if that is invalid. */
static bool advance_time(
	struct speedscope_in *in, const struct speedscope_point *point)
{
	struct speedscope_number at = {point->value, point->power};
	struct trace *trace = in->source.trace;
	int64_t time_ns;

	if (profile_of(in)->sampled) {
		advance_samples(in, point->value);
		return true;
	}
	if (!to_ns(in, at, &time_ns)) {
		trace_lose(trace, LOSS_BAD_EVENTS, 1);
		return false;
	}
	if (time_ns < in->time_ns && in->point > profile_of(in)->first_point)
		trace_lose(trace, LOSS_BACKWARD_TIMES, 1);
	else
		in->time_ns = time_ns;
	return true;
}

static bool open_range(struct speedscope_in *in, uint32_t site)
{
	if (!array_reserve(&in->open, in->depth, &in->room, sizeof(*in->open)))
		return false;
	in->open[in->depth++] = site;
	in->times_open[site]++;
	return true;
}

static void make_event(
	struct speedscope_in *in, struct event *event, enum event_kind kind)
{
	extend_end(in, in->time_ns);
	*event = (struct event){.kind = kind,
		.track = in->track,
		.site = TRACE_NONE,
		.time_ns = in->time_ns,
		.device = -1};
}

/* Closes the innermost range. */
static void close_range(struct speedscope_in *in, struct event *event)
{
	uint32_t site = in->open[--in->depth];

	in->times_open[site]--;
	if (in->closing && site == in->closing_site)
		in->closing = false;
	make_event(in, event, EVENT_END);
}

/* Handles a point; CTP_END if it makes no event. */
static enum ctp_status read_point(struct speedscope_in *in,
	const struct speedscope_point *point, struct event *event,
	struct ctp_error *err)
{
	if (!advance_time(in, point))
		return CTP_END;
	if (!point->close) {
		if (!open_range(in, point->frame))
			return ctp_no_memory(err);
		make_event(in, event, EVENT_BEGIN);
		event->site = point->frame;
		return CTP_OK;
	}
	/* Closing an outer range also closes the ranges inside. */
	if (in->times_open[point->frame] == 0 ||
		in->open[in->depth - 1] != point->frame)
		trace_lose(in->source.trace, LOSS_BAD_EVENTS, 1);
	if (in->times_open[point->frame] == 0)
		return CTP_END;
	in->closing = true;
	in->closing_site = point->frame;
	close_range(in, event);
	return CTP_OK;
}

/* After a profile's points; its samples end with the last one. CTP_END:
 * finished. */
static enum ctp_status end_profile(
	struct speedscope_in *in, struct event *event)
{
	const struct speedscope_profile *profile = profile_of(in);

	if (profile->sampled)
		advance_samples(in, profile->sample_count);
	if (profile->sampled && in->depth > 0) {
		close_range(in, event);
		return CTP_OK;
	}
	while (in->depth > 0)
		in->times_open[in->open[--in->depth]]--;
	in->begun = false;
	in->profile++;
	return CTP_END;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct speedscope_in *in = in_of(source);
	enum ctp_status status = CTP_OK;

	if (!in->is_read)
		status = read_input(in, err);
	while (status == CTP_OK && in->profile < in->data.profile_count) {
		if (!in->begun)
			status = begin_profile(in, err);
		if (status != CTP_OK)
			break;
		if (in->closing) {
			close_range(in, event);
			return CTP_OK;
		}
		if (in->point == points_end(in)) {
			status = end_profile(in, event);
		} else {
			status = read_point(
				in, &in->data.points[in->point], event, err);
			in->point++;
		}
		if (status == CTP_OK)
			return CTP_OK;
		if (status == CTP_END)
			status = CTP_OK;
	}
	return status == CTP_OK ? CTP_END : status;
}

static uint64_t position(const struct event_source *source)
{
	return ((const struct speedscope_in *)(const void *)source)
		->data.position;
}

static void close_source(struct event_source *source)
{
	struct speedscope_in *in = in_of(source);

	speedscope_data_clear(&in->data);
	buffer_clear(&in->head);
	memory_free(in->open);
	memory_free(in->times_open);
	trace_free(source->trace);
	memory_free(in);
}

enum ctp_status speedscope_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err)
{
	struct speedscope_in *reader = memory_new_zeroed(1, sizeof(*reader));

	if (reader == NULL)
		return ctp_no_memory(err);
	reader->source.trace = trace_new(request);
	buffer_add(&reader->head, head, head_size);
	if (reader->source.trace == NULL || reader->head.failed) {
		close_source(&reader->source);
		return ctp_no_memory(err);
	}
	reader->in = in;
	reader->source.next = next;
	reader->source.position = position;
	reader->source.close = close_source;
	*out = &reader->source;
	return CTP_OK;
}

static bool has(const void *bytes, size_t size, const char *text)
{
	return memmem(bytes, size, text, strlen(text)) != NULL;
}

/* Does the text end within the name of the schema? */
static bool ends_in_schema(const char *text, size_t size)
{
	static const char key[] = "\"$schema\"";
	static const char name[] =
		"\"https://www.speedscope.app/file-format-schema.json\"";
	const char *at = memmem(text, size, key, sizeof(key) - 1);
	const char *end = text + size;

	if (at == NULL)
		return false;
	at += sizeof(key) - 1;
	while (at < end && memchr(": \t\r\n", *at, 5) != NULL)
		at++;
	return (size_t)(end - at) < sizeof(name) &&
	       memcmp(at, name, (size_t)(end - at)) == 0;
}

/* An object that names speedscope's schema, or has the members of all its
 * files. */
unsigned speedscope_probe(const void *bytes, size_t size)
{
	const char *text = bytes;
	size_t blank = json_scan_mark(bytes, size);

	while (blank < size && strchr(" \t\r\n", text[blank]) != NULL &&
		text[blank] != '\0')
		blank++;
	if (blank == size || text[blank] != '{')
		return 0;
	if (has(bytes, size, "speedscope.app/file-format-schema.json"))
		return 300;
	if (has(bytes, size, "\"profiles\"") &&
		(has(bytes, size, "\"evented\"") ||
			has(bytes, size, "\"sampled\"")))
		return 120;
	if (ends_in_schema(text, size))
		return 60;
	return has(bytes, size, "\"shared\"") && has(bytes, size, "\"frames\"")
		       ? 60
		       : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * speedscope's files as events: a profile is a track, and its frames are
 * ranges, which a sample opens and closes where it differs from the previous
 * one. If a profile's unit is not a time, one unit counts as 1 ns.
 *
 * A file is first converted to a compact form in memory, because the frames may
 * be defined at the end. Members may come in any order, and unknown ones are
 * skipped. Source: https://www.speedscope.app/file-format-schema.json.
 */
#include "speedscope/speedscope_read.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "io/truncation.h"
#include "io/unit.h"
#include "json/json_members.h"
#include "json/json_scan.h"
#include "json/json_value.h"

/* A decimal number: value / 10^power. Its unit may follow later. */
struct speedscope_number {
	int64_t value;
	int power;
};

/* Opens or closes a frame, at a time or with a sample. */
struct speedscope_point {
	int64_t value; /* a number's value, or the index of the sample */
	uint32_t frame;
	uint8_t power;
	bool close;
};

struct speedscope_frame {
	uint32_t name; /* strtab numbers */
	uint32_t file;
	uint32_t line;
};

/* A run of points and weights, up to the next profile's. */
struct speedscope_profile {
	uint32_t name; /* strtab number */
	uint32_t unit; /* likewise */
	bool sampled;
	bool has_end;
	struct speedscope_number start;
	struct speedscope_number end;
	size_t first_point;
	size_t first_weight;
	int64_t sample_count;
};

struct speedscope_data {
	struct speedscope_frame *frames;
	struct speedscope_profile *profiles;
	struct speedscope_point *points;
	struct speedscope_number *weights;
	size_t frame_count, profile_count, point_count, weight_count;
	size_t frame_room, profile_room, point_room, weight_room;
	uint64_t position; /* input position of the reader */
};

/* The arguments of struct format's open_events(). */
struct speedscope_input {
	FILE *in;
	const void *head;
	size_t head_size;
};

/* Most decimals that are kept of a number that is not too large. */
#define DECIMALS 9

enum key {
	KEY_AT,
	KEY_END_VALUE,
	KEY_EVENTS,
	KEY_FILE,
	KEY_FRAME,
	KEY_FRAMES,
	KEY_LINE,
	KEY_NAME,
	KEY_PROFILES,
	KEY_SAMPLES,
	KEY_SCHEMA,
	KEY_SHARED,
	KEY_START_VALUE,
	KEY_TYPE,
	KEY_UNIT,
	KEY_WEIGHTS,
	KEY_OTHER,
};

static const char *const key_names[KEY_OTHER] = {
	[KEY_AT] = "at",
	[KEY_END_VALUE] = "endValue",
	[KEY_EVENTS] = "events",
	[KEY_FILE] = "file",
	[KEY_FRAME] = "frame",
	[KEY_FRAMES] = "frames",
	[KEY_LINE] = "line",
	[KEY_NAME] = "name",
	[KEY_PROFILES] = "profiles",
	[KEY_SAMPLES] = "samples",
	[KEY_SCHEMA] = "$schema",
	[KEY_SHARED] = "shared",
	[KEY_START_VALUE] = "startValue",
	[KEY_TYPE] = "type",
	[KEY_UNIT] = "unit",
	[KEY_WEIGHTS] = "weights",
};

/* The members of an event read so far. */
struct point {
	struct speedscope_number at;
	int64_t frame;
	char type;
	bool has_at;
};

/* The frames of a sample. */
struct stack {
	uint32_t *frames;
	size_t depth;
	size_t room;
};

struct reader {
	struct json_scan *scan;
	struct json_members members;
	struct trace *trace;
	struct speedscope_data *data;
	struct speedscope_frame frame;
	struct point point;
	struct stack sample;
	struct stack before; /* the sample before */
	bool bad_sample;
	bool has_header;    /* has a member that precedes the profiles */
	struct buffer text; /* scratch */
};

static void count_bad(struct reader *reader)
{
	trace_lose(reader->trace, LOSS_BAD_EVENTS, 1);
}

/* A text's number in the trace; 0 if it is not a text. False if out of
 * memory. */
static bool read_text(
	struct reader *reader, const struct json_token *token, uint32_t *number)
{
	*number = 0;
	if (token->kind != JSON_STRING)
		return true;
	reader->text.used = 0;
	if (!json_value_unescape(json_scan_text(reader->scan, token),
		    token->size, &reader->text))
		return false;
	if (reader->text.used > 0)
		*number = strtab_add(reader->trace->text,
			(const char *)reader->text.bytes, reader->text.used);
	return *number != STRTAB_NONE;
}

static bool read_integer(
	struct reader *reader, const struct json_token *token, int64_t *value)
{
	return token->kind == JSON_NUMBER &&
	       json_value_scaled(json_scan_text(reader->scan, token),
		       token->size, 0, value);
}

static bool read_number(struct reader *reader, const struct json_token *token,
	struct speedscope_number *number)
{
	if (token->kind != JSON_NUMBER)
		return false;
	for (int power = DECIMALS; power >= 0; power -= 3) {
		number->power = power;
		if (json_value_scaled(json_scan_text(reader->scan, token),
			    token->size, power, &number->value))
			return true;
	}
	return false;
}

static enum ctp_status add_frame_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	int64_t line;
	bool ok = true;

	if (key == KEY_NAME)
		ok = read_text(reader, value, &reader->frame.name);
	else if (key == KEY_FILE)
		ok = read_text(reader, value, &reader->frame.file);
	else if (key == KEY_LINE && read_integer(reader, value, &line) &&
		 line > 0 && line < UINT32_MAX)
		reader->frame.line = (uint32_t)line;
	return ok ? json_members_skip(&reader->members, value, err)
		  : ctp_no_memory(err);
}

static enum ctp_status add_frame(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	struct speedscope_data *data = reader->data;
	enum ctp_status status;

	if (!array_reserve(&data->frames, data->frame_count, &data->frame_room,
		    sizeof(*data->frames)))
		return ctp_no_memory(err);
	reader->frame = (struct speedscope_frame){0};
	status = value->kind == JSON_OBJECT
			 ? json_members_object(
				   &reader->members, add_frame_member, err)
			 : json_members_refuse(&reader->members, value, err);
	if (status == CTP_OK)
		data->frames[data->frame_count++] = reader->frame;
	return status;
}

static enum ctp_status add_shared_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	if (key == KEY_FRAMES)
		return json_members_array(
			&reader->members, value, add_frame, err);
	return json_members_skip(&reader->members, value, err);
}

static bool add_point(struct reader *reader, struct speedscope_point point)
{
	struct speedscope_data *data = reader->data;

	if (!array_reserve(&data->points, data->point_count, &data->point_room,
		    sizeof(*data->points)))
		return false;
	data->points[data->point_count++] = point;
	return true;
}

static enum ctp_status add_event_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	struct point *point = &reader->point;

	if (key == KEY_TYPE && value->kind == JSON_STRING && value->size == 1)
		point->type = *json_scan_text(reader->scan, value);
	else if (key == KEY_FRAME &&
		 !read_integer(reader, value, &point->frame))
		point->frame = -1;
	else if (key == KEY_AT)
		point->has_at = read_number(reader, value, &point->at);
	return json_members_skip(&reader->members, value, err);
}

static enum ctp_status add_event(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	const struct point *point = &reader->point;
	enum ctp_status status;

	if (value->kind != JSON_OBJECT)
		return json_members_refuse(&reader->members, value, err);
	reader->point = (struct point){.frame = -1};
	status = json_members_object(&reader->members, add_event_member, err);
	if (status != CTP_OK)
		return status;
	if ((point->type != 'O' && point->type != 'C') || !point->has_at ||
		point->frame < 0 || point->frame >= UINT32_MAX) {
		count_bad(reader);
		return CTP_OK;
	}
	if (!add_point(
		    reader, (struct speedscope_point){.value = point->at.value,
				    .power = (uint8_t)point->at.power,
				    .frame = (uint32_t)point->frame,
				    .close = point->type == 'C'}))
		return ctp_no_memory(err);
	return CTP_OK;
}

static enum ctp_status add_sample_frame(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	struct stack *sample = &reader->sample;
	int64_t frame;

	if (!read_integer(reader, value, &frame) || frame < 0 ||
		frame >= UINT32_MAX) {
		reader->bad_sample = true;
		return json_members_skip(&reader->members, value, err);
	}
	if (!array_reserve(&sample->frames, sample->depth, &sample->room,
		    sizeof(*sample->frames)))
		return ctp_no_memory(err);
	sample->frames[sample->depth++] = (uint32_t)frame;
	return CTP_OK;
}

/* Adds the frames that a sample closes and opens after the previous one. */
static bool add_difference(struct reader *reader, int64_t number)
{
	const struct stack *before = &reader->before;
	const struct stack *sample = &reader->sample;
	size_t same = 0;
	bool ok = true;

	while (same < before->depth && same < sample->depth &&
		before->frames[same] == sample->frames[same])
		same++;
	for (size_t i = before->depth; i > same && ok; i--)
		ok = add_point(
			reader, (struct speedscope_point){.value = number,
					.frame = before->frames[i - 1],
					.close = true});
	for (size_t i = same; i < sample->depth && ok; i++)
		ok = add_point(
			reader, (struct speedscope_point){.value = number,
					.frame = sample->frames[i]});
	return ok;
}

/* An invalid sample becomes an empty one, so that the others keep their
 * weights. */
static enum ctp_status add_sample(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	struct speedscope_data *data = reader->data;
	struct speedscope_profile *profile =
		&data->profiles[data->profile_count - 1];
	enum ctp_status status;
	struct stack stack;

	reader->sample.depth = 0;
	reader->bad_sample = value->kind != JSON_ARRAY;
	status = reader->bad_sample
			 ? json_members_skip(&reader->members, value, err)
			 : json_members_array(&reader->members, value,
				   add_sample_frame, err);
	if (status != CTP_OK)
		return status;
	if (reader->bad_sample) {
		count_bad(reader);
		reader->sample.depth = 0;
	}
	if (!add_difference(reader, profile->sample_count++))
		return ctp_no_memory(err);
	stack = reader->before;
	reader->before = reader->sample;
	reader->sample = stack;
	return CTP_OK;
}

static enum ctp_status add_weight(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	struct speedscope_data *data = reader->data;
	struct speedscope_number weight;

	if (!array_reserve(&data->weights, data->weight_count,
		    &data->weight_room, sizeof(*data->weights)))
		return ctp_no_memory(err);
	if (!read_number(reader, value, &weight) || weight.value < 0) {
		count_bad(reader);
		weight = (struct speedscope_number){0, 0};
	}
	data->weights[data->weight_count++] = weight;
	return json_members_skip(&reader->members, value, err);
}

static enum ctp_status add_profile_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	struct speedscope_data *data = reader->data;
	struct speedscope_profile *profile =
		&data->profiles[data->profile_count - 1];
	bool ok = true;

	switch (key) {
	case KEY_EVENTS:
		if (profile->sampled)
			return json_members_refuse(
				&reader->members, value, err);
		return json_members_array(
			&reader->members, value, add_event, err);
	case KEY_SAMPLES:
		/* Points have times or numbers of samples, not both. */
		if (!profile->sampled &&
			data->point_count > profile->first_point)
			return json_members_refuse(
				&reader->members, value, err);
		profile->sampled = true;
		return json_members_array(
			&reader->members, value, add_sample, err);
	case KEY_WEIGHTS:
		return json_members_array(
			&reader->members, value, add_weight, err);
	case KEY_NAME:
		ok = read_text(reader, value, &profile->name);
		break;
	case KEY_UNIT:
		ok = read_text(reader, value, &profile->unit);
		break;
	case KEY_START_VALUE:
		if (!read_number(reader, value, &profile->start))
			count_bad(reader);
		break;
	case KEY_END_VALUE:
		profile->has_end = read_number(reader, value, &profile->end);
		if (!profile->has_end)
			count_bad(reader);
		break;
	default:
		break;
	}
	return ok ? json_members_skip(&reader->members, value, err)
		  : ctp_no_memory(err);
}

static enum ctp_status add_profile(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	struct speedscope_data *data = reader->data;

	if (!array_reserve(&data->profiles, data->profile_count,
		    &data->profile_room, sizeof(*data->profiles)))
		return ctp_no_memory(err);
	if (value->kind != JSON_OBJECT)
		return json_members_refuse(&reader->members, value, err);
	data->profiles[data->profile_count++] =
		(struct speedscope_profile){.first_point = data->point_count,
			.first_weight = data->weight_count};
	reader->before.depth = 0;
	return json_members_object(&reader->members, add_profile_member, err);
}

static enum ctp_status add_file_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;

	reader->has_header |= key == KEY_SCHEMA || key == KEY_SHARED;
	if (key == KEY_PROFILES)
		return json_members_array(
			&reader->members, value, add_profile, err);
	if (key == KEY_SHARED && value->kind == JSON_OBJECT)
		return json_members_object(
			&reader->members, add_shared_member, err);
	return json_members_skip(&reader->members, value, err);
}

/*
 * Reads a whole input; its text goes into the trace, and invalid items are
 * counted there. A truncated input is used up to its end.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO, CTP_ERR_LIMIT; CTP_ERR_FORMAT if there is
 * no profile in it. Call data_clear() in any case.
 */
static enum ctp_status data_read(struct speedscope_data *data,
	struct speedscope_input input, struct trace *trace,
	struct ctp_error *err)
{
	struct reader reader = {.trace = trace, .data = data};
	struct ctp_error error = {.offset = ERROR_NO_OFFSET};
	enum ctp_status status = CTP_ERR_NOMEM;
	bool cut_off;

	reader.scan = json_scan_new(input.in, input.head, input.head_size);
	if (reader.scan == NULL)
		return ctp_no_memory(err);
	reader.members = (struct json_members){
		reader.scan, trace, key_names, KEY_OTHER, &reader};
	status = json_members_text(&reader.members, add_file_member, &error);
	data->position = json_scan_position(reader.scan);
	cut_off = json_scan_is_cut_off(reader.scan) &&
		  json_scan_depth(reader.scan) > 0;
	json_scan_free(reader.scan);
	memory_free(reader.sample.frames);
	memory_free(reader.before.frames);
	buffer_clear(&reader.text);
	/* The profiles come last, so a truncated file may lack them, even if
	 * its brackets were closed later. */
	if (status == CTP_END && data->profile_count == 0) {
		cut_off = reader.has_header;
		status = ctp_fail_at(&error, CTP_ERR_FORMAT, data->position,
			reader.has_header ? "the profiles are missing"
					  : "is not a speedscope file: it has "
					    "no profiles");
	}
	if (status == CTP_ERR_FORMAT && (cut_off || data->profile_count > 0))
		status = truncation_record(trace, &error)
				 ? CTP_END
				 : ctp_no_memory(&error);
	if (status == CTP_END)
		return CTP_OK;
	if (err != NULL)
		*err = error;
	return status;
}

static void data_clear(struct speedscope_data *data)
{
	memory_free(data->frames);
	memory_free(data->profiles);
	memory_free(data->points);
	memory_free(data->weights);
	*data = (struct speedscope_data){0};
}

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
		data_read(&in->data, input, in->source.trace, err);

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

	data_clear(&in->data);
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

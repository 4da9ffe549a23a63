/* SPDX-License-Identifier: MIT */
/*
 * Parses speedscope's files. Source:
 * https://www.speedscope.app/file-format-schema.json. Members may come in any
 * order, and unknown ones are skipped.
 */
#include "speedscope/speedscope_read.h"

#include <string.h>

#include "io/truncation.h"
#include "json/json_members.h"
#include "json/json_value.h"
#include "base/memory.h"

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
		return json_members_array(
			&reader->members, value, add_event, err);
	case KEY_SAMPLES:
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

enum ctp_status speedscope_data_read(struct speedscope_data *data,
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

void speedscope_data_clear(struct speedscope_data *data)
{
	memory_free(data->frames);
	memory_free(data->profiles);
	memory_free(data->points);
	memory_free(data->weights);
	*data = (struct speedscope_data){0};
}

/* SPDX-License-Identifier: MIT */
/*
 * The writer. Events are written as they arrive, in memory that does not grow
 * with their number. Tracks and lanes: timeline.h. Nested ranges:
 * chrome_stack.h. Numbers and names of rows: chrome_rows.h. Device activities
 * have Kineto's form. Source: libkineto/src/CuptiActivity.cpp, output_json.cpp.
 *
 * Times are microseconds with three decimals since baseTimeNanoseconds, which
 * is left out if unknown. The facts about the recording and the losses come
 * last, in "otherData", because they are known last.
 */
#include "chrome/chrome.h"

#include <math.h>
#include <string.h>

#include "chrome/chrome_facts.h"
#include "chrome/chrome_stack.h"
#include "roofline/occupancy.h"

/* Offset of the name in a site's text: ,"name": */
#define NAME_AT 8

struct chrome {
	struct timeline timeline; /* first: the layer holds a pointer to it */
	struct json json;
	struct json_names names;
	struct json_args args; /* of the current event */
	struct chrome_rows rows;
	struct occupancy occupancy;
	struct strtab *pids; /* to make the arrows of processes differ */
	uint64_t last_id;    /* "External id", which are the causes' values */
};

static struct chrome *chrome_of(struct timeline *timeline)
{
	return (struct chrome *)timeline;
}

static struct chrome_track *track_of(struct timeline_track *track)
{
	return (struct chrome_track *)track;
}

static const struct chrome_row *row_of(const struct timeline_track *track)
{
	return &((const struct chrome_track *)track)->row;
}

static void begin_file(struct timeline *timeline, int64_t first_ns)
{
	struct json *json = &chrome_of(timeline)->json;

	(void)first_ns;
	json_begin(json, '{');
	json_key(json, "schemaVersion");
	json_int(json, 1);
	chrome_facts_write_own(json);
	if (timeline->trace->base_realtime_ns != 0) {
		json_key(json, "baseTimeNanoseconds");
		json_int(json, timeline->trace->base_realtime_ns);
	}
	json_key(json, "traceEvents");
	json_begin(json, '[');
}

static bool open_track(struct timeline *timeline, struct timeline_track *base)
{
	struct chrome *chrome = chrome_of(timeline);
	struct chrome_track *track = track_of(base);

	track->json = &chrome->json;
	track->names = &chrome->names;
	track->empty_ns = INT64_MIN;
	return chrome_rows_open(&chrome->rows, track);
}

static bool add_begin(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	if (track->depth >= CHROME_DEPTH_SHOWN)
		trace_lose(timeline->trace, LOSS_DEEP_RANGES, 1);
	return chrome_rows_open_ranges(
		       &chrome_of(timeline)->rows, track_of(track)) &&
	       chrome_stack_begin(track_of(track), event);
}

/* Ends the innermost range; if its real end is later, it overlaps others. */
static bool add_end(struct timeline *timeline, struct timeline_track *base,
	const struct event *event)
{
	struct chrome_track *track = track_of(base);
	const struct chrome_frame *frame = chrome_stack_top(track);
	const struct chrome_row *row = NULL;
	struct event call = {.site = frame->site,
		.time_ns = frame->start_ns,
		.dur_ns =
			(uint64_t)event_end(event) - (uint64_t)frame->start_ns};
	int32_t lane;

	if (event->shift_ns == 0 || frame->is_clipped)
		return chrome_stack_end(track, event, NULL);
	if (frame->begun) {
		trace_lose(timeline->trace, LOSS_NOT_SHOWN, 1);
		return chrome_stack_end(track, event, NULL);
	}
	if (timeline_place(timeline, base, &call, LANES_CALLS, &lane))
		row = chrome_rows_find(
			&chrome_of(timeline)->rows, track, &call, lane);
	return row != NULL && chrome_stack_end(track, event, row);
}

static bool mark_open(struct timeline *timeline, struct timeline_track *track)
{
	(void)timeline;
	return chrome_stack_mark_open(track_of(track));
}

static bool add_args(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	(void)timeline;
	return chrome_stack_args(track_of(track), event);
}

/* Puts the event's own arguments into chrome->args. */
static bool set_args(struct chrome *chrome, const struct event *event)
{
	json_args_reset(&chrome->args);
	return json_args_add(&chrome->args, &chrome->names, event);
}

/* Writes a slice, with `args` (may be NULL), into the first free lane; returns
 * its row, or NULL if out of memory. */
static const struct chrome_row *add_slice(struct chrome *chrome,
	struct timeline_track *track, const struct event *event, int32_t first,
	const struct json_args *args)
{
	const struct json_site *site =
		json_names_site(&chrome->names, event->site);
	const struct chrome_row *row;
	int32_t lane;

	if (site == NULL || !timeline_place_slice(&chrome->timeline, track,
				    event, first, &lane))
		return NULL;
	row = chrome_rows_find(&chrome->rows, track_of(track), event, lane);
	if (row != NULL)
		chrome_stack_write_slice(&chrome->json, row, site, args,
			event->time_ns, event->dur_ns);
	return row;
}

static bool add_plain_slice(struct chrome *chrome, struct timeline_track *track,
	const struct event *event, int32_t first)
{
	if (event->arg_count == 0)
		return add_slice(chrome, track, event, first, NULL) != NULL;
	return set_args(chrome, event) &&
	       add_slice(chrome, track, event, first, &chrome->args) != NULL;
}

static bool add_complete(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	return add_plain_slice(chrome_of(timeline), track, event, 0);
}

static bool add_unclipped_call(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	struct chrome *chrome = chrome_of(timeline);

	timeline_open_ranges(timeline, track, event->time_ns);
	return chrome_rows_open_ranges(&chrome->rows, track_of(track)) &&
	       add_plain_slice(chrome, track, event, LANES_CALLS);
}

/* An activity's call. */
struct chrome_cause {
	bool known;
	uint64_t flow; /* the arrow between them */
};

/* Replaces the bit of an External id: larger numbers are inexact in readers
 * that use doubles. */
#define EXTERNAL_FLOW (UINT64_C(1) << 52)

static bool is_external(const struct event *event)
{
	return (event->id & TRACE_EXTERNAL_ID_BIT) != 0;
}

/* The number of an arrow: the correlation, as in Kineto; for further processes,
 * which number their calls independently, with high bits added. */
static bool find_flow(
	struct chrome *chrome, const struct event *event, uint64_t *flow)
{
	int64_t pid = chrome->timeline.trace->tracks[event->track].pid;
	uint32_t number =
		strtab_add(chrome->pids, (const char *)&pid, sizeof(pid));

	*flow = event->id ^ (uint64_t)(number - 1) << 32;
	if (is_external(event))
		*flow ^= TRACE_EXTERNAL_ID_BIT | EXTERNAL_FLOW;
	return number != STRTAB_NONE;
}

static bool add_correlation(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	struct chrome *chrome = chrome_of(timeline);
	struct chrome_call call = {
		.correlation = is_external(event) ? 0 : event->id};
	uint64_t id = chrome->last_id + 1;

	if (!find_flow(chrome, event, &call.flow) ||
		!chrome_stack_call(track_of(track), call, &id))
		return false;
	if (id > chrome->last_id)
		chrome->last_id = id;
	return timeline_add_cause(timeline, event, id);
}

static uint32_t category_of(
	const struct chrome *chrome, const struct event *event)
{
	return chrome->timeline.trace->sites[event->site].category;
}

/* Adds the device, context and stream. */
static bool add_place(struct chrome *chrome, const struct event *event,
	struct json_args *args)
{
	const struct trace_track *track =
		&chrome->timeline.trace->tracks[event->track];

	return json_args_add_int(args, &chrome->names, JSON_ARGS_KEY_DEVICE,
		       track->device) &&
	       json_args_add_int(args, &chrome->names, JSON_ARGS_KEY_CONTEXT,
		       track->context) &&
	       json_args_add_int(args, &chrome->names, JSON_ARGS_KEY_STREAM,
		       lanes_stream(track));
}

/* Queueing times are not measured; Kineto then writes 0. */
static bool add_kernel(struct chrome *chrome, const struct event *event,
	struct json_args *args)
{
	struct json_names *names = &chrome->names;
	struct occupancy_estimate estimate;

	if (!json_args_add_int(args, names, JSON_ARGS_KEY_QUEUED, 0))
		return false;
	if (!occupancy_estimate(&chrome->occupancy, event, &estimate))
		return true;
	if (!json_args_add_double(
		    args, names, JSON_ARGS_KEY_BLOCKS, estimate.blocks) ||
		!json_args_add_double(
			args, names, JSON_ARGS_KEY_WARPS, estimate.warps))
		return false;
	return estimate.percent < 0 ||
	       json_args_add_int(
		       args, names, JSON_ARGS_KEY_OCCUPANCY, estimate.percent);
}

/* Bytes per nanosecond are gigabytes per second. */
static bool add_bytes(struct chrome *chrome, const struct event *event,
	struct json_args *args)
{
	if (!json_args_add_int(args, &chrome->names, JSON_ARGS_KEY_BYTES,
		    (int64_t)event->bytes))
		return false;
	return event->dur_ns == 0 ||
	       json_args_add_double(args, &chrome->names,
		       JSON_ARGS_KEY_BANDWIDTH,
		       (double)event->bytes / (double)event->dur_ns);
}

static bool add_details(struct chrome *chrome, const struct event *event,
	struct json_args *args)
{
	uint32_t category = category_of(chrome, event);

	if (category == chrome->timeline.words[WORD_KERNEL])
		return add_kernel(chrome, event, args);
	if (category == chrome->timeline.words[WORD_COPY] ||
		category == chrome->timeline.words[WORD_SET] ||
		event->bytes != 0)
		return add_bytes(chrome, event, args);
	return true;
}

/* Do these numbers come from the trace that was read? Then so do all others. */
static bool has_cause(const struct json_args *args)
{
	return json_args_has(args, JSON_ARGS_KEY_CORRELATION) ||
	       json_args_has(args, JSON_ARGS_KEY_EXTERNAL_ID) ||
	       json_args_has(args, JSON_ARGS_KEY_STREAM);
}

/*
 * The driver's record of a call is beside our own range of it. Readers join by
 * "correlation" and would find two calls for one kernel, so only records
 * without a range get it.
 */
static bool add_cause(struct chrome *chrome, const struct event *event,
	struct json_args *args, struct chrome_cause *cause)
{
	bool stream = chrome->timeline.trace->tracks[event->track].kind ==
		      TRACE_STREAM;
	uint64_t id = 0;

	cause->known = timeline_find_cause(&chrome->timeline, event, &id);
	if (has_cause(args))
		return find_flow(chrome, event, &cause->flow);
	if (id != 0 && !json_args_add_int(args, &chrome->names,
			       JSON_ARGS_KEY_EXTERNAL_ID, (int64_t)id))
		return false;
	if (!stream && cause->known) {
		cause->known = false;
		return true;
	}
	if (!find_flow(chrome, event, &cause->flow))
		return false;
	if (is_external(event))
		return json_args_add_int(args, &chrome->names,
			JSON_ARGS_KEY_EXTERNAL_ID,
			(int64_t)(event->id ^ TRACE_EXTERNAL_ID_BIT));
	return json_args_add_int(args, &chrome->names,
		JSON_ARGS_KEY_CORRELATION, (int64_t)event->id);
}

/* Adds Kineto's arguments to the event's own; counts a stream activity without
 * its call. */
static bool add_device_args(struct chrome *chrome, const struct event *event,
	struct json_args *args, struct chrome_cause *cause)
{
	const struct trace_track *track =
		&chrome->timeline.trace->tracks[event->track];
	bool has_args = has_cause(args);

	*cause = (struct chrome_cause){.known = false};
	if (event->id != 0 && !add_cause(chrome, event, args, cause))
		return false;
	if (has_args)
		return true;
	/* Readers take events with a "stream" for device work, which this is
	 * not. */
	if (track->kind == TRACE_STREAM &&
		!timeline_is_overhead(&chrome->timeline, event) &&
		!add_place(chrome, event, args))
		return false;
	return add_details(chrome, event, args);
}

static bool add_activity(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	struct chrome *chrome = chrome_of(timeline);
	int32_t first = timeline_is_host(timeline, event) ? LANES_HOST : 0;
	const struct chrome_row *row;
	struct chrome_cause cause;

	if (!set_args(chrome, event) ||
		!add_device_args(chrome, event, &chrome->args, &cause))
		return false;
	row = add_slice(chrome, track, event, first, &chrome->args);
	if (row != NULL && cause.known)
		chrome_row_write_flow(&chrome->json, row,
			(struct chrome_flow){'f', event->time_ns, cause.flow});
	return row != NULL;
}

static bool begin_row(struct json *json, const struct chrome_row *row,
	const struct event *event, char phase)
{
	char *at = json_room(json, CHROME_PREFIX_ROOM + JSON_NUMBER_MAX);

	if (at == NULL)
		return false;
	json_advance(json, chrome_row_put(row, at, phase, event->time_ns));
	return true;
}

/* Writes an event up to its category: the site's, or else `usual`. NULL if out
 * of memory. */
static const struct json_site *begin_event(struct chrome *chrome,
	const struct timeline_track *track, const struct event *event,
	char phase, const char *usual)
{
	const struct json_site *site =
		json_names_site(&chrome->names, event->site);
	struct json *json = &chrome->json;

	if (site == NULL || !begin_row(json, row_of(track), event, phase))
		return NULL;
	if (chrome->timeline.trace->sites[event->site].category != 0) {
		json_raw(json, site->bytes, site->cat_size);
		return site;
	}
	json_raw(json, site->bytes, site->name_size);
	json_raw_text(json, ",\"cat\":\"");
	json_raw_text(json, usual);
	json_raw_text(json, "\"");
	return site;
}

static bool end_event(struct chrome *chrome, const struct json_site *site)
{
	json_args_write(&chrome->json, site, &chrome->args);
	json_raw_text(&chrome->json, "}");
	return true;
}

static void write_name(struct json *json, const struct json_site *site)
{
	json_raw(json, site->bytes + NAME_AT, site->name_size - NAME_AT);
}

static void write_int(struct json *json, const char *key, int64_t value)
{
	json_raw_text(json, key);
	json->comma = false;
	json_int(json, value);
}

/* Readers disagree on numbers beyond 2^53, but not on text. */
static void write_id(struct json *json, uint64_t id)
{
	char digits[16];
	char *at = digits;
	int shift = 60;

	while (shift > 0 && id >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[id >> shift & 15];
	json_raw_text(json, ",\"id\":\"0x");
	json_raw(json, digits, (size_t)(at - digits));
	json_raw_text(json, "\"");
}

/* Writes the id, unless the input trace had it in another form. Viewers match
 * by id within the scope, or within the category if there is none; without a
 * category, we write the name as scope. */
static void write_number(struct chrome *chrome, const struct json_site *site,
	const struct event *event)
{
	const struct json_args *args = &chrome->args;

	if (!json_args_has(args, JSON_ARGS_KEY_MEMBER_ID) &&
		!json_args_has(args, JSON_ARGS_KEY_MEMBER_ID2))
		write_id(&chrome->json, event->id);
	if (event->kind == EVENT_FLOW ||
		chrome->timeline.trace->sites[event->site].category != 0 ||
		json_args_has(args, JSON_ARGS_KEY_MEMBER_SCOPE))
		return;
	json_raw_text(&chrome->json, ",\"scope\":");
	write_name(&chrome->json, site);
}

static bool add_async(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct chrome *chrome = chrome_of(timeline);
	char phase = event->kind == EVENT_ASYNC_BEGIN ? 'b' : 'e';
	const struct json_site *site;

	if (!set_args(chrome, event))
		return false;
	site = begin_event(chrome, track, event, phase, "async");
	if (site == NULL)
		return false;
	write_number(chrome, site, event);
	return end_event(chrome, site);
}

static bool add_instant(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct chrome *chrome = chrome_of(timeline);
	const struct json_site *site;
	char phase;

	if (!set_args(chrome, event))
		return false;
	phase = json_args_remove_phase(&chrome->args);
	site = begin_event(
		chrome, track, event, phase == 0 ? 'i' : phase, "instant");
	if (site == NULL)
		return false;
	if (phase == 0 &&
		!json_args_has(&chrome->args, JSON_ARGS_KEY_MEMBER_REACH))
		json_raw_text(&chrome->json, ",\"s\":\"t\"");
	return end_event(chrome, site);
}

/* Kineto's arrows from calls to activities: ours replace them. */
static bool is_cause(const struct trace *trace, uint32_t site)
{
	uint32_t category = trace->sites[site].category;

	return strcmp(strtab_text(trace->text, category, NULL), "ac2g") == 0;
}

/* It ends in the enclosing slice, as it begins: without "bp", viewers would use
 * the next slice. */
static bool add_flow(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	static const char phases[] = {
		[FLOW_START] = 's', [FLOW_STEP] = 't', [FLOW_END] = 'f'};
	struct chrome *chrome = chrome_of(timeline);
	const struct json_site *site;

	if (is_cause(timeline->trace, event->site))
		return true;
	if (!set_args(chrome, event))
		return false;
	site = begin_event(chrome, track, event, phases[event->flow], "flow");
	if (site == NULL)
		return false;
	write_number(chrome, site, event);
	if (event->flow == FLOW_END &&
		!json_args_has(&chrome->args, JSON_ARGS_KEY_MEMBER_BIND))
		json_raw_text(&chrome->json, ",\"bp\":\"e\"");
	return end_event(chrome, site);
}

/* Is it a number in each of its arguments, of which there is one at least? */
static bool has_numbers(const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (event->args[i].kind > ARG_FLOAT ||
			(event->args[i].kind == ARG_FLOAT &&
				!isfinite(event->args[i].value.real)))
			return false;
	return event->arg_count > 0;
}

/* Viewers draw one graph per name and process, with a line for each argument.
 * An argument without a key takes the name. */
static bool add_counter(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct chrome *chrome = chrome_of(timeline);
	struct json *json = &chrome->json;
	const struct json_site *site;

	if (!has_numbers(event)) {
		trace_lose(timeline->trace, LOSS_NOT_SHOWN, 1);
		return true;
	}
	if (!set_args(chrome, event))
		return false;
	site = begin_event(chrome, track, event, 'C', "counter");
	if (site == NULL)
		return false;
	if (event->args[0].key != 0)
		return end_event(chrome, NULL);
	json_raw_text(json, ",\"args\":{");
	write_name(json, site);
	json_raw_text(json, ":");
	json->comma = false;
	json_arg(json, &event->args[0]);
	json_raw_text(json, "}}");
	return true;
}

/* PyTorch's tools look for steps by this name. */
static bool add_step(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct chrome *chrome = chrome_of(timeline);
	struct json *json = &chrome->json;
	const struct json_site *site =
		json_names_site(&chrome->names, event->site);
	char step[JSON_NUMBER_MAX];
	size_t size = (size_t)(json_put_uint(step, event->id) - step);

	if (site == NULL || !begin_row(json, row_of(track), event, 'i'))
		return false;
	json_raw_text(json, ",\"name\":\"ProfilerStep#");
	json_raw(json, step, size);
	json_raw_text(json, "\",\"cat\":\"step\",\"s\":\"p\",\"args\":{"
			    "\"step\":");
	json_raw(json, step, size);
	json_raw_text(json, ",\"requester\":");
	write_name(json, site);
	json_raw_text(json, "}}");
	return true;
}

/* Writes the event as in PyTorch's profiler, and the counter of the device's
 * bytes. */
static bool add_memory(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct json *json = &chrome_of(timeline)->json;
	const struct chrome_row *row = row_of(track);
	char name[TIMELINE_HELD_NAME_MAX];
	uint64_t total;

	if (!timeline_hold(timeline, event, row->pid, &total) ||
		!begin_row(json, row, event, 'i'))
		return false;
	write_int(json,
		",\"name\":\"[memory]\",\"cat\":\"cpu_instant_event\","
		"\"s\":\"t\",\"args\":{\"Total Allocated\":",
		(int64_t)total);
	if (event->kind == EVENT_FREE) {
		write_int(json, ",\"Bytes\":", (int64_t)-event->bytes);
	} else {
		json_key(json, "Bytes");
		json_uint(json, event->bytes);
	}
	json_key(json, "Addr");
	json_uint(json, event->id);
	write_int(json, ",\"Device Type\":",
		event->device < 0 ? TRACE_DEVICE_CPU : TRACE_DEVICE_CUDA);
	write_int(json, ",\"Device Id\":", event->device);
	json_raw_text(json, "}}");
	timeline_held_name(name, event->device);
	(void)begin_row(json, row, event, 'C');
	json_raw_text(json, ",\"name\":\"");
	json_raw_text(json, name);
	write_int(json,
		"\",\"cat\":\"memory\",\"args\":{\"bytes\":", (int64_t)total);
	json_raw_text(json, "}}");
	return true;
}

static bool write_device(struct chrome *chrome, struct json *json,
	const struct trace_device *from)
{
	struct json_names *names = &chrome->names;
	struct json_args args = JSON_ARGS_INIT;
	const struct event event = {
		.arg_count = from->arg_count, .args = from->args};
	bool done =
		json_args_add(&args, names, &event) &&
		json_args_add_int(
			&args, names, JSON_ARGS_KEY_ID, from->number) &&
		json_args_add_int(&args, names, JSON_ARGS_KEY_PID, from->pid);

	if (done)
		json_args_write_object(json, &args);
	json_args_clear(&args);
	return done;
}

/* Writes the member "deviceProperties", if a device is known. */
static bool write_devices(struct chrome *chrome, struct json *json)
{
	const struct trace *trace = chrome->timeline.trace;
	bool done = true;

	if (trace->device_count == 0)
		return true;
	json_key(json, "deviceProperties");
	json_begin(json, '[');
	for (uint32_t i = 0; i < trace->device_count && done; i++)
		done = write_device(chrome, json, &trace->devices[i]);
	json_end(json, ']');
	return done;
}

static bool end_file(struct chrome *chrome)
{
	struct trace *trace = chrome->timeline.trace;
	struct json *json = &chrome->json;

	json_raw_text(json, "\n");
	json_end(json, ']');
	if (!write_devices(chrome, json) ||
		!chrome_facts_write_members(json, trace))
		return false;
	json_key(json, "otherData");
	json->replaced += chrome->names.scratch.replaced;
	if (!chrome_facts_write(json, trace, chrome->timeline.options.title))
		return false;
	json_end(json, '}');
	json_raw_text(json, "\n");
	json_flush(json);
	return !json->failed;
}

static bool finish(struct timeline *timeline)
{
	struct chrome *chrome = chrome_of(timeline);
	bool done = true;

	for (uint32_t i = 0; i < timeline->track_count && done; i++)
		if (timeline->tracks[i] != NULL)
			done = chrome_rows_rename(
				&chrome->rows, track_of(timeline->tracks[i]));
	return done && end_file(chrome);
}

static uint64_t pending(const struct timeline_writer *writer)
{
	return ((const struct chrome *)writer)->json.used;
}

static bool init(struct timeline *timeline)
{
	struct chrome *chrome = chrome_of(timeline);
	/* Initialize all, so that all can be cleared. */
	bool done = json_init(&chrome->json, timeline->out);

	done = json_names_init(&chrome->names, timeline->trace) && done;
	done = occupancy_init(&chrome->occupancy, timeline->trace) && done;
	chrome->pids = strtab_new();
	return chrome_rows_init(
		       &chrome->rows, timeline->trace, &chrome->json) &&
	       chrome->pids != NULL && done;
}

static void clear(struct timeline *timeline)
{
	struct chrome *chrome = chrome_of(timeline);

	strtab_free(chrome->pids);
	chrome_rows_clear(&chrome->rows);
	json_args_clear(&chrome->args);
	json_names_clear(&chrome->names);
	json_clear(&chrome->json);
}

static timeline_add_fn *const adders[EVENT_KINDS] =
	TIMELINE_ADDERS(add_unclipped_call);

static const struct timeline_form form = {
	.bytes = sizeof(struct chrome),
	.track_bytes = sizeof(struct chrome_track),
	.frame_bytes = sizeof(struct chrome_frame),
	.words = 1u << WORD_KERNEL | 1u << WORD_COPY | 1u << WORD_SET |
		 1u << WORD_WAIT | 1u << WORD_OVERHEAD,
	.init = init,
	.begin_file = begin_file,
	.open_track = open_track,
	.mark_open = mark_open,
	.add = adders,
	.finish = finish,
	.pending = pending,
	.clear_frame = chrome_stack_clear_frame,
	.clear_track = chrome_rows_clear_track,
	.clear = clear,
};

enum ctp_status chrome_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	return timeline_new(&form, out, trace, options, writer, err);
}

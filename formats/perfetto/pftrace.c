/* SPDX-License-Identifier: MIT */
/*
 * pftrace: Perfetto's own format, for ui.perfetto.dev and trace_processor.
 * Source: https://perfetto.dev/docs/reference/synthetic-track-event;
 * src/trace_processor/importers/proto/track_event_event_importer.h.
 *
 * Events are written in the order of arrival. Perfetto sorts them by time,
 * keeping the file's order for equal times. Packets, and text in them:
 * pftrace_packet.h. Tracks and nested ranges: pftrace_track.h.
 *
 * An arrow connects all slices with its number in order of time; so a launch's
 * arrow continues from each of its kernels to the next.
 */
#include <math.h>
#include <string.h>

#include "base/stable_hash.h"
#include "json/json.h"
#include "perfetto/pftrace_args.h"
#include "perfetto/pftrace_track.h"
#include "protobuf/protobuf.h"

/* Namespaces of arrow numbers. */
enum { ARROW_CALL, ARROW_FLOW };

struct pftrace {
	struct timeline timeline; /* first: the layer holds a pointer to it */
	struct pftrace_packets packets;
	struct pftrace_tracks tracks;
};

static struct pftrace *pftrace_of(struct timeline *timeline)
{
	return (struct pftrace *)timeline;
}

static struct pftrace_track *track_of(struct timeline_track *track)
{
	return (struct pftrace_track *)track;
}

static void flows_remove(struct pftrace_flows *flows, uint32_t at)
{
	flows->count--;
	memmove(&flows->flows[at], &flows->flows[at + 1],
		(flows->count - at) * sizeof(flows->flows[0]));
}

/* Queues an arrow. If there is no room, the oldest one is removed and put into
 * `*oldest`, and the result is true. */
static bool flows_add(struct pftrace_flows *flows, struct pftrace_flow flow,
	struct pftrace_flow *oldest)
{
	bool is_full = flows->count == PFTRACE_FLOWS_MAX;

	if (is_full) {
		*oldest = flows->flows[0];
		flows_remove(flows, 0);
	}
	flows->flows[flows->count++] = flow;
	return is_full;
}

static bool is_in(int64_t time_ns, const struct event *slice)
{
	return time_ns >= slice->time_ns &&
	       (uint64_t)time_ns - (uint64_t)slice->time_ns <= slice->dur_ns;
}

/* Adds the arrows that wait for this slice to the fields of its event. */
static void flows_write_bound(struct pftrace_flows *flows,
	const struct event *slice, struct buffer *out)
{
	uint32_t i = 0;

	while (i < flows->count) {
		const struct pftrace_flow *flow = &flows->flows[i];

		if (is_in(flow->time_ns, slice)) {
			protobuf_add_fixed64(out, flow->field, flow->id);
			flows_remove(flows, i);
		} else {
			i++;
		}
	}
}

static void begin_file(struct timeline *timeline, int64_t first_ns)
{
	pftrace_tracks_begin(&pftrace_of(timeline)->tracks, first_ns);
}

static bool open_track(struct timeline *timeline, struct timeline_track *track)
{
	pftrace_track_open(&pftrace_of(timeline)->tracks, track_of(track));
	return true;
}

static bool add_begin(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	return pftrace_range_begin(
		&pftrace_of(timeline)->tracks, track_of(track), event);
}

static bool add_end(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	return pftrace_range_end(
		&pftrace_of(timeline)->tracks, track_of(track), event);
}

static bool mark_open(struct timeline *timeline, struct timeline_track *track)
{
	pftrace_args_add_true(&pftrace_of(timeline)->packets,
		pftrace_range_fields(track_of(track)), "open");
	return true;
}

static bool add_args(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	pftrace_args_add(&pftrace_of(timeline)->packets,
		pftrace_range_fields(track_of(track)), event);
	return true;
}

/* Writes a slice into the first free lane. `fields` (may be NULL) are added to
 * its event. */
static bool add_slice(struct pftrace *pftrace, struct timeline_track *track,
	const struct event *event, int32_t first, const struct buffer *fields)
{
	struct pftrace_packets *packets = &pftrace->packets;
	struct buffer *out;
	uint64_t uuid = 0;
	int32_t lane;

	if (timeline_place_slice(
		    &pftrace->timeline, track, event, first, &lane))
		uuid = pftrace_track_lane(
			&pftrace->tracks, track_of(track), lane);
	if (uuid == 0)
		return false;
	out = pftrace_event_begin(
		packets, PFTRACE_SLICE_BEGIN, uuid, event->time_ns);
	pftrace_args_add_site(packets, out, event->site);
	pftrace_args_add(packets, out, event);
	if (fields != NULL)
		buffer_add(out, fields->bytes, fields->used);
	pftrace_event_end(packets);
	(void)pftrace_event_begin(
		packets, PFTRACE_SLICE_END, uuid, event_end(event));
	pftrace_event_end(packets);
	return true;
}

static bool add_complete(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	return add_slice(pftrace_of(timeline), track, event, 0, NULL);
}

/* The number of an arrow, unique for kind and process. */
static uint64_t arrow(uint64_t kind, uint64_t scope, uint64_t id)
{
	uint64_t key[3] = {kind, scope, id};

	return stable_hash(key, sizeof(key));
}

/* The correlation and arrow that connect a call with its activity. */
static void add_cause(struct timeline *timeline, struct buffer *out,
	const struct event *event)
{
	int64_t pid = timeline->trace->tracks[event->track].pid;

	pftrace_add_correlation(out, event->id);
	protobuf_add_fixed64(out, TRACK_EVENT_FLOW_IDS,
		arrow(ARROW_CALL, (uint64_t)pid, event->id));
}

static bool add_correlation(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	add_cause(timeline, pftrace_range_fields(track_of(track)), event);
	return timeline_add_cause(timeline, event, 0);
}

/* The driver's record of a call is a separate slice beside our own range of the
 * call, to which the arrow leads. */
static bool add_activity(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	bool stream =
		timeline->trace->tracks[event->track].kind == TRACE_STREAM;
	int32_t first = timeline_is_host(timeline, event) ? LANES_HOST : 0;
	struct pftrace *pftrace = pftrace_of(timeline);
	struct buffer fields = BUFFER_INIT;
	uint64_t unused;
	bool is_known = timeline_find_cause(timeline, event, &unused);
	bool done;

	if (event->id != 0 && (stream || !is_known))
		add_cause(timeline, &fields, event);
	else if (event->id != 0)
		pftrace_add_correlation(&fields, event->id);
	flows_write_bound(&track_of(track)->flows, event, &fields);
	if (event->bytes != 0)
		pftrace_args_add_int(&pftrace->packets, &fields, "bytes",
			(int64_t)event->bytes);
	done = !fields.failed &&
	       add_slice(pftrace, track, event, first, &fields);
	buffer_clear(&fields);
	return done;
}

static bool add_async(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct pftrace *pftrace = pftrace_of(timeline);
	struct pftrace_packets *packets = &pftrace->packets;
	uint64_t uuid = pftrace_async_track(&pftrace->tracks, event);
	bool begins = event->kind == EVENT_ASYNC_BEGIN;
	struct buffer *out;

	(void)track;
	if (uuid == 0)
		return false;
	out = pftrace_event_begin(packets,
		begins ? PFTRACE_SLICE_BEGIN : PFTRACE_SLICE_END, uuid,
		event->time_ns);
	if (begins)
		pftrace_args_add_site(packets, out, event->site);
	pftrace_args_add(packets, out, event);
	pftrace_event_end(packets);
	return true;
}

/* Begins an instant within the ranges that are open; NULL if out of memory. */
static struct buffer *begin_instant(
	struct pftrace *pftrace, struct timeline_track *track, int64_t time_ns)
{
	if (!pftrace_range_flush(&pftrace->tracks, track_of(track)))
		return NULL;
	return pftrace_event_begin(&pftrace->packets, PFTRACE_INSTANT,
		pftrace_range_uuid(track_of(track)),
		timeline_time(track, time_ns));
}

static bool add_instant(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct pftrace *pftrace = pftrace_of(timeline);
	struct buffer *out = begin_instant(pftrace, track, event->time_ns);

	if (out == NULL)
		return false;
	pftrace_args_add_site(&pftrace->packets, out, event->site);
	pftrace_args_add(&pftrace->packets, out, event);
	pftrace_event_end(&pftrace->packets);
	return true;
}

static bool write_flow(struct pftrace *pftrace, struct timeline_track *track,
	const struct pftrace_flow *flow)
{
	struct buffer *out = begin_instant(pftrace, track, flow->time_ns);

	if (out == NULL)
		return false;
	pftrace_args_add_site(&pftrace->packets, out, flow->site);
	protobuf_add_fixed64(out, flow->field, flow->id);
	pftrace_event_end(&pftrace->packets);
	return true;
}

/* An arrow can end at a range that has just begun. If other events followed its
 * begin, the arrow ends at an instant in it. Kineto's arrows from calls to
 * activities are skipped, since the correlation already makes them. */
static bool add_flow(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct pftrace *pftrace = pftrace_of(timeline);
	struct pftrace_track *own = track_of(track);
	const struct trace_site *site = &timeline->trace->sites[event->site];
	struct pftrace_flow oldest;
	struct pftrace_flow flow = {.time_ns = event->time_ns,
		.id = arrow(ARROW_FLOW, site->name, event->id),
		.field = event->flow == FLOW_END
				 ? TRACK_EVENT_TERMINATING_FLOW_IDS
				 : TRACK_EVENT_FLOW_IDS,
		.site = event->site};

	if (site->category == timeline->words[WORD_CAUSE])
		return true;
	if (own->is_held) {
		protobuf_add_fixed64(&own->held, flow.field, flow.id);
		return true;
	}
	if (timeline->trace->tracks[event->track].kind != TRACE_STREAM)
		return write_flow(pftrace, track, &flow);
	return !flows_add(&own->flows, flow, &oldest) ||
	       write_flow(pftrace, track, &oldest);
}

static void write_count(struct pftrace *pftrace, uint64_t uuid,
	const struct event *event, const struct event_arg *value)
{
	struct buffer *out = pftrace_event_begin(
		&pftrace->packets, PFTRACE_COUNTER, uuid, event->time_ns);

	if (value->kind == ARG_INT)
		protobuf_add_int(
			out, TRACK_EVENT_COUNTER_VALUE, value->value.integer);
	else
		protobuf_add_double(out, TRACK_EVENT_DOUBLE_COUNTER_VALUE,
			value->value.real);
	pftrace_event_end(&pftrace->packets);
}

/* "name key", as Perfetto calls a counter of several values. */
static bool describe_counter(struct pftrace_tracks *tracks, uint64_t uuid,
	const struct pftrace_key *key)
{
	struct buffer name = BUFFER_INIT;
	const struct strtab *text = tracks->trace->text;
	size_t size;
	const char *bytes = strtab_text(text, (uint32_t)key->number, &size);
	bool done;

	buffer_add(&name, bytes, size);
	if (key->part != 0) {
		bytes = strtab_text(text, (uint32_t)key->part, &size);
		buffer_add_byte(&name, ' ');
		buffer_add(&name, bytes, size);
	}
	done = !name.failed;
	if (done)
		pftrace_counter_describe(
			tracks, uuid, key->pid, (char *)name.bytes, name.used);
	buffer_clear(&name);
	return done;
}

static bool add_counter(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct pftrace *pftrace = pftrace_of(timeline);
	const struct event_arg *value = event->args;
	struct pftrace_key key = {PFTRACE_COUNTED,
		timeline->trace->tracks[event->track].pid,
		timeline->trace->sites[event->site].name, 0};
	uint64_t uuid;
	bool is_new;

	(void)track;
	if (event->arg_count == 0 || value->kind > ARG_FLOAT ||
		(value->kind == ARG_FLOAT && !isfinite(value->value.real))) {
		trace_lose(timeline->trace, LOSS_NOT_SHOWN, 1);
		return true;
	}
	key.part = value->key;
	uuid = pftrace_find_uuid(&pftrace->tracks, key, &is_new);
	if (uuid == 0 ||
		(is_new && !describe_counter(&pftrace->tracks, uuid, &key)))
		return false;
	write_count(pftrace, uuid, event, value);
	return true;
}

/* Writes the bytes that the process holds on a device, or the host. */
static bool write_held(struct pftrace *pftrace, const struct event *event)
{
	struct timeline *timeline = &pftrace->timeline;
	int64_t pid = timeline->trace->tracks[event->track].pid;
	char name[TIMELINE_HELD_NAME_MAX];
	uint64_t total;
	bool is_new;
	uint64_t uuid = pftrace_find_uuid(&pftrace->tracks,
		(struct pftrace_key){PFTRACE_MEMORY_SUM, pid, event->device, 0},
		&is_new);

	if (uuid == 0 || !timeline_hold(timeline, event, pid, &total))
		return false;
	timeline_held_name(name, event->device);
	if (is_new)
		pftrace_counter_describe(
			&pftrace->tracks, uuid, pid, name, strlen(name));
	write_count(pftrace, uuid, event,
		&(struct event_arg){
			.kind = ARG_INT, .value.integer = (int64_t)total});
	return true;
}

/* As in PyTorch's profiler: an instant, and a sum. */
static bool add_memory(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct pftrace *pftrace = pftrace_of(timeline);
	struct pftrace_packets *packets = &pftrace->packets;
	struct buffer *out = begin_instant(pftrace, track, event->time_ns);
	uint64_t bytes = event->bytes;

	if (out == NULL)
		return false;
	if (event->kind == EVENT_FREE)
		bytes = -bytes;
	protobuf_add_uint(out, TRACK_EVENT_NAME_IID,
		pftrace_text(
			packets, timeline->words[WORD_MEMORY], PFTRACE_NAME));
	pftrace_args_add_int(packets, out, "Bytes", (int64_t)bytes);
	pftrace_args_add_int(packets, out, "Addr", (int64_t)event->id);
	pftrace_args_add_int(packets, out, "Device Id", event->device);
	pftrace_event_end(packets);
	return write_held(pftrace, event);
}

/* PyTorch's tools look for steps by this name. */
static bool add_step(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct pftrace *pftrace = pftrace_of(timeline);
	struct pftrace_packets *packets = &pftrace->packets;
	struct buffer *out = begin_instant(pftrace, track, event->time_ns);
	char name[sizeof("ProfilerStep#") + JSON_NUMBER_MAX] = "ProfilerStep#";
	char *end = json_put_uint(name + strlen(name), event->id);

	if (out == NULL)
		return false;
	protobuf_add_bytes(out, TRACK_EVENT_NAME, name, (size_t)(end - name));
	pftrace_args_add_int(packets, out, "step", (int64_t)event->id);
	pftrace_args_add_text(packets, out, "requester",
		timeline->trace->sites[event->site].name);
	pftrace_event_end(packets);
	return true;
}

/* The only message for arbitrary metadata of a trace. */
enum { PACKET_CHROME_EVENTS = 5, CHROME_EVENTS_METADATA = 2 };

enum { METADATA_NAME = 1, METADATA_STRING_VALUE = 2, METADATA_INT_VALUE = 4 };

static void add_text(struct pftrace_packets *packets, struct buffer *out,
	const char *key, const char *value)
{
	size_t begun = protobuf_begin(out, CHROME_EVENTS_METADATA);

	pftrace_add_text(packets, out, METADATA_NAME, key, strlen(key));
	pftrace_add_text(
		packets, out, METADATA_STRING_VALUE, value, strlen(value));
	protobuf_end(out, begun);
}

static void add_losses(struct pftrace_packets *packets, struct buffer *out)
{
	for (int i = 0; i < LOSS_KINDS; i++) {
		uint64_t count = packets->trace->losses[i];
		size_t begun;

		if (count == 0)
			continue;
		begun = protobuf_begin(out, CHROME_EVENTS_METADATA);
		protobuf_add_text(out, METADATA_NAME,
			trace_loss_name((enum trace_loss)i));
		protobuf_add_uint(out, METADATA_INT_VALUE, count);
		protobuf_end(out, begun);
	}
}

/* Writes the facts about the recording and the losses. `title` may be NULL. */
static void write_facts(struct pftrace_packets *packets, const char *title)
{
	const struct trace *trace = packets->trace;
	struct buffer *out = pftrace_packet_begin(packets);
	size_t begun = protobuf_begin(out, PACKET_CHROME_EVENTS);

	add_text(packets, out, "writer", PACKAGE_STRING);
	if (title != NULL)
		add_text(packets, out, "title", title);
	for (uint32_t i = 0; i < trace->fact_count; i++)
		add_text(packets, out,
			strtab_text(trace->text, trace->facts[i].key, NULL),
			strtab_text(trace->text, trace->facts[i].value, NULL));
	add_losses(packets, out);
	protobuf_end(out, begun);
	pftrace_packet_end(packets);
}

/* Writes the pending arrows. */
static bool finish_track(
	struct timeline *timeline, struct timeline_track *track)
{
	const struct pftrace_flows *flows = &track_of(track)->flows;
	bool done = true;

	for (uint32_t i = 0; i < flows->count && done; i++)
		done = write_flow(
			pftrace_of(timeline), track, &flows->flows[i]);
	return done;
}

static bool finish(struct timeline *timeline)
{
	struct pftrace *pftrace = pftrace_of(timeline);

	for (uint32_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i] != NULL)
			pftrace_track_rename(&pftrace->tracks,
				track_of(timeline->tracks[i]));
	write_facts(&pftrace->packets, timeline->options.title);
	pftrace_packets_flush(&pftrace->packets);
	return !pftrace->packets.bytes.failed;
}

static uint64_t pending(const struct timeline_writer *writer)
{
	return ((const struct pftrace *)writer)->packets.bytes.used;
}

static bool init(struct timeline *timeline)
{
	struct pftrace *pftrace = pftrace_of(timeline);
	/* Initialize both, so that both can be cleared. */
	bool done = pftrace_packets_init(
		&pftrace->packets, timeline->out, timeline->trace);

	timeline->failed = &pftrace->packets.bytes.failed;
	return pftrace_tracks_init(&pftrace->tracks, &pftrace->packets) && done;
}

static void clear(struct timeline *timeline)
{
	pftrace_tracks_clear(&pftrace_of(timeline)->tracks);
	pftrace_packets_clear(&pftrace_of(timeline)->packets);
}

static timeline_add_fn *const adders[EVENT_KINDS] =
	TIMELINE_ADDERS(add_complete);

static const struct timeline_form form = {
	.bytes = sizeof(struct pftrace),
	.track_bytes = sizeof(struct pftrace_track),
	.frame_bytes = sizeof(struct pftrace_range),
	.keeps_apart = true,
	.words = 1u << WORD_MEMORY | 1u << WORD_WAIT | 1u << WORD_OVERHEAD |
		 1u << WORD_CAUSE,
	.init = init,
	.begin_file = begin_file,
	.open_track = open_track,
	.finish_track = finish_track,
	.mark_open = mark_open,
	.add = adders,
	.finish = finish,
	.pending = pending,
	.clear_frame = pftrace_range_clear,
	.clear_track = pftrace_track_clear,
	.clear = clear,
};

static enum ctp_status new_timeline(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	return timeline_new(&form, out, trace, options, writer, err);
}

const struct format pftrace_format = {
	.name = "pftrace",
	.suffix = ".pftrace",
	.summary = "Perfetto trace, for ui.perfetto.dev and trace_processor",
	.binary = true,
	.new_timeline = new_timeline,
};

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

#include "base/memory.h"
#include "base/stable_hash.h"
#include "format.h"
#include "json/json.h"
#include "perfetto/pftrace_args.h"
#include "perfetto/pftrace_track.h"
#include "protobuf/protobuf.h"
#include "trace/correlation.h"

/* Namespaces of arrow numbers. */
enum { ARROW_CALL, ARROW_FLOW };

struct pftrace {
	struct timeline_writer writer; /* first: callers hold a pointer to it */
	struct trace *trace;
	struct pftrace_packets packets;
	struct pftrace_tracks tracks;
	struct correlation *calls; /* known calls; values are unused */
	const char *title;
	uint32_t memory_name; /* strtab numbers in the trace */
	uint32_t wait_category;
	uint32_t overhead_category;
	uint32_t cause_category;
};

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

static int64_t time_in_file(const struct pftrace_track *track, int64_t time_ns)
{
	int64_t since_ns;

	if (__builtin_sub_overflow(time_ns, track->epoch_ns, &since_ns))
		return INT64_MIN;
	return since_ns;
}

/* The event, its time corrected if it went backwards. */
static struct event in_order(struct pftrace *pftrace,
	struct pftrace_track *track, const struct event *event)
{
	struct event adjusted = *event;

	adjusted.time_ns = time_in_file(track, event->time_ns);
	if (adjusted.time_ns < track->last_ns) {
		pftrace->trace->losses[LOSS_BACKWARD_TIMES]++;
		adjusted.time_ns = track->last_ns;
	}
	track->last_ns = adjusted.time_ns;
	return adjusted;
}

static bool add_begin(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	struct event adjusted;

	if (!track->has_ranges)
		track->epoch_ns = trace_track_epoch(
			pftrace->trace, event->track, event->time_ns);
	adjusted = in_order(pftrace, track, event);
	return pftrace_track_begin(&pftrace->tracks, track, &adjusted);
}

static bool add_end(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	struct event adjusted;

	if (track->stack.depth == 0) {
		pftrace->trace->losses[LOSS_STRAY_ENDS]++;
		return true;
	}
	adjusted = in_order(pftrace, track, event);
	return pftrace_track_end(&pftrace->tracks, track, &adjusted);
}

static bool add_args(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	if (track->stack.depth == 0) {
		pftrace->trace->losses[LOSS_NOT_SHOWN]++;
		return true;
	}
	pftrace_args_add(&pftrace->packets, pftrace_track_fields(track), event);
	return true;
}

/* Writes a slice into the first free lane. `fields` (may be NULL) are added to
 * its event. */
static bool add_slice(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event, const struct buffer *fields)
{
	struct pftrace_packets *packets = &pftrace->packets;
	uint32_t category = pftrace->trace->sites[event->site].category;
	struct pftrace_lanes *lanes = &track->slices;
	int64_t end_ns = INT64_MAX;
	struct buffer *out;
	uint32_t lane = 0;
	uint64_t uuid;

	/* Host time, such as waits for the stream, would not nest with the
	 * rest. */
	if (pftrace->trace->tracks[event->track].kind == TRACE_STREAM &&
		event->kind == EVENT_ACTIVITY &&
		(category == pftrace->wait_category ||
			category == pftrace->overhead_category))
		lanes = &track->host;
	if (event->dur_ns < (uint64_t)INT64_MAX - (uint64_t)event->time_ns)
		end_ns = (int64_t)((uint64_t)event->time_ns + event->dur_ns);
	uuid = pftrace_track_lane(&pftrace->tracks, track, lanes, event, &lane);
	if (uuid == 0)
		return false;
	if (lane > 0)
		pftrace->trace->losses[LOSS_OVERLAPS]++;
	out = pftrace_event_begin(
		packets, PFTRACE_SLICE_BEGIN, uuid, event->time_ns);
	pftrace_args_add_site(packets, out, event->site);
	pftrace_args_add(packets, out, event);
	if (fields != NULL)
		buffer_add(out, fields->bytes, fields->used);
	pftrace_event_end(packets);
	(void)pftrace_event_begin(packets, PFTRACE_SLICE_END, uuid, end_ns);
	pftrace_event_end(packets);
	return true;
}

static bool add_complete(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	return add_slice(pftrace, track, event, NULL);
}

/* The number of an arrow, unique for kind and process. */
static uint64_t arrow(uint64_t kind, uint64_t scope, uint64_t id)
{
	uint64_t key[3] = {kind, scope, id};

	return stable_hash(key, sizeof(key));
}

/* The correlation and arrow that connect a call with its activity. */
static void add_cause(
	struct pftrace *pftrace, struct buffer *out, const struct event *event)
{
	int64_t pid = pftrace->trace->tracks[event->track].pid;

	pftrace_add_correlation(out, event->id);
	protobuf_add_fixed64(out, TRACK_EVENT_FLOW_IDS,
		arrow(ARROW_CALL, (uint64_t)pid, event->id));
}

static bool add_correlation(struct pftrace *pftrace,
	struct pftrace_track *track, const struct event *event)
{
	if (track->stack.depth == 0) {
		pftrace->trace->losses[LOSS_NOT_SHOWN]++;
		return true;
	}
	add_cause(pftrace, pftrace_track_fields(track), event);
	return correlation_add(pftrace->calls,
		pftrace->trace->tracks[event->track].pid, event->id, 0);
}

/* The driver's record of a call is a separate slice beside our own range of the
 * call, to which the arrow leads. */
static bool add_activity(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	const struct trace_track *from = &pftrace->trace->tracks[event->track];
	uint32_t category = pftrace->trace->sites[event->site].category;
	struct buffer fields = BUFFER_INIT;
	uint64_t unused;
	bool is_known =
		correlation_find(pftrace->calls, from->pid, event->id, &unused);
	bool done;

	if (from->kind == TRACE_STREAM && event->id != 0 && !is_known &&
		category != pftrace->overhead_category)
		pftrace->trace->losses[LOSS_UNMATCHED]++;
	if (event->id != 0 && (from->kind == TRACE_STREAM || !is_known))
		add_cause(pftrace, &fields, event);
	else if (event->id != 0)
		pftrace_add_correlation(&fields, event->id);
	flows_write_bound(&track->flows, event, &fields);
	if (event->bytes != 0)
		pftrace_args_add_int(&pftrace->packets, &fields, "bytes",
			(int64_t)event->bytes);
	done = !fields.failed && add_slice(pftrace, track, event, &fields);
	buffer_clear(&fields);
	return done;
}

static bool add_async(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
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
static struct buffer *begin_instant(struct pftrace *pftrace,
	struct pftrace_track *track, const struct event *event)
{
	if (!pftrace_track_flush(&pftrace->tracks, track))
		return NULL;
	return pftrace_event_begin(&pftrace->packets, PFTRACE_INSTANT,
		pftrace_track_uuid(track), time_in_file(track, event->time_ns));
}

static bool add_instant(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	struct buffer *out = begin_instant(pftrace, track, event);

	if (out == NULL)
		return false;
	pftrace_args_add_site(&pftrace->packets, out, event->site);
	pftrace_args_add(&pftrace->packets, out, event);
	pftrace_event_end(&pftrace->packets);
	return true;
}

static bool write_flow(struct pftrace *pftrace, struct pftrace_track *track,
	const struct pftrace_flow *flow)
{
	const struct event at = {.time_ns = flow->time_ns};
	struct buffer *out = begin_instant(pftrace, track, &at);

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
static bool add_flow(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	const struct trace *trace = pftrace->trace;
	const struct trace_site *site = &trace->sites[event->site];
	struct pftrace_flow oldest;
	struct pftrace_flow flow = {.time_ns = event->time_ns,
		.id = arrow(ARROW_FLOW, site->name, event->id),
		.field = event->flow == FLOW_END
				 ? TRACK_EVENT_TERMINATING_FLOW_IDS
				 : TRACK_EVENT_FLOW_IDS,
		.site = event->site};

	if (site->category == pftrace->cause_category)
		return true;
	if (track->stack.is_held) {
		protobuf_add_fixed64(&track->stack.held, flow.field, flow.id);
		return true;
	}
	if (trace->tracks[event->track].kind != TRACE_STREAM)
		return write_flow(pftrace, track, &flow);
	return !flows_add(&track->flows, flow, &oldest) ||
	       write_flow(pftrace, track, &oldest);
}

static void write_count(struct pftrace_tracks *tracks, uint64_t uuid,
	const struct event *event, const struct event_arg *value)
{
	struct buffer *out = pftrace_event_begin(
		tracks->packets, PFTRACE_COUNTER, uuid, event->time_ns);

	if (value->kind == ARG_INT)
		protobuf_add_int(
			out, TRACK_EVENT_COUNTER_VALUE, value->value.integer);
	else
		protobuf_add_double(out, TRACK_EVENT_DOUBLE_COUNTER_VALUE,
			value->value.real);
	pftrace_event_end(tracks->packets);
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

/* Writes an EVENT_COUNTER; counts one that has no number. False if out of
 * memory. */
static bool write_counter(
	struct pftrace_tracks *tracks, const struct event *event)
{
	const struct event_arg *value = event->args;
	struct pftrace_key key = {PFTRACE_COUNTED,
		tracks->trace->tracks[event->track].pid,
		tracks->trace->sites[event->site].name, 0};
	struct pftrace_descriptor *descriptor;
	bool is_new;

	if (event->arg_count == 0 || value->kind > ARG_FLOAT ||
		(value->kind == ARG_FLOAT && !isfinite(value->value.real))) {
		tracks->trace->losses[LOSS_NOT_SHOWN]++;
		return true;
	}
	key.part = value->key;
	descriptor = pftrace_descriptor_find(tracks, key, &is_new);
	if (descriptor == NULL ||
		(is_new && !describe_counter(tracks, descriptor->uuid, &key)))
		return false;
	write_count(tracks, descriptor->uuid, event, value);
	return true;
}

/* The counter of memory that a process holds on a device, or the host (-1). */
static struct pftrace_descriptor *find_sum(
	struct pftrace_tracks *tracks, const struct event *event)
{
	struct pftrace_key key = {PFTRACE_MEMORY_SUM,
		tracks->trace->tracks[event->track].pid, event->device, 0};
	char name[64] = "Total Allocated (host)";
	bool is_new;
	struct pftrace_descriptor *descriptor =
		pftrace_descriptor_find(tracks, key, &is_new);

	if (descriptor == NULL || !is_new)
		return descriptor;
	if (event->device >= 0) {
		char *at = name + strlen("Total Allocated (");

		memcpy(at, "device ", 7);
		at = json_put_int(at + 7, event->device);
		*at++ = ')';
		*at = '\0';
	}
	pftrace_counter_describe(
		tracks, descriptor->uuid, key.pid, name, strlen(name));
	return descriptor;
}

/* Writes the bytes that a device, or the host, holds after an EVENT_ALLOC or
 * EVENT_FREE. */
static bool write_memory(
	struct pftrace_tracks *tracks, const struct event *event)
{
	struct pftrace_descriptor *sum = find_sum(tracks, event);
	struct event_arg total = {.kind = ARG_INT};

	if (sum == NULL)
		return false;
	sum->total += event->kind == EVENT_FREE ? -event->bytes : event->bytes;
	total.value.integer = (int64_t)sum->total;
	write_count(tracks, sum->uuid, event, &total);
	return true;
}

static bool add_counter(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	(void)track;
	return write_counter(&pftrace->tracks, event);
}

/* As in PyTorch's profiler: an instant, and a sum. */
static bool add_memory(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	struct pftrace_packets *packets = &pftrace->packets;
	struct buffer *out = begin_instant(pftrace, track, event);
	uint64_t bytes = event->bytes;

	if (out == NULL)
		return false;
	if (event->kind == EVENT_FREE)
		bytes = -bytes;
	protobuf_add_uint(out, TRACK_EVENT_NAME_IID,
		pftrace_text(packets, pftrace->memory_name, PFTRACE_NAME));
	pftrace_args_add_int(packets, out, "Bytes", (int64_t)bytes);
	pftrace_args_add_int(packets, out, "Addr", (int64_t)event->id);
	pftrace_args_add_int(packets, out, "Device Id", event->device);
	pftrace_event_end(packets);
	return write_memory(&pftrace->tracks, event);
}

/* PyTorch's tools look for steps by this name. */
static bool add_step(struct pftrace *pftrace, struct pftrace_track *track,
	const struct event *event)
{
	struct pftrace_packets *packets = &pftrace->packets;
	struct buffer *out = begin_instant(pftrace, track, event);
	char name[sizeof("ProfilerStep#") + JSON_NUMBER_MAX] = "ProfilerStep#";
	char *end = json_put_uint(name + strlen(name), event->id);

	if (out == NULL)
		return false;
	protobuf_add_bytes(out, TRACK_EVENT_NAME, name, (size_t)(end - name));
	pftrace_args_add_int(packets, out, "step", (int64_t)event->id);
	pftrace_args_add_text(packets, out, "requester",
		pftrace->trace->sites[event->site].name);
	pftrace_event_end(packets);
	return true;
}

/* Events of a kind without a function are counted as not shown. */
static bool (*const adders[EVENT_KINDS])(struct pftrace *pftrace,
	struct pftrace_track *track, const struct event *event) = {
	[EVENT_BEGIN] = add_begin,
	[EVENT_END] = add_end,
	[EVENT_ARGS] = add_args,
	[EVENT_COMPLETE] = add_complete,
	[EVENT_UNCLIPPED_CALL] = add_complete,
	[EVENT_ASYNC_BEGIN] = add_async,
	[EVENT_ASYNC_END] = add_async,
	[EVENT_INSTANT] = add_instant,
	[EVENT_COUNTER] = add_counter,
	[EVENT_ALLOC] = add_memory,
	[EVENT_FREE] = add_memory,
	[EVENT_STEP] = add_step,
	[EVENT_CORRELATION] = add_correlation,
	[EVENT_ACTIVITY] = add_activity,
	[EVENT_FLOW] = add_flow,
};

static enum ctp_status check(
	bool done, struct pftrace *pftrace, struct ctp_error *err)
{
	if (!done || pftrace->packets.bytes.failed)
		return ctp_no_memory(err);
	return CTP_OK;
}

static enum ctp_status add(struct timeline_writer *writer,
	const struct event *event, struct ctp_error *err)
{
	struct pftrace *pftrace = (struct pftrace *)writer;
	struct pftrace_track *track;

	if (!pftrace->packets.begun)
		pftrace_tracks_begin(&pftrace->tracks, event->time_ns);
	if (adders[event->kind] == NULL) {
		trace_lose(pftrace->trace, LOSS_NOT_SHOWN, 1);
		return CTP_OK;
	}
	track = pftrace_tracks_open(&pftrace->tracks, event->track);
	return check(
		track != NULL && adders[event->kind](pftrace, track, event),
		pftrace, err);
}

/* Writes the pending arrows, and ends the open ranges. */
static bool end_track(struct pftrace *pftrace, uint32_t number)
{
	struct pftrace_track *track = pftrace->tracks.tracks[number];
	struct event end = {.kind = EVENT_END, .track = number};
	bool done = true;

	if (track == NULL)
		return true;
	for (uint32_t i = 0; i < track->flows.count && done; i++)
		done = write_flow(pftrace, track, &track->flows.flows[i]);
	end.time_ns =
		time_in_file(track, trace_track_end(pftrace->trace, number));
	if (end.time_ns < track->last_ns)
		end.time_ns = track->last_ns;
	while (track->stack.depth > 0 && done) {
		pftrace->trace->losses[LOSS_OPEN_RANGES]++;
		pftrace_args_add_true(
			&pftrace->packets, pftrace_track_fields(track), "open");
		done = pftrace_track_end(&pftrace->tracks, track, &end);
	}
	return done;
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

static enum ctp_status finish(
	struct timeline_writer *writer, struct ctp_error *err)
{
	struct pftrace *pftrace = (struct pftrace *)writer;
	bool done = true;

	if (!pftrace->packets.begun)
		pftrace_tracks_begin(&pftrace->tracks, 0);
	for (uint32_t i = 0; i < pftrace->tracks.count && done; i++)
		done = end_track(pftrace, i);
	if (done) {
		pftrace_tracks_rename(&pftrace->tracks);
		write_facts(&pftrace->packets, pftrace->title);
		pftrace_packets_flush(&pftrace->packets);
	}
	return check(done, pftrace, err);
}

static uint64_t pending(const struct timeline_writer *writer)
{
	return ((const struct pftrace *)writer)->packets.bytes.used;
}

static void pftrace_free(struct timeline_writer *writer)
{
	struct pftrace *pftrace = (struct pftrace *)writer;

	if (pftrace == NULL)
		return;
	pftrace_tracks_clear(&pftrace->tracks);
	pftrace_packets_clear(&pftrace->packets);
	correlation_free(pftrace->calls);
	memory_free(pftrace);
}

static bool add_words(struct trace *trace, const char *text, uint32_t *number)
{
	*number = strtab_add(trace->text, text, strlen(text));
	return *number != STRTAB_NONE;
}

static bool init(struct pftrace *pftrace, FILE *out)
{
	struct trace *trace = pftrace->trace;

	/* Initialize both, so that both can be cleared. */
	bool done = pftrace_packets_init(&pftrace->packets, out, trace);

	done = pftrace_tracks_init(&pftrace->tracks, &pftrace->packets) && done;
	pftrace->calls = correlation_new(CORRELATION_LIMIT);
	return done && pftrace->calls != NULL &&
	       add_words(trace, "[memory]", &pftrace->memory_name) &&
	       add_words(trace, "cuda_sync", &pftrace->wait_category) &&
	       add_words(trace, "overhead", &pftrace->overhead_category) &&
	       add_words(trace, "ac2g", &pftrace->cause_category);
}

static enum ctp_status new_timeline(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	struct pftrace *pftrace = memory_new_zeroed(1, sizeof(*pftrace));

	if (pftrace != NULL) {
		pftrace->writer = (struct timeline_writer){.add = add,
			.finish = finish,
			.free = pftrace_free,
			.pending = pending};
		pftrace->trace = trace;
		pftrace->title = options == NULL ? NULL : options->title;
	}
	if (pftrace == NULL || !init(pftrace, out)) {
		if (pftrace != NULL)
			pftrace_free(&pftrace->writer);
		return ctp_no_memory(err);
	}
	*writer = &pftrace->writer;
	return CTP_OK;
}

const struct format pftrace_format = {
	.name = "pftrace",
	.suffix = ".pftrace",
	.summary = "Perfetto trace, for ui.perfetto.dev and trace_processor",
	.binary = true,
	.new_timeline = new_timeline,
};

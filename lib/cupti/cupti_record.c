/* SPDX-License-Identifier: MIT */
/*
 * Records have the loaded library's size, which may be less or more than the
 * size that we know. The common part is copied into the form that we know. The
 * rest is 0, which always means "unknown".
 */
#include "cupti/cupti_record.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "recorder/device_link.h"
#include "log/activity_name.h"
#include "cupti/cupti_callback.h"
#include "cupti/cupti_abi.h"
#include "cupti/cupti_describe.h"
#include "cupti/cupti_device.h"
#include "cupti/cupti_graph.h"
#include "cupti/cupti_session.h"
#include "cupti/cupti_table.h"

/* Activities written together. */
#define BATCH 1024

/* A record in the log's form. */
struct parsed {
	struct cupti_description description;
	struct device_activity activity;
	struct device_place place;
	enum log_track_kind track_kind;
	int64_t track_number;
};

/* What identifies a track. */
struct track_key {
	uint64_t kind, number, place;
};

static struct {
	struct device_activity batch[BATCH];
	uint32_t batched;
	struct track_key last; /* and its track; 0: none */
	uint32_t last_track;
	struct cupti_table tracks;
	uint32_t ignored; /* a thread */
	int64_t now_ns;   /* on the device's clock */
	bool has_work;
} records = {
	.tracks = CUPTI_TABLE_INIT(sizeof(struct track_key) / sizeof(uint64_t)),
};

static void copy_record(void *out, size_t room, const void *record, size_t size)
{
	memcpy(out, record, size < room ? size : room);
}

/* The members that every record of work on a stream has. */
#define PARSE_STREAM(parsed, r) \
	do { \
		records.has_work = true; \
		(parsed)->activity.correlation = (r)->correlation; \
		(parsed)->activity.node = (r)->node; \
		(parsed)->description.captured = \
			(r)->node == 0 ? 0 : cupti_graph_captured((r)->node); \
		(parsed)->place = \
			(struct device_place){(r)->device, (r)->context}; \
		(parsed)->track_number = (r)->stream; \
	} while (0)

static void parse_kernel(struct parsed *parsed, const void *record, size_t size)
{
	struct cupti_kernel r = {0};
	uint32_t *fields = parsed->description.fields;

	copy_record(&r, sizeof(r), record, size);
	PARSE_STREAM(parsed, &r);
	parsed->description.kind = LOG_KERNEL;
	parsed->description.site = cupti_site_kernel(r.name);
	for (int i = 0; i < 3; i++) {
		fields[CUPTI_KERNEL_GRID + i] = (uint32_t)r.grid[i];
		fields[CUPTI_KERNEL_BLOCK + i] = (uint32_t)r.block[i];
		fields[CUPTI_KERNEL_CLUSTER + i] = r.cluster[i];
	}
	fields[CUPTI_KERNEL_REGISTERS] = r.registers;
	fields[CUPTI_KERNEL_STATIC_SHARED] = (uint32_t)r.static_shared;
	fields[CUPTI_KERNEL_DYNAMIC_SHARED] = (uint32_t)r.dynamic_shared;
	fields[CUPTI_KERNEL_SHARED] =
		(uint32_t)r.static_shared + (uint32_t)r.dynamic_shared;
	fields[CUPTI_KERNEL_LOCAL] = r.local_per_thread;
	fields[CUPTI_KERNEL_LOCAL_TOTAL] = (uint32_t)r.local_total;
	fields[CUPTI_KERNEL_LOCAL_TOTAL + 1] = (uint32_t)(r.local_total >> 32);
	fields[CUPTI_KERNEL_SHARED_EXECUTED] = r.shared_executed;
	fields[CUPTI_KERNEL_CHANNEL] = r.channel;
	fields[CUPTI_KERNEL_CHANNEL_TYPE] = r.channel_type;
	fields[CUPTI_KERNEL_LAUNCH_TYPE] = r.launch_type;
	fields[CUPTI_KERNEL_DEVICE_LAUNCHED] = r.device_launched;
	fields[CUPTI_KERNEL_GRAPH] = r.graph;
	fields[CUPTI_KERNEL_PRIORITY] = (uint32_t)r.priority;
}

/* The members that both records of copies have. */
#define PARSE_COPY(parsed, r) \
	do { \
		uint32_t *copied = (parsed)->description.fields; \
\
		PARSE_STREAM(parsed, r); \
		(parsed)->activity.bytes = (r)->bytes; \
		(parsed)->description.kind = LOG_MEMCPY; \
		(parsed)->description.site = cupti_site_copy( \
			(r)->copy_kind, (r)->source, (r)->target); \
		copied[CUPTI_COPY_KIND] = (r)->copy_kind; \
		copied[CUPTI_COPY_SOURCE] = (r)->source; \
		copied[CUPTI_COPY_TARGET] = (r)->target; \
		copied[CUPTI_COPY_ASYNC] = \
			((r)->flags & CUPTI_FLAG_ASYNC) != 0; \
		copied[CUPTI_COPY_GRAPH] = (r)->graph; \
		copied[CUPTI_COPY_CHANNEL] = (r)->channel; \
		copied[CUPTI_COPY_CHANNEL_TYPE] = (r)->channel_type; \
	} while (0)

static void parse_memcpy(struct parsed *parsed, const void *record, size_t size)
{
	struct cupti_memcpy r = {0};

	copy_record(&r, sizeof(r), record, size);
	PARSE_COPY(parsed, &r);
	parsed->description.fields[CUPTI_COPY_COUNT] =
		r.copy_count < UINT32_MAX ? (uint32_t)r.copy_count : UINT32_MAX;
}

static void parse_memcpy2(
	struct parsed *parsed, const void *record, size_t size)
{
	struct cupti_memcpy2 r = {0};
	uint32_t *fields = parsed->description.fields;

	copy_record(&r, sizeof(r), record, size);
	PARSE_COPY(parsed, &r);
	fields[CUPTI_COPY_SOURCE_DEVICE] = r.source_device + 1;
	fields[CUPTI_COPY_TARGET_DEVICE] = r.target_device + 1;
	fields[CUPTI_COPY_SOURCE_CONTEXT] = r.source_context;
	fields[CUPTI_COPY_TARGET_CONTEXT] = r.target_context;
}

static void parse_memset(struct parsed *parsed, const void *record, size_t size)
{
	struct cupti_memset r = {0};
	uint32_t *fields = parsed->description.fields;

	copy_record(&r, sizeof(r), record, size);
	PARSE_STREAM(parsed, &r);
	parsed->activity.bytes = r.bytes;
	parsed->description.kind = LOG_MEMSET;
	parsed->description.site = cupti_site_memset(r.memory);
	fields[CUPTI_SET_VALUE] = r.value;
	fields[CUPTI_SET_MEMORY] = r.memory;
	fields[CUPTI_SET_ASYNC] = (r.flags & CUPTI_FLAG_ASYNC) != 0;
	fields[CUPTI_SET_GRAPH] = r.graph;
	fields[CUPTI_SET_CHANNEL] = r.channel;
	fields[CUPTI_SET_CHANNEL_TYPE] = r.channel_type;
}

/* Parses a wait of the host or a stream. */
static void parse_wait(struct parsed *parsed, const void *record, size_t size)
{
	struct cupti_synchronization r = {0};
	uint32_t *fields = parsed->description.fields;

	copy_record(&r, sizeof(r), record, size);
	parsed->activity.correlation = r.correlation;
	parsed->place =
		(struct device_place){cupti_device_of(r.context), r.context};
	parsed->track_number =
		r.stream == CUPTI_NO_STREAM ? -1 : (int64_t)r.stream;
	parsed->description.kind = LOG_DEVICE_WAIT;
	parsed->description.site =
		cupti_site(activity_name_wait(r.type), "cuda_sync");
	fields[CUPTI_WAIT_KIND] = r.type;
	fields[CUPTI_WAIT_EVENT] = r.event + 1;
	fields[CUPTI_WAIT_RETURN] = r.result;
	fields[CUPTI_WAIT_EVENT_ID] = (uint32_t)r.event_sync_id;
	fields[CUPTI_WAIT_EVENT_ID + 1] = (uint32_t)(r.event_sync_id >> 32);
}

/* False: ignored. */
static bool parse_call(struct parsed *parsed, const void *record, size_t size)
{
	struct cupti_api r = {0};
	enum cupti_domain domain;
	struct ctp_site *site;

	copy_record(&r, sizeof(r), record, size);
	domain = r.kind == CUPTI_DRIVER_API ? CUPTI_DRIVER : CUPTI_RUNTIME;
	if (r.thread == records.ignored ||
		cupti_callback_is_noise(domain, r.cbid))
		return false;
	site = cupti_callback_site(domain, r.cbid);
	parsed->activity.correlation = r.correlation;
	parsed->track_kind = LOG_CALLS;
	parsed->track_number = r.thread;
	parsed->description.kind = LOG_API_CALL;
	parsed->description.site =
		site != NULL ? cupti_site_number(site)
			     : cupti_site("(unknown function)",
				       domain == CUPTI_DRIVER ? "cuda_driver"
							      : "cuda_runtime");
	parsed->description.fields[CUPTI_CALL_CBID] = r.cbid;
	parsed->description.fields[CUPTI_CALL_RETURN] = r.result;
	return true;
}

static void parse_overhead(
	struct parsed *parsed, const void *record, size_t size)
{
	struct cupti_overhead r = {0};

	copy_record(&r, sizeof(r), record, size);
	parsed->activity.correlation = r.correlation;
	parsed->description.kind = LOG_OVERHEAD;
	parsed->description.site =
		cupti_site(activity_name_overhead(r.what), "overhead");
	if (r.object <= CUPTI_OBJECT_THREAD) {
		parsed->track_kind = LOG_CALLS;
		parsed->track_number =
			r.object == CUPTI_OBJECT_PROCESS ? r.ids[0] : r.ids[1];
	} else {
		parsed->place = (struct device_place){r.ids[0], r.ids[1]};
		parsed->track_number = r.ids[2];
	}
}

/* Named as in Nsight Systems. */
static void parse_graph(struct parsed *parsed, const void *record, size_t size)
{
	struct cupti_graph_trace r = {0};
	char name[32];

	copy_record(&r, sizeof(r), record, size);
	records.has_work = true;
	(void)snprintf(name, sizeof(name), "CUDA graph %" PRIu32, r.graph);
	parsed->activity.correlation = r.correlation;
	parsed->place = (struct device_place){r.device, r.context};
	parsed->track_number = r.stream;
	parsed->description.kind = LOG_GRAPH;
	parsed->description.site = cupti_site(name, "cuda_graph");
	parsed->description.fields[CUPTI_GRAPH_ID] = r.graph;
}

static void parse_context(const void *record, size_t size)
{
	struct cupti_context r = {0};

	copy_record(&r, sizeof(r), record, size);
	cupti_device_context(
		(struct device_place){r.device, r.context}, r.null_stream);
}

/* Offset of the times in a kind's records. */
static size_t times_at(uint32_t kind)
{
	switch (kind) {
	case CUPTI_KERNEL:
	case CUPTI_CONCURRENT_KERNEL:
		return offsetof(struct cupti_kernel, start);
	case CUPTI_OVERHEAD:
		return offsetof(struct cupti_overhead, start);
	case CUPTI_SYNCHRONIZATION:
		return offsetof(struct cupti_synchronization, start);
	case CUPTI_DRIVER_API:
	case CUPTI_RUNTIME_API:
		return offsetof(struct cupti_api, start);
	case CUPTI_GRAPH_TRACE:
		return offsetof(struct cupti_graph_trace, start);
	default:
		return offsetof(struct cupti_memcpy, start);
	}
}

/* End time of an activity still running: now or later. */
static uint64_t open_end(struct parsed *parsed, uint64_t start)
{
	cupti_session_lose(CUPTI_LOSS_UNFINISHED, 1);
	parsed->description.unfinished = 1;
	return records.now_ns > (int64_t)start ? (uint64_t)records.now_ns
					       : start;
}

/* False if they are useless, which is counted. */
static bool parse_times(
	struct parsed *parsed, const void *record, uint32_t kind)
{
	uint64_t times[2];

	memcpy(times, (const uint8_t *)record + times_at(kind), sizeof(times));
	if (times[0] != 0 && times[1] == 0)
		times[1] = open_end(parsed, times[0]);
	if (times[0] == 0 || times[1] < times[0]) {
		cupti_session_lose(CUPTI_LOSS_TIMES, 1);
		return false;
	}
	parsed->activity.start_ns = (int64_t)times[0];
	parsed->activity.dur_ns = times[1] - times[0];
	return true;
}

/* False: a kind that is not kept. */
static bool parse(
	struct parsed *parsed, uint32_t kind, const void *record, size_t size)
{
	switch (kind) {
	case CUPTI_KERNEL:
	case CUPTI_CONCURRENT_KERNEL:
		parse_kernel(parsed, record, size);
		return true;
	case CUPTI_MEMCPY:
		parse_memcpy(parsed, record, size);
		return true;
	case CUPTI_MEMCPY2:
		parse_memcpy2(parsed, record, size);
		return true;
	case CUPTI_MEMSET:
		parse_memset(parsed, record, size);
		return true;
	case CUPTI_SYNCHRONIZATION:
		parse_wait(parsed, record, size);
		return true;
	case CUPTI_DRIVER_API:
	case CUPTI_RUNTIME_API:
		return parse_call(parsed, record, size);
	case CUPTI_OVERHEAD:
		parse_overhead(parsed, record, size);
		return true;
	case CUPTI_GRAPH_TRACE:
		parse_graph(parsed, record, size);
		return true;
	case CUPTI_CONTEXT:
		parse_context(record, size);
		return false;
	default:
		cupti_session_lose(CUPTI_LOSS_UNKNOWN, 1);
		return false;
	}
}

/* The track's number, assigned now if new; 0 without room. */
static uint32_t find_track(
	const struct parsed *parsed, const struct track_key *key)
{
	uint64_t track = cupti_table_find(&records.tracks, key);
	const char *name = "";

	if (track != 0)
		return (uint32_t)track;
	if (parsed->track_kind == LOG_STREAM)
		cupti_device_describe(parsed->place.device);
	if (parsed->track_kind == LOG_STREAM &&
		cupti_device_is_default(
			parsed->place.context, parsed->track_number))
		name = "(default)";
	track = ctp_private_stream(
		parsed->track_kind, parsed->track_number, &parsed->place, name);
	if (track != 0)
		(void)cupti_table_set(&records.tracks, key, track);
	return (uint32_t)track;
}

/* Most records are on the same track as the previous one. */
static uint32_t track_of(const struct parsed *parsed)
{
	const struct track_key key = {parsed->track_kind,
		(uint64_t)parsed->track_number,
		(uint64_t)parsed->place.device << 32 | parsed->place.context};

	if (records.last_track == 0 ||
		memcmp(&key, &records.last, sizeof(key)) != 0) {
		records.last = key;
		records.last_track = find_track(parsed, &key);
	}
	return records.last_track;
}

void cupti_record(const void *record, size_t size)
{
	struct parsed parsed = {.track_kind = LOG_STREAM};
	uint32_t kind;

	memcpy(&kind, record, sizeof(kind));
	if (size == 0) {
		cupti_session_lose(CUPTI_LOSS_UNKNOWN, 1);
		return;
	}
	if (!parse(&parsed, kind, record, size) ||
		!parse_times(&parsed, record, kind))
		return;
	parsed.activity.track = track_of(&parsed);
	parsed.activity.description = cupti_describe(&parsed.description);
	if (parsed.activity.track == 0 || parsed.activity.description == 0) {
		cupti_session_lose(CUPTI_LOSS_DISCARDED, 1);
		return;
	}
	records.batch[records.batched++] = parsed.activity;
	if (records.batched == BATCH || cupti_describe_is_full())
		cupti_record_flush();
}

void cupti_record_flush(void)
{
	const bool described = cupti_describe_flush();
	uint64_t lost = 0;

	for (uint32_t i = 0; i < records.batched; i++)
		lost += !described || !ctp_private_activity(&records.batch[i]);
	records.batched = 0;
	cupti_session_lose(CUPTI_LOSS_DISCARDED, lost);
}

void cupti_record_restart(void)
{
	records.batched = 0;
	records.last_track = 0;
	cupti_table_clear(&records.tracks);
	cupti_device_forget();
	cupti_describe_restart();
}

void cupti_record_now(int64_t device_ns)
{
	records.now_ns = device_ns;
}

bool cupti_record_has_work(void)
{
	return records.has_work;
}

void cupti_record_ignore(uint32_t thread)
{
	records.ignored = thread;
}

/* SPDX-License-Identifier: MIT */
/*
 * Records are of the loaded library's size, which may be less than what we know
 * or more: each is copied, as far as it goes, into the form that we know, where
 * the rest is 0, which stands for "unknown" everywhere.
 */
#include "cupti/cupti_record.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "recorder/device_link.h"
#include "log/device_words.h"
#include "cupti/cupti_callback.h"
#include "cupti/cupti_abi.h"
#include "cupti/cupti_describe.h"
#include "cupti/cupti_device.h"
#include "cupti/cupti_graph.h"
#include "cupti/cupti_session.h"
#include "cupti/cupti_table.h"

/* Handed over together. */
#define BATCH 1024

/* A record that is taken. */
struct taken {
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

/* What every record of something on a stream has. */
#define TAKE_STREAM(taken, r) \
	do { \
		records.has_work = true; \
		(taken)->activity.correlation = (r)->correlation; \
		(taken)->activity.node = (r)->node; \
		(taken)->description.captured = \
			(r)->node == 0 ? 0 : cupti_graph_captured((r)->node); \
		(taken)->place = \
			(struct device_place){(r)->device, (r)->context}; \
		(taken)->track_number = (r)->stream; \
	} while (0)

static void take_kernel(struct taken *taken, const void *record, size_t size)
{
	struct cupti_kernel r = {0};
	uint32_t *fields = taken->description.fields;

	copy_record(&r, sizeof(r), record, size);
	TAKE_STREAM(taken, &r);
	taken->description.kind = LOG_KERNEL;
	taken->description.site = cupti_site_kernel(r.name);
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

/* What both records of copies have. */
#define TAKE_COPY(taken, r) \
	do { \
		uint32_t *copied = (taken)->description.fields; \
\
		TAKE_STREAM(taken, r); \
		(taken)->activity.bytes = (r)->bytes; \
		(taken)->description.kind = LOG_MEMCPY; \
		(taken)->description.site = cupti_site_copy( \
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

static void take_memcpy(struct taken *taken, const void *record, size_t size)
{
	struct cupti_memcpy r = {0};

	copy_record(&r, sizeof(r), record, size);
	TAKE_COPY(taken, &r);
	taken->description.fields[CUPTI_COPY_COUNT] =
		r.copy_count < UINT32_MAX ? (uint32_t)r.copy_count : UINT32_MAX;
}

static void take_memcpy2(struct taken *taken, const void *record, size_t size)
{
	struct cupti_memcpy2 r = {0};
	uint32_t *fields = taken->description.fields;

	copy_record(&r, sizeof(r), record, size);
	TAKE_COPY(taken, &r);
	fields[CUPTI_COPY_SOURCE_DEVICE] = r.source_device + 1;
	fields[CUPTI_COPY_TARGET_DEVICE] = r.target_device + 1;
	fields[CUPTI_COPY_SOURCE_CONTEXT] = r.source_context;
	fields[CUPTI_COPY_TARGET_CONTEXT] = r.target_context;
}

static void take_memset(struct taken *taken, const void *record, size_t size)
{
	struct cupti_memset r = {0};
	uint32_t *fields = taken->description.fields;

	copy_record(&r, sizeof(r), record, size);
	TAKE_STREAM(taken, &r);
	taken->activity.bytes = r.bytes;
	taken->description.kind = LOG_MEMSET;
	taken->description.site = cupti_site_memset(r.memory);
	fields[CUPTI_SET_VALUE] = r.value;
	fields[CUPTI_SET_MEMORY] = r.memory;
	fields[CUPTI_SET_ASYNC] = (r.flags & CUPTI_FLAG_ASYNC) != 0;
	fields[CUPTI_SET_GRAPH] = r.graph;
	fields[CUPTI_SET_CHANNEL] = r.channel;
	fields[CUPTI_SET_CHANNEL_TYPE] = r.channel_type;
}

/* A wait of the host, or of a stream, for others. */
static void take_wait(struct taken *taken, const void *record, size_t size)
{
	struct cupti_synchronization r = {0};
	uint32_t *fields = taken->description.fields;

	copy_record(&r, sizeof(r), record, size);
	taken->activity.correlation = r.correlation;
	taken->place =
		(struct device_place){cupti_device_of(r.context), r.context};
	taken->track_number =
		r.stream == CUPTI_NO_STREAM ? -1 : (int64_t)r.stream;
	taken->description.kind = LOG_DEVICE_WAIT;
	taken->description.site =
		cupti_site(device_word_wait(r.type), "cuda_sync");
	fields[CUPTI_WAIT_KIND] = r.type;
	fields[CUPTI_WAIT_EVENT] = r.event + 1;
	fields[CUPTI_WAIT_RETURN] = r.result;
	fields[CUPTI_WAIT_EVENT_ID] = (uint32_t)r.event_sync_id;
	fields[CUPTI_WAIT_EVENT_ID + 1] = (uint32_t)(r.event_sync_id >> 32);
}

/* False: it is not to be kept. */
static bool take_call(struct taken *taken, const void *record, size_t size)
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
	taken->activity.correlation = r.correlation;
	taken->track_kind = LOG_CALLS;
	taken->track_number = r.thread;
	taken->description.kind = LOG_API_CALL;
	taken->description.site =
		site != NULL ? cupti_site_number(site)
			     : cupti_site("(unknown function)",
				       domain == CUPTI_DRIVER ? "cuda_driver"
							      : "cuda_runtime");
	taken->description.fields[CUPTI_CALL_CBID] = r.cbid;
	taken->description.fields[CUPTI_CALL_RETURN] = r.result;
	return true;
}

static void take_overhead(struct taken *taken, const void *record, size_t size)
{
	struct cupti_overhead r = {0};

	copy_record(&r, sizeof(r), record, size);
	taken->activity.correlation = r.correlation;
	taken->description.kind = LOG_OVERHEAD;
	taken->description.site =
		cupti_site(device_word_overhead(r.what), "overhead");
	if (r.object <= CUPTI_OBJECT_THREAD) {
		taken->track_kind = LOG_CALLS;
		taken->track_number =
			r.object == CUPTI_OBJECT_PROCESS ? r.ids[0] : r.ids[1];
	} else {
		taken->place = (struct device_place){r.ids[0], r.ids[1]};
		taken->track_number = r.ids[2];
	}
}

/* Named as where Nsight Systems recorded it. */
static void take_graph(struct taken *taken, const void *record, size_t size)
{
	struct cupti_graph_trace r = {0};
	char name[32];

	copy_record(&r, sizeof(r), record, size);
	records.has_work = true;
	(void)snprintf(name, sizeof(name), "CUDA graph %" PRIu32, r.graph);
	taken->activity.correlation = r.correlation;
	taken->place = (struct device_place){r.device, r.context};
	taken->track_number = r.stream;
	taken->description.kind = LOG_GRAPH;
	taken->description.site = cupti_site(name, "cuda_graph");
	taken->description.fields[CUPTI_GRAPH_ID] = r.graph;
}

static void take_context(const void *record, size_t size)
{
	struct cupti_context r = {0};

	copy_record(&r, sizeof(r), record, size);
	cupti_device_context(
		(struct device_place){r.device, r.context}, r.null_stream);
}

/* Where a kind has its times. */
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

/* When it ends that has not ended yet: not before now, as far as is known. */
static uint64_t open_end(struct taken *taken, uint64_t start)
{
	cupti_session_lose(CUPTI_LOSS_UNFINISHED, 1);
	taken->description.unfinished = 1;
	return records.now_ns > (int64_t)start ? (uint64_t)records.now_ns
					       : start;
}

/* False if they are of no use; which is counted. */
static bool take_times(struct taken *taken, const void *record, uint32_t kind)
{
	uint64_t times[2];

	memcpy(times, (const uint8_t *)record + times_at(kind), sizeof(times));
	if (times[0] != 0 && times[1] == 0)
		times[1] = open_end(taken, times[0]);
	if (times[0] == 0 || times[1] < times[0]) {
		cupti_session_lose(CUPTI_LOSS_TIMES, 1);
		return false;
	}
	taken->activity.start_ns = (int64_t)times[0];
	taken->activity.dur_ns = times[1] - times[0];
	return true;
}

/* False: it is of a kind that is not kept. */
static bool take(
	struct taken *taken, uint32_t kind, const void *record, size_t size)
{
	switch (kind) {
	case CUPTI_KERNEL:
	case CUPTI_CONCURRENT_KERNEL:
		take_kernel(taken, record, size);
		return true;
	case CUPTI_MEMCPY:
		take_memcpy(taken, record, size);
		return true;
	case CUPTI_MEMCPY2:
		take_memcpy2(taken, record, size);
		return true;
	case CUPTI_MEMSET:
		take_memset(taken, record, size);
		return true;
	case CUPTI_SYNCHRONIZATION:
		take_wait(taken, record, size);
		return true;
	case CUPTI_DRIVER_API:
	case CUPTI_RUNTIME_API:
		return take_call(taken, record, size);
	case CUPTI_OVERHEAD:
		take_overhead(taken, record, size);
		return true;
	case CUPTI_GRAPH_TRACE:
		take_graph(taken, record, size);
		return true;
	case CUPTI_CONTEXT:
		take_context(record, size);
		return false;
	default:
		cupti_session_lose(CUPTI_LOSS_UNKNOWN, 1);
		return false;
	}
}

/* The track's number, given now if it is new; 0 if there is no room. */
static uint32_t find_track(
	const struct taken *taken, const struct track_key *key)
{
	uint64_t track = cupti_table_find(&records.tracks, key);
	const char *name = "";

	if (track != 0)
		return (uint32_t)track;
	if (taken->track_kind == LOG_STREAM)
		cupti_device_describe(taken->place.device);
	if (taken->track_kind == LOG_STREAM &&
		cupti_device_is_default(
			taken->place.context, taken->track_number))
		name = "(default)";
	track = ctp_private_stream(
		taken->track_kind, taken->track_number, &taken->place, name);
	if (track != 0)
		(void)cupti_table_set(&records.tracks, key, track);
	return (uint32_t)track;
}

/* Most records are of the same track as the one before. */
static uint32_t track_of(const struct taken *taken)
{
	const struct track_key key = {taken->track_kind,
		(uint64_t)taken->track_number,
		(uint64_t)taken->place.device << 32 | taken->place.context};

	if (records.last_track == 0 ||
		memcmp(&key, &records.last, sizeof(key)) != 0) {
		records.last = key;
		records.last_track = find_track(taken, &key);
	}
	return records.last_track;
}

void cupti_record(const void *record, size_t size)
{
	struct taken taken = {.track_kind = LOG_STREAM};
	uint32_t kind;

	memcpy(&kind, record, sizeof(kind));
	if (size == 0) {
		cupti_session_lose(CUPTI_LOSS_UNKNOWN, 1);
		return;
	}
	if (!take(&taken, kind, record, size) ||
		!take_times(&taken, record, kind))
		return;
	taken.activity.track = track_of(&taken);
	taken.activity.description = cupti_describe(&taken.description);
	if (taken.activity.track == 0 || taken.activity.description == 0) {
		cupti_session_lose(CUPTI_LOSS_DISCARDED, 1);
		return;
	}
	records.batch[records.batched++] = taken.activity;
	if (records.batched == BATCH || cupti_describe_is_full())
		cupti_record_put();
}

void cupti_record_put(void)
{
	const bool described = cupti_describe_put();
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

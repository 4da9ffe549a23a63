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
#include <stddef.h>
#include <stdint.h>

#include "recorder/device_link.h"
#include "log/activity_name.h"
#include "cupti/cupti_callback.h"
#include "cupti/cupti_abi.h"
#include "cupti/cupti_device.h"
#include "cupti/cupti_graph.h"
#include "cupti/cupti_session.h"
#include "cupti/cupti_table.h"
#include "ctprof.h"
#include "log/log.h"
#include "log/log_block.h"

/* ---- descriptions ---- */

/* Indexes in cupti_description.fields. */
enum cupti_kernel_field {
	CUPTI_KERNEL_GRID = 0,
	CUPTI_KERNEL_BLOCK = 3,
	CUPTI_KERNEL_CLUSTER = 6,
	CUPTI_KERNEL_REGISTERS = 9,
	CUPTI_KERNEL_STATIC_SHARED,
	CUPTI_KERNEL_DYNAMIC_SHARED,
	CUPTI_KERNEL_SHARED,
	CUPTI_KERNEL_LOCAL,
	CUPTI_KERNEL_SHARED_EXECUTED,
	CUPTI_KERNEL_CHANNEL,
	CUPTI_KERNEL_CHANNEL_TYPE,
	CUPTI_KERNEL_LAUNCH_TYPE,
	CUPTI_KERNEL_DEVICE_LAUNCHED,
	CUPTI_KERNEL_GRAPH,
	CUPTI_KERNEL_PRIORITY,
	CUPTI_KERNEL_LOCAL_TOTAL, /* two fields: below and above 2^32 */
	CUPTI_FIELDS = 24         /* even, so that there is no padding */
};
enum cupti_memcpy_field {
	CUPTI_COPY_KIND = 0,
	CUPTI_COPY_SOURCE,
	CUPTI_COPY_TARGET,
	CUPTI_COPY_ASYNC,
	CUPTI_COPY_SOURCE_DEVICE, /* plus 1 */
	CUPTI_COPY_TARGET_DEVICE, /* plus 1 */
	CUPTI_COPY_GRAPH,
	CUPTI_COPY_CHANNEL,
	CUPTI_COPY_CHANNEL_TYPE,
	CUPTI_COPY_COUNT,
	CUPTI_COPY_SOURCE_CONTEXT,
	CUPTI_COPY_TARGET_CONTEXT,
};
enum cupti_memset_field {
	CUPTI_SET_VALUE = 0,
	CUPTI_SET_MEMORY,
	CUPTI_SET_ASYNC,
	CUPTI_SET_GRAPH,
	CUPTI_SET_CHANNEL,
	CUPTI_SET_CHANNEL_TYPE,
};
enum cupti_wait_field {
	CUPTI_WAIT_KIND = 0,
	CUPTI_WAIT_EVENT, /* plus 1 */
	CUPTI_WAIT_RETURN,
	CUPTI_WAIT_EVENT_ID, /* two fields, like above */
};
enum cupti_graph_field { CUPTI_GRAPH_ID = 0 };
enum cupti_call_field { CUPTI_CALL_CBID = 0, CUPTI_CALL_RETURN };

/* A member that is 0 is unknown, or not worth recording. */
struct cupti_description {
	uint32_t kind; /* enum log_activity */
	uint32_t site;
	uint64_t captured;   /* node of a graph; see cupti_graph.h */
	uint64_t unfinished; /* 1: it had not ended when requested */
	uint32_t fields[CUPTI_FIELDS];
};

/* Size of the table of kernel names, by CUPTI's address of each. */
#define NAMES_MAX ((size_t)1 << 15)

static struct {
	struct cupti_table names;  /* sites by address of the name */
	uint32_t copies[11][8][8]; /* 0: not created yet */
	uint32_t memsets[8];
} sites = {.names = CUPTI_TABLE_INIT(1)};

static struct ctp_site *make_site(const char *name, const char *category)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;

	info.name = name;
	info.category = category;
	return ctp_site_intern_info(&info);
}

/* Names of activities as sites of the log, by number. For one thread. */
static uint32_t cupti_site_number(struct ctp_site *site)
{
	uint64_t tag = __atomic_load_n(&site->tag, __ATOMIC_RELAXED);

	return tag != 0 ? (uint32_t)(tag >> CTP_TICK_BITS)
			: ctp_private_site_number(site);
}

/* The number of any name; copied. */
static uint32_t cupti_site(const char *name, const char *category)
{
	return cupti_site_number(make_site(name, category));
}

/*
 * The number of a kernel; NULL: unknown. The name belongs to CUPTI and
 * disappears with its module, and another may take its address: so the cached
 * name is compared.
 */
static uint32_t cupti_site_kernel(const char *name)
{
	const uint64_t key = (uint64_t)(uintptr_t)name;
	struct ctp_site *site;

	if (name == NULL)
		return cupti_site("(unknown kernel)", "kernel");
	site = (struct ctp_site *)(uintptr_t)cupti_table_find(
		&sites.names, &key);
	if (site == NULL || strcmp(site->name, name) != 0) {
		site = make_site(name, "kernel");
		if (sites.names.used == NAMES_MAX)
			cupti_table_clear(&sites.names);
		(void)cupti_table_set(
			&sites.names, &key, (uint64_t)(uintptr_t)site);
	}
	return cupti_site_number(site);
}

/* "Memcpy HtoD (Pageable -> Device)", by CUPTI's numbers for the direction,
 * and for kinds of memory. */
static uint32_t cupti_site_copy(uint8_t kind, uint8_t source, uint8_t target)
{
	char name[96];
	uint32_t *known;

	kind = kind > 10 ? 0 : kind;
	source = source > 7 ? 0 : source;
	target = target > 7 ? 0 : target;
	known = &sites.copies[kind][source][target];
	if (*known == 0) {
		(void)snprintf(name, sizeof(name), "Memcpy %s (%s -> %s)",
			activity_name_copy(kind), activity_name_memory(source),
			activity_name_memory(target));
		*known = cupti_site(name, "gpu_memcpy");
	}
	return *known;
}

static uint32_t cupti_site_memset(uint16_t memory)
{
	char name[64];
	uint32_t *known = &sites.memsets[memory > 7 ? 0 : memory];

	if (*known == 0) {
		(void)snprintf(name, sizeof(name), "Memset (%s)",
			activity_name_memory(memory));
		*known = cupti_site(name, "gpu_memset");
	}
	return *known;
}

/* Size of new descriptions at which they are written to the log: another one
 * has at most 600 bytes. */
#define ENOUGH_BYTES (DEVICE_BLOCK_BYTES - 2000)

/* Most descriptions known at a time, 8 MiB. A forgotten one has another number
 * when it recurs. */
#define KNOWN_MAX ((size_t)1 << 15)

/* From this number on, configurations are omitted: a log limits descriptions,
 * and there are fewer names. */
#define NUMBERS_MAX (LOG_DESCRIPTIONS_MAX - (UINT32_C(1) << 20))

enum field_kind {
	NUMBER,
	SIGNED,
	LARGE,
	ALWAYS,
	PLUS_1,
	TRIPLE,
	COPY,
	MEMORY,
	WAIT
};

struct field {
	const char *key;
	uint32_t at;
	enum field_kind kind;
};

/* clang-format off */
static const struct field kernel_fields[] = {
	{"grid", CUPTI_KERNEL_GRID, TRIPLE},
	{"block", CUPTI_KERNEL_BLOCK, TRIPLE},
	{"cluster", CUPTI_KERNEL_CLUSTER, TRIPLE},
	{"registers per thread", CUPTI_KERNEL_REGISTERS, NUMBER},
	{"static shared memory", CUPTI_KERNEL_STATIC_SHARED, NUMBER},
	{"dynamic shared memory", CUPTI_KERNEL_DYNAMIC_SHARED, NUMBER},
	{"shared memory", CUPTI_KERNEL_SHARED, NUMBER},
	{"local memory per thread", CUPTI_KERNEL_LOCAL, NUMBER},
	{"local memory", CUPTI_KERNEL_LOCAL_TOTAL, LARGE},
	{"shared memory executed", CUPTI_KERNEL_SHARED_EXECUTED, NUMBER},
	{"channel", CUPTI_KERNEL_CHANNEL, NUMBER},
	{"channel type", CUPTI_KERNEL_CHANNEL_TYPE, NUMBER},
	{"launch type", CUPTI_KERNEL_LAUNCH_TYPE, NUMBER},
	{"device launched", CUPTI_KERNEL_DEVICE_LAUNCHED, NUMBER},
	{"graph id", CUPTI_KERNEL_GRAPH, NUMBER},
	{"priority", CUPTI_KERNEL_PRIORITY, SIGNED},
	{NULL, 0, NUMBER},
};
static const struct field memcpy_fields[] = {
	{"kind", CUPTI_COPY_KIND, COPY},
	{"src", CUPTI_COPY_SOURCE, MEMORY},
	{"dst", CUPTI_COPY_TARGET, MEMORY},
	{"async", CUPTI_COPY_ASYNC, NUMBER},
	{"src device", CUPTI_COPY_SOURCE_DEVICE, PLUS_1},
	{"dst device", CUPTI_COPY_TARGET_DEVICE, PLUS_1},
	{"src context", CUPTI_COPY_SOURCE_CONTEXT, NUMBER},
	{"dst context", CUPTI_COPY_TARGET_CONTEXT, NUMBER},
	{"graph id", CUPTI_COPY_GRAPH, NUMBER},
	{"channel", CUPTI_COPY_CHANNEL, NUMBER},
	{"channel type", CUPTI_COPY_CHANNEL_TYPE, NUMBER},
	{"copy count", CUPTI_COPY_COUNT, NUMBER},
	{NULL, 0, NUMBER},
};
static const struct field memset_fields[] = {
	{"value", CUPTI_SET_VALUE, ALWAYS},
	{"memory", CUPTI_SET_MEMORY, MEMORY},
	{"async", CUPTI_SET_ASYNC, NUMBER},
	{"graph id", CUPTI_SET_GRAPH, NUMBER},
	{"channel", CUPTI_SET_CHANNEL, NUMBER},
	{"channel type", CUPTI_SET_CHANNEL_TYPE, NUMBER},
	{NULL, 0, NUMBER},
};
static const struct field wait_fields[] = {
	{"cuda_sync_kind", CUPTI_WAIT_KIND, WAIT},
	{"event", CUPTI_WAIT_EVENT, PLUS_1},
	{"return", CUPTI_WAIT_RETURN, NUMBER},
	{"event sync id", CUPTI_WAIT_EVENT_ID, LARGE},
	{NULL, 0, NUMBER},
};
static const struct field call_fields[] = {
	{"cbid", CUPTI_CALL_CBID, NUMBER},
	{"return", CUPTI_CALL_RETURN, NUMBER},
	{NULL, 0, NUMBER},
};
static const struct field graph_fields[] = {
	{"graph id", CUPTI_GRAPH_ID, NUMBER},
	{NULL, 0, NUMBER},
};
static const struct field no_fields[] = {{NULL, 0, NUMBER}};
/* clang-format on */

static const struct field *const fields_of[] = {
	[LOG_KERNEL] = kernel_fields,
	[LOG_MEMCPY] = memcpy_fields,
	[LOG_MEMSET] = memset_fields,
	[LOG_DEVICE_WAIT] = wait_fields,
	[LOG_API_CALL] = call_fields,
	[LOG_OVERHEAD] = no_fields,
	[LOG_GRAPH] = graph_fields,
};

/* The latest descriptions of some sites: found without a hash of the whole, by
 * the fields that differ most often. */
#define RECENT 256

struct recent {
	struct cupti_description description;
	uint32_t number; /* 0: none */
};

static struct {
	struct recent recent[RECENT];
	struct cupti_table known;
	uint32_t last;      /* number given */
	uint32_t new_count; /* not in the log yet */
	struct buffer new;
} descriptions = {.known = CUPTI_TABLE_INIT(
			  sizeof(struct cupti_description) / sizeof(uint64_t))};

static bool is_due(const struct field *field, const uint32_t *fields)
{
	const uint32_t *value = fields + field->at;

	if (field->kind == TRIPLE)
		return (value[0] | value[1] | value[2]) != 0;
	if (field->kind == LARGE)
		return (value[0] | value[1]) != 0;
	return value[0] != 0 || field->kind == ALWAYS;
}

static void pack_field(msgpack_packer *out, const struct field *field,
	const struct cupti_description *description)
{
	const uint32_t *value = description->fields + field->at;

	msgpack_out_key(out, field->key);
	switch (field->kind) {
	case NUMBER:
	case ALWAYS:
		(void)msgpack_pack_uint32(out, *value);
		break;
	case SIGNED:
		(void)msgpack_pack_int32(out, (int32_t)*value);
		break;
	case LARGE:
		(void)msgpack_pack_uint64(
			out, (uint64_t)value[1] << 32 | value[0]);
		break;
	case PLUS_1:
		(void)msgpack_pack_uint32(out, *value - 1);
		break;
	case TRIPLE:
		(void)msgpack_pack_array(out, 3);
		for (int i = 0; i < 3; i++)
			(void)msgpack_pack_uint32(out, value[i]);
		break;
	case COPY:
		msgpack_out_key(out, activity_name_copy(*value));
		break;
	case MEMORY:
		msgpack_out_key(out, activity_name_memory(*value));
		break;
	case WAIT:
		msgpack_out_key(out, activity_name_wait(*value));
		break;
	}
}

/* [kind, site, {key: value}] */
static void pack(const struct cupti_description *description)
{
	const struct field *fields = fields_of[description->kind];
	msgpack_packer out = msgpack_out(&descriptions.new);
	uint32_t count = description->captured != 0;

	count += description->unfinished != 0;
	for (const struct field *at = fields; at->key != NULL; at++)
		count += is_due(at, description->fields);
	(void)msgpack_pack_array(&out, 3);
	(void)msgpack_pack_uint32(&out, description->kind);
	(void)msgpack_pack_uint32(&out, description->site);
	(void)msgpack_pack_map(&out, count);
	for (const struct field *at = fields; at->key != NULL; at++)
		if (is_due(at, description->fields))
			pack_field(&out, at, description);
	if (description->captured != 0) {
		msgpack_out_pair_uint(
			&out, "captured graph node", description->captured);
	}
	if (description->unfinished != 0) {
		msgpack_out_pair_uint(
			&out, "unfinished", description->unfinished);
	}
}

static uint32_t describe(const struct cupti_description *given)
{
	struct cupti_description plain = {
		.kind = given->kind, .site = given->site};
	uint64_t number = cupti_table_find(&descriptions.known, given);

	if (number == 0 && descriptions.last >= NUMBERS_MAX) {
		given = &plain;
		number = cupti_table_find(&descriptions.known, given);
	}
	if (number != 0)
		return (uint32_t)number;
	if (descriptions.last == LOG_DESCRIPTIONS_MAX - 1)
		return 0;
	if (descriptions.known.used == KNOWN_MAX)
		cupti_table_clear(&descriptions.known);
	if (!cupti_table_set(&descriptions.known, given, descriptions.last + 1))
		return 0;
	pack(given);
	descriptions.new_count++;
	return ++descriptions.last;
}

/* Indexed by grid and node, since a site's kernels have several grids, and a
 * graph's nodes several numbers. */
static struct recent *recent_of(const struct cupti_description *given)
{
	uint64_t mixed = given->site + given->captured +
			 given->fields[0] * UINT64_C(31) +
			 given->fields[1] * UINT64_C(61);

	return &descriptions.recent[mixed % RECENT];
}

/*
 * Returns its number in the recording, assigned now if new; 0 if out of memory.
 */
static uint32_t cupti_describe(const struct cupti_description *given)
{
	struct recent *recent = recent_of(given);

	if (recent->number == 0 ||
		memcmp(&recent->description, given, sizeof(*given)) != 0) {
		recent->description = *given;
		recent->number = describe(given);
	}
	return recent->number;
}

/* Forgets all assigned numbers. */
static void forget(void)
{
	cupti_table_clear(&descriptions.known);
	memset(descriptions.recent, 0, sizeof(descriptions.recent));
}

/* Whether there are enough new ones to write to the log. */
static bool cupti_describe_is_full(void)
{
	return descriptions.new.used >= ENOUGH_BYTES;
}

/*
 * Writes the new ones to the log; call it before writing their activities.
 * False if there is no room; they are forgotten then, and their numbers are
 * invalid.
 *
 * [9, first, [description, …]]
 */
static bool cupti_describe_flush(void)
{
	struct buffer block = BUFFER_INIT;
	bool done = true;

	if (descriptions.new_count != 0) {
		(void)log_block_begin_rows(&block, LOG_DESCRIPTIONS,
			descriptions.last - descriptions.new_count + 1,
			descriptions.new_count);
		buffer_add(
			&block, descriptions.new.bytes, descriptions.new.used);
		done = !descriptions.new.failed &&
		       !block.failed &&ctp_private_block(
			       LOG_DESCRIPTIONS, block.bytes, block.used);
	}
	buffer_clear(&block);
	buffer_clear(&descriptions.new);
	descriptions.new_count = 0;
	if (!done)
		forget();
	return done;
}

/* A new recording: numbers start from 1. */
static void cupti_describe_restart(void)
{
	forget();
	buffer_clear(&descriptions.new);
	descriptions.new_count = 0;
	descriptions.last = 0;
}

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

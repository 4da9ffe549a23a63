/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_describe.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cupti/cupti_table.h"
#include "log/activity_name.h"
#include "log/msgpack_out.h"
#include "recorder/device_link.h"

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

uint32_t cupti_site_number(struct ctp_site *site)
{
	uint64_t tag = __atomic_load_n(&site->tag, __ATOMIC_RELAXED);

	return tag != 0 ? (uint32_t)(tag >> CTP_TICK_BITS)
			: ctp_private_site_number(site);
}

/*
 * The name belongs to CUPTI and disappears with its module, and another may
 * take its address: so the cached name is compared.
 */
uint32_t cupti_site_kernel(const char *name)
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

uint32_t cupti_site(const char *name, const char *category)
{
	return cupti_site_number(make_site(name, category));
}

/* "Memcpy HtoD (Pageable -> Device)" */
uint32_t cupti_site_copy(uint8_t kind, uint8_t source, uint8_t target)
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

uint32_t cupti_site_memset(uint16_t memory)
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
		msgpack_out_key(&out, "captured graph node");
		(void)msgpack_pack_uint64(&out, description->captured);
	}
	if (description->unfinished != 0) {
		msgpack_out_key(&out, "unfinished");
		(void)msgpack_pack_uint64(&out, description->unfinished);
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

uint32_t cupti_describe(const struct cupti_description *given)
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

bool cupti_describe_is_full(void)
{
	return descriptions.new.used >= ENOUGH_BYTES;
}

/* [9, first, [description, …]] */
bool cupti_describe_flush(void)
{
	struct buffer block = BUFFER_INIT;
	msgpack_packer out = msgpack_out(&block);
	bool done = true;

	if (descriptions.new_count != 0) {
		(void)msgpack_pack_array(&out, 3);
		(void)msgpack_pack_int(&out, LOG_DESCRIPTIONS);
		(void)msgpack_pack_uint32(
			&out, descriptions.last - descriptions.new_count + 1);
		(void)msgpack_pack_array(&out, descriptions.new_count);
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

void cupti_describe_restart(void)
{
	forget();
	buffer_clear(&descriptions.new);
	descriptions.new_count = 0;
	descriptions.last = 0;
}

/* SPDX-License-Identifier: MIT */
#include "stats/stats_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NAMED 8 /* devices in a line of text */
#define NO_OWNER (UINT32_MAX - 1)

const char *stats_memory_owner(const struct stats *stats, uint32_t owner,
	char text[PROFILE_OWNER_TEXT])
{
	return profile_owner_text(
		text, &stats->profile->memory->owners[owner].owner);
}

static int compare(const void *a, const void *b, void *user)
{
	const struct profile_memory *memory = user;
	const uint32_t *left = a;
	const uint32_t *right = b;
	const struct profile_owner *one = &memory->owners[*left].owner;
	const struct profile_owner *two = &memory->owners[*right].owner;

	return profile_owner_is_before(two, one) -
	       profile_owner_is_before(one, two);
}

/* The owner of this name; NO_OWNER: there is none. */
static uint32_t find_owner(const struct stats *stats, const char *name)
{
	char text[PROFILE_OWNER_TEXT];

	for (uint32_t i = 0; i < stats->owner_count; i++)
		if (strcmp(stats_memory_owner(stats, stats->owners[i], text),
			    name) == 0)
			return stats->owners[i];
	return NO_OWNER;
}

bool stats_memory_init(struct stats *stats)
{
	struct profile_memory *memory = stats->profile->memory;
	const struct profile_memory_part *part;

	if (stats->options->key_owner != NULL)
		stats->key_owner = NO_OWNER;
	if (memory == NULL)
		return true;
	stats->owners = memory_resize_array(
		NULL, memory->owner_count, sizeof(*stats->owners));
	if (stats->owners == NULL)
		return false;
	for (part = profile_memory_first(memory, memory->all); part != NULL;
		part = profile_memory_next(memory, part)) {
		stats->owners[stats->owner_count++] = part->owner;
		stats->failed[part->owner] = part->amount.failed != 0;
	}
	qsort_r(stats->owners, stats->owner_count, sizeof(*stats->owners),
		compare, memory);
	if (stats->options->key_owner != NULL)
		stats->key_owner = find_owner(stats, stats->options->key_owner);
	return true;
}

struct profile_amount stats_memory_of(const struct stats *stats,
	const struct profile_function *function, uint32_t owner)
{
	return profile_memory_of(
		stats->profile->memory, function->use.memory, owner);
}

uint64_t stats_memory_failed(
	const struct stats *stats, const struct profile_function *function)
{
	return stats_memory_of(stats, function, PROFILE_MEMORY_HOST).failed +
	       stats_memory_of(stats, function, PROFILE_MEMORY_DEVICES).failed;
}

bool stats_memory_has(const struct stats *stats, uint32_t owner)
{
	for (uint32_t i = 0; i < stats->owner_count; i++)
		if (stats->owners[i] == owner)
			return true;
	return false;
}

bool stats_memory_has_key(const struct stats *stats)
{
	enum stats_key key = stats->options->key;
	bool host = stats_memory_has(stats, PROFILE_MEMORY_HOST);

	if (key == STATS_DEVICE_MEMORY || key == STATS_SELF_DEVICE_MEMORY)
		return stats->owner_count > host;
	return stats_memory_has(stats, stats->key_owner);
}

/* In the order of numbers that have no sign. */
static uint64_t ordered(int64_t bytes)
{
	return (uint64_t)bytes ^ (UINT64_C(1) << 63);
}

uint64_t stats_memory_figure(
	const struct stats *stats, const struct profile_function *function)
{
	enum stats_key key = stats->key;
	bool devices =
		key == STATS_DEVICE_MEMORY || key == STATS_SELF_DEVICE_MEMORY;
	bool self = key == STATS_SELF_MEMORY || key == STATS_SELF_DEVICE_MEMORY;
	struct profile_amount amount = stats_memory_of(stats, function,
		devices ? PROFILE_MEMORY_DEVICES : stats->key_owner);

	return ordered(self ? amount.self_bytes : amount.total_bytes);
}

/* A number, or null of what has none. */
static void put_number(
	struct json *json, const char *key, int64_t number, bool known)
{
	json_key(json, key);
	if (known)
		json_int(json, number);
	else
		json_none(json);
}

static void put_owner(const struct stats *stats, struct json *json,
	const struct profile_memory_part *part)
{
	const struct profile_memory_owner *owner =
		&stats->profile->memory->owners[part->owner];
	bool device = owner->owner.kind == PROFILE_OF_DEVICE;
	char text[PROFILE_OWNER_TEXT];

	json_begin(json, '{');
	report_text(
		json, "device", stats_memory_owner(stats, part->owner, text));
	put_number(json, "device_type", owner->owner.type, device);
	put_number(json, "device_id", owner->owner.number,
		device && owner->owner.number != -1);
	report_uint(json, "records", owner->records);
	report_int(json, "bytes", part->amount.total_bytes);
	report_uint(json, "out_of_memory", part->amount.failed);
	json_end(json, '}');
}

static void put_part(const struct stats *stats, struct json *json,
	const struct profile_memory_part *part)
{
	char text[PROFILE_OWNER_TEXT];

	json_begin(json, '{');
	report_text(
		json, "device", stats_memory_owner(stats, part->owner, text));
	report_int(json, "self_bytes", part->amount.self_bytes);
	report_int(json, "bytes", part->amount.total_bytes);
	report_uint(json, "out_of_memory", part->amount.failed);
	json_end(json, '}');
}

/* The parts of a list, in the order of owners. */
static void put_list(const struct stats *stats, struct json *json,
	uint32_t list,
	void (*put)(const struct stats *stats, struct json *json,
		const struct profile_memory_part *part))
{
	const struct profile_memory *memory = stats->profile->memory;

	json_key(json, "memory");
	json_begin(json, '[');
	for (uint32_t i = 0; i < stats->owner_count; i++) {
		const struct profile_memory_part *part =
			profile_memory_part(memory, list, stats->owners[i]);

		if (part != NULL)
			put(stats, json, part);
	}
	json_end(json, ']');
}

void stats_memory_put(const struct stats *stats, struct json *json)
{
	const struct profile_memory *memory = stats->profile->memory;

	report_uint(json, "memory_records", profile_memory_records(memory));
	if (stats->owner_count == 0)
		return;
	report_int(json, "host_bytes",
		profile_memory_of(memory, memory->all, PROFILE_MEMORY_HOST)
			.total_bytes);
	report_int(json, "device_bytes",
		profile_memory_of(memory, memory->all, PROFILE_MEMORY_DEVICES)
			.total_bytes);
	put_list(stats, json, memory->all, put_owner);
}

void stats_memory_put_row(const struct stats *stats, struct json *json,
	const struct profile_function *function)
{
	struct profile_amount host;
	struct profile_amount devices;

	if (stats->owner_count == 0)
		return;
	host = stats_memory_of(stats, function, PROFILE_MEMORY_HOST);
	devices = stats_memory_of(stats, function, PROFILE_MEMORY_DEVICES);
	report_int(json, "self_host_bytes", host.self_bytes);
	report_int(json, "host_bytes", host.total_bytes);
	report_int(json, "self_device_bytes", devices.self_bytes);
	report_int(json, "device_bytes", devices.total_bytes);
	put_list(stats, json, function->use.memory, put_part);
}

bool stats_memory_owner_failed(const struct stats *stats, uint32_t owner)
{
	return stats->failed[owner];
}

static bool any_failed(const struct stats *stats)
{
	for (uint32_t i = 0; i < stats->owner_count; i++)
		if (stats->failed[stats->owners[i]])
			return true;
	return false;
}

void stats_memory_put_titles(const struct stats *stats, FILE *out)
{
	char name[PROFILE_OWNER_TEXT];

	if (stats->owner_count == 0)
		return;
	fputs(",self_host_bytes,host_bytes", out);
	if (stats_memory_owner_failed(stats, PROFILE_MEMORY_HOST))
		fputs(",host_out_of_memory", out);
	fputs(",self_device_bytes,device_bytes", out);
	for (uint32_t i = 0; i < stats->owner_count; i++) {
		if (stats->owners[i] == PROFILE_MEMORY_HOST)
			continue;
		stats_memory_owner(stats, stats->owners[i], name);
		fprintf(out, ",self_%s_bytes,%s_bytes", name, name);
		if (stats_memory_owner_failed(stats, stats->owners[i]))
			fprintf(out, ",%s_out_of_memory", name);
	}
	fputs(any_failed(stats) ? ",out_of_memory" : "", out);
}

/* Both figures of an owner, and how often it had none if that was ever so; of
 * an edge nothing is known. */
static void put_amount(const struct stats *stats, FILE *out,
	const struct profile_function *function, uint32_t owner)
{
	struct profile_amount amount;
	bool failed = owner != PROFILE_MEMORY_DEVICES &&
		      stats_memory_owner_failed(stats, owner);

	if (function == NULL) {
		fputs(failed ? ",,," : ",,", out);
		return;
	}
	amount = stats_memory_of(stats, function, owner);
	fprintf(out, ",%" PRId64 ",%" PRId64, amount.self_bytes,
		amount.total_bytes);
	if (failed)
		fprintf(out, ",%" PRIu64, amount.failed);
}

void stats_memory_put_line(const struct stats *stats, FILE *out,
	const struct profile_function *function)
{
	if (stats->owner_count == 0)
		return;
	put_amount(stats, out, function, PROFILE_MEMORY_HOST);
	put_amount(stats, out, function, PROFILE_MEMORY_DEVICES);
	for (uint32_t i = 0; i < stats->owner_count; i++)
		if (stats->owners[i] != PROFILE_MEMORY_HOST)
			put_amount(stats, out, function, stats->owners[i]);
	if (!any_failed(stats))
		return;
	putc(',', out);
	if (function != NULL)
		fprintf(out, "%" PRIu64, stats_memory_failed(stats, function));
}

/* A number, and how much of it each owner has. */
static void print_counts(const struct stats *stats, FILE *out, bool failed)
{
	const struct profile_memory *memory = stats->profile->memory;
	uint32_t named = 0;
	uint32_t more = 0;

	for (uint32_t i = 0; i < stats->owner_count; i++) {
		uint32_t owner = stats->owners[i];
		uint64_t count =
			failed ? profile_memory_of(memory, memory->all, owner)
					 .failed
			       : memory->owners[owner].records;
		char text[PROFILE_OWNER_TEXT];

		if (count == 0)
			continue;
		if (named == NAMED) {
			more++;
			continue;
		}
		fprintf(out, "%s%s %" PRIu64, named++ == 0 ? " (" : ", ",
			stats_memory_owner(stats, owner, text), count);
	}
	if (more != 0)
		fprintf(out, ", and %" PRIu32 " more", more);
	fputs(named == 0 ? "\n" : ")\n", out);
}

void stats_memory_print(const struct stats *stats, FILE *out)
{
	const struct profile_memory *memory = stats->profile->memory;
	struct profile_function all = {0};

	if (stats->owner_count == 0)
		return;
	all.use.memory = memory->all;
	if (profile_memory_records(memory) != 0) {
		fprintf(out,
			"Memory taken or given back (--columns memory): "
			"%" PRIu64 " time%s",
			profile_memory_records(memory),
			profile_memory_records(memory) == 1 ? "" : "s");
		print_counts(stats, out, false);
	}
	if (any_failed(stats)) {
		uint64_t failed = stats_memory_failed(stats, &all);

		fprintf(out, "Out of memory: %" PRIu64 " time%s", failed,
			failed == 1 ? "" : "s");
		print_counts(stats, out, true);
	}
}

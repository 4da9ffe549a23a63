/* SPDX-License-Identifier: MIT */
#include "stats/stats_memory.h"

#include <inttypes.h>

#define NAMED 8 /* devices named in a line of text */

/* Writes a number, or null. */
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

/* Writes the parts of a list, sorted by owner. */
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

/* Writes both figures of an owner and, if it had any, its failed allocations;
 * empty for an edge. */
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

/* Prints a number and its parts by owner. */
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

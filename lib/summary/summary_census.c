/* SPDX-License-Identifier: MIT */
/* The census of all inputs: its counts are those of summary_count(); sections
 * have the names of formats, hosts, tools and devices, and the times. */
#include "summary/summary.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "summary/census.h"
#include "summary/summary_section.h"
#include "trace/device.h"

/* ---- names ---- */

static int compare(const struct summary_name *one, enum summary_name_kind kind,
	const char *name)
{
	return one->kind != kind ? (one->kind > kind) - (one->kind < kind)
				 : strcmp(one->name, name);
}

/* The first name that is not before this one. */
static size_t find_name(const struct summary *summary,
	enum summary_name_kind kind, const char *name)
{
	size_t low = 0;
	size_t high = summary->name_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&summary->names[middle], kind, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool summary_add_name(struct summary *summary, enum summary_name_kind kind,
	const char *name, uint64_t count)
{
	size_t at = find_name(summary, kind, name);
	struct summary_name *found;
	uint32_t number;

	if (at < summary->name_count &&
		compare(&summary->names[at], kind, name) == 0) {
		found = &summary->names[at];
		found->count = saturate_sum(found->count, count);
		return true;
	}
	number = strtab_add(summary->text, name, strlen(name));
	if (number == STRTAB_NONE ||
		!array_reserve(&summary->names, summary->name_count,
			&summary->name_room, sizeof(*summary->names)))
		return false;
	found = &summary->names[at];
	memmove(found + 1, found,
		(summary->name_count - at) * sizeof(*summary->names));
	*found = (struct summary_name){
		kind, strtab_text(summary->text, number, NULL), count};
	summary->name_count++;
	return true;
}

static enum ctp_status write_names(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (size_t i = 0; i < summary->name_count; i++) {
		summary_out_row(out);
		summary_out_number(out, (uint64_t)summary->names[i].kind);
		summary_out_text(out, summary->names[i].name);
		summary_out_number(out, summary->names[i].count);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_name(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	uint32_t kind = summary_in_index(in, SUMMARY_NAME_KINDS - 1);
	const char *name = summary_in_text(in);
	uint64_t count = summary_in_number(in);
	size_t before = summary->name_count;

	if (count == 0)
		return summary_in_fail(in, "a name without a count", err);
	if (!summary_add_name(summary, kind, name, count))
		return ctp_no_memory(err);
	return summary->name_count > before
		       ? CTP_OK
		       : summary_in_fail(in, "a name is there twice", err);
}

static enum ctp_status add_names(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	for (size_t i = 0; i < from->name_count; i++)
		if (!summary_add_name(to, from->names[i].kind,
			    from->names[i].name, from->names[i].count))
			return ctp_no_memory(err);
	return CTP_OK;
}

static void clear_names(struct summary *summary)
{
	memory_free(summary->names);
}

const struct summary_section summary_names_section = {
	.name = "names",
	.write = write_names,
	.read = read_name,
	.add = add_names,
	.clear = clear_names,
};

/* ---- times ---- */

static void add_extent(
	struct summary_extent *to, const struct summary_extent *from)
{
	if (from->has_time && (!to->has_time || from->start_ns < to->start_ns))
		to->start_ns = from->start_ns;
	if (from->has_time && (!to->has_time || from->end_ns > to->end_ns))
		to->end_ns = from->end_ns;
	to->has_time |= from->has_time;
	if (from->longest_ns > to->longest_ns)
		to->longest_ns = from->longest_ns;
	if (from->skew_ns > to->skew_ns)
		to->skew_ns = from->skew_ns;
}

static enum ctp_status write_extent(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	const struct summary_extent *extent = &summary->extent;

	(void)err;
	summary_out_row(out);
	summary_out_number(out, extent->has_time);
	summary_out_signed(out, extent->start_ns);
	summary_out_signed(out, extent->end_ns);
	summary_out_number(out, extent->longest_ns);
	summary_out_number(out, extent->skew_ns);
	summary_out_end_row(out);
	return CTP_OK;
}

static enum ctp_status read_extent(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct summary_extent extent = {
		.has_time = summary_in_index(in, 1) != 0};

	extent.start_ns = summary_in_signed(in);
	extent.end_ns = summary_in_signed(in);
	extent.longest_ns = summary_in_number(in);
	extent.skew_ns = summary_in_number(in);
	if (summary->has_extent || extent.end_ns < extent.start_ns)
		return summary_in_fail(in, "wrong times", err);
	summary->has_extent = true;
	add_extent(&summary->extent, &extent);
	return CTP_OK;
}

static enum ctp_status add_extents(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	(void)err;
	add_extent(&to->extent, &from->extent);
	return CTP_OK;
}

/* ---- from events ---- */

#define CENSUS_COUNT(member) {#member, offsetof(struct census, member)},
static const struct {
	const char *name;
	size_t offset;
} counts[] = {CENSUS_COUNTS(CENSUS_COUNT)};

static bool add_counts(struct summary *summary, const struct census *census)
{
	bool done = true;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && done; i++)
		done = summary_add_count(summary, SUMMARY_EVENTS,
			counts[i].name,
			*(const uint64_t *)(const void *)((const char *)census +
							  counts[i].offset));
	return done;
}

void summary_get_census(const struct summary *summary, struct census *census)
{
	*census = (struct census){.ranges = 0};
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		*(uint64_t *)(void *)((char *)census + counts[i].offset) =
			summary_find_count(
				summary, SUMMARY_EVENTS, counts[i].name);
}

static bool add_fact(struct summary *summary, enum summary_name_kind kind,
	const struct trace *trace, const char *key)
{
	const char *value = trace_find_fact(trace, key);

	return value == NULL || summary_add_name(summary, kind, value, 1);
}

static bool add_devices(struct summary *summary, const struct trace *trace)
{
	struct devices devices;
	bool done = devices_find(&devices, trace);

	for (uint32_t i = 0; done && i < devices.count; i++) {
		size_t size = 0;
		const char *bytes = trace_device_name(trace,
			devices.items[i].pid, devices.items[i].number, &size);
		char *name = memory_new(size + 1);

		if (name != NULL) {
			memcpy(name, bytes == NULL ? "" : bytes, size);
			name[size] = '\0';
		}
		done = name != NULL &&
		       summary_add_name(summary, SUMMARY_NAME_DEVICE, name, 1);
		memory_free(name);
	}
	if (done || devices.items != NULL)
		devices_clear(&devices);
	return done;
}

static void add_times(struct summary *summary, const struct census *census)
{
	const struct trace *trace = census->trace;
	struct summary_extent extent = {
		.longest_ns = census->span_ns,
		.skew_ns = census->skew_ns,
	};

	extent.has_time = trace_is_wall(trace) &&
			  !__builtin_add_overflow(trace->base_realtime_ns,
				  census->start_ns, &extent.start_ns) &&
			  !__builtin_add_overflow(extent.start_ns,
				  census->span_ns, &extent.end_ns);
	add_extent(&summary->extent, &extent);
}

static void *begin(struct trace *trace)
{
	struct census *census = memory_new_zeroed(1, sizeof(*census));

	if (census == NULL || census_init(census, trace))
		return census;
	memory_free(census);
	return NULL;
}

static enum ctp_status add(
	void *state, const struct event *event, struct ctp_error *err)
{
	return census_add(state, event) ? CTP_OK : ctp_no_memory(err);
}

static bool add_origin(struct summary *summary,
	const struct summary_input *input, const struct trace *trace)
{
	return (input->format == NULL ||
		       summary_add_name(summary, SUMMARY_NAME_FORMAT,
			       input->format, 1)) &&
	       add_fact(summary, SUMMARY_NAME_HOST, trace, "host") &&
	       add_fact(summary, SUMMARY_NAME_TOOL, trace, "tool");
}

static enum ctp_status finish(void *state, struct summary *summary,
	const struct summary_finished *finished, struct ctp_error *err)
{
	struct census *census = state;

	if (!census_finish(census) || !add_counts(summary, census) ||
		!add_origin(summary, finished->input, census->trace) ||
		!add_devices(summary, census->trace))
		return ctp_no_memory(err);
	add_times(summary, census);
	return CTP_OK;
}

bool summary_add_census(struct summary *summary,
	const struct summary_input *input, const struct trace *trace,
	const struct profile *profile)
{
	struct census census = {.ranges = 0};

	for (uint32_t i = 0; i < profile->function_count; i++)
		census.ranges = saturate_sum(
			census.ranges, profile->functions[i].cost.ncalls);
	return add_counts(summary, &census) &&
	       add_origin(summary, input, trace);
}

static void free_census(void *state)
{
	census_clear(state);
	memory_free(state);
}

static const struct summary_collector collector = {
	.begin = begin,
	.add = add,
	.finish = finish,
	.free = free_census,
};

const struct summary_section summary_census_section = {
	.name = SUMMARY_CENSUS,
	.write = write_extent,
	.read = read_extent,
	.add = add_extents,
	.collector = &collector,
};

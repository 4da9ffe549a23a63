/* SPDX-License-Identifier: MIT */
/*
 * Memory over time: for each device of each process, levels in bins, the peak
 * with the ranges open there, and the ranges that made the allocations alive at
 * the peak.
 */
#include "base/buffer.h"
#include "cli/columns_page.h"
#include "input/report.h"
#include "operators/allocations.h"
#include "profiles/label.h"
#include "report/page_part.h"

#define MEMORY_HUNDREDTHS 6
#define GROUPS_SHOWN 40u

/* A view of one pool's groups. */
struct pool_view {
	const struct allocations *allocations;
	const struct trace *trace;
	const struct allocations_pool *pool;
};

struct group_line {
	struct allocations_group group;
	struct value share;
	const char *range;
	const char *callers;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct group_line, member)
static const struct column group_columns[] = {
	{.type = COLUMN_BYTES, .json = "peak_bytes", .page = "at the peak",
		.help = "bytes alive at the peak", OF(group.peak_bytes)},
	COLUMN_ON_PAGE(PERCENT, "share", OF(share)),
	COLUMN_ON_PAGE(COUNT, "alive", OF(group.peak_count),
		.help = "allocations alive at the peak"),
	COLUMN_ON_PAGE(BYTES, "allocated", OF(group.bytes),
		.help = "bytes allocated in the whole recording"),
	COLUMN_ON_PAGE(COUNT, "allocations", OF(group.count),
		.help = "allocations in the whole recording"),
	COLUMN_ON_PAGE(TEXT, "range", OF(range),
		.help = "the innermost range"),
	COLUMN_ON_PAGE(TEXT, "called by", OF(callers),
		.help = "the next four ranges outside of it, innermost first"),
};
#undef OF
/* clang-format on */
static const struct columns group_table = COLUMNS("groups",
	"the ranges that allocated, by their bytes at the peak", group_columns);

static const char *range_name(const struct trace *trace, uint32_t site)
{
	const char *name = trace_site_name(trace, site);

	return *name == '\0' ? "(unnamed)" : label_name(name);
}

static void add_group(struct page_part *part, const struct pool_view *view,
	const struct allocations_group *group)
{
	const struct allocations_path path =
		allocations_path(view->allocations, group->path);
	struct buffer callers = BUFFER_INIT;
	struct group_line line = {.group = *group,
		.range = "(outside of any range)",
		.callers = ""};

	if (group->path == ALLOCATIONS_NO_PATH)
		line.range = "(others)";
	else if (path.count > 0)
		line.range = range_name(view->trace, path.sites[0]);
	for (uint32_t i = 1; i < path.count; i++) {
		if (i > 1)
			buffer_add_text(&callers, " \xe2\x80\xb9 ");
		buffer_add_text(
			&callers, range_name(view->trace, path.sites[i]));
	}
	buffer_add_byte(&callers, '\0');
	if (!callers.failed)
		line.callers = (const char *)callers.bytes;
	part->sheet.failed |= callers.failed;
	if (view->pool->peak.bytes > 0)
		line.share = value_share((uint64_t)group->peak_bytes,
			(uint64_t)view->pool->peak.bytes);
	columns_add(&part->sheet, &group_table, TABLE_PLAIN, &line);
	buffer_clear(&callers);
}

/* Returns the bytes alive at the peak that were allocated in the recording. */
static uint64_t put_groups(
	struct page_part *part, const struct pool_view *view, uint32_t number)
{
	uint32_t count;
	const struct allocations_group *groups =
		allocations_groups(view->allocations, &count);
	uint64_t bytes = 0;
	uint32_t shown = 0;
	uint32_t hidden = 0;

	columns_begin(&part->sheet, &group_table);
	for (uint32_t i = 0; i < count; i++) {
		if (groups[i].pool != number)
			continue;
		bytes += (uint64_t)groups[i].peak_bytes;
		if (shown < GROUPS_SHOWN && !columns_full(&part->sheet)) {
			add_group(part, view, &groups[i]);
			shown++;
		} else {
			hidden++;
		}
	}
	columns_end(&part->sheet, &group_table);
	columns_hidden(&part->sheet, hidden);
	return bytes;
}

/* "NUMBER, LEAST, MOST, LAST, RESERVED" of each bin with events. */
static void put_levels(
	struct page_part *part, const struct allocations_pool *pool)
{
	struct json *json = &part->sheet.json;

	json_key(json, "bins");
	json_begin(json, '[');
	for (uint32_t i = 0; i < ALLOCATIONS_BINS; i++) {
		const struct allocations_bin *bin = &pool->bins[i];

		if (!bin->is_set)
			continue;
		json_uint(json, i);
		json_int(json, bin->least);
		json_int(json, bin->most);
		json_int(json, bin->last);
		json_int(json, bin->reserved);
	}
	json_end(json, ']');
}

static void put_peak(
	struct page_part *part, const struct pool_view *view, int64_t first_ns)
{
	const struct allocations_peak *peak = &view->pool->peak;
	const struct allocations_path path =
		allocations_path(view->allocations, peak->path);
	const struct trace *trace = view->trace;
	const struct trace_track *track = &trace->tracks[peak->track];
	struct json *json = &part->sheet.json;

	json_key(json, "peak");
	json_begin(json, '{');
	report_int(json, "bytes", peak->bytes);
	report_uint(
		json, "at_ns", (uint64_t)peak->time_ns - (uint64_t)first_ns);
	json_key(json, "thread");
	columns_page_text(
		&part->sheet, strtab_text(trace->text, track->name, NULL));
	report_int(json, "tid", track->tid);
	report_uint(json, "depth", peak->depth);
	json_key(json, "ranges");
	json_begin(json, '[');
	for (uint32_t i = 0; i < path.count; i++)
		columns_page_name(
			&part->sheet, range_name(trace, path.sites[i]));
	json_end(json, ']');
	json_end(json, '}');
}

static void put_name(
	struct page_part *part, const struct allocations_pool *pool)
{
	const char *type = trace_device_type_name(pool->type);
	struct json *json = &part->sheet.json;
	const char *process = "";

	for (uint32_t i = 0; i < part->trace->track_count; i++)
		if (part->trace->tracks[i].pid == pool->pid &&
			part->trace->tracks[i].process_name != 0)
			process = strtab_text(part->trace->text,
				part->trace->tracks[i].process_name, NULL);
	report_int(json, "pid", pool->pid);
	json_key(json, "process");
	columns_page_text(&part->sheet, process);
	report_bool(json, "host", pool->type == TRACE_DEVICE_CPU);
	report_text(json, "type", type == NULL ? "other" : type);
	report_int(json, "number", pool->number);
}

static void put_pool(
	struct page_part *part, const struct pool_view *view, uint32_t number)
{
	const struct allocations_pool *pool = view->pool;
	struct json *json = &part->sheet.json;
	uint64_t known;
	int64_t first_ns;
	int64_t last_ns;

	overview_span(part->data->overview, &first_ns, &last_ns);
	json_begin(json, '{');
	put_name(part, pool);
	report_uint(json, "allocs", pool->allocs);
	report_uint(json, "frees", pool->frees);
	report_uint(json, "failed", pool->failed);
	report_uint(json, "strays", pool->strays);
	report_uint(json, "doubles", pool->doubles);
	report_uint(json, "repeats", pool->repeats);
	report_bool(json, "addresses", pool->has_addresses);
	report_bool(json, "totals", pool->has_totals);
	report_int(json, "before_bytes", pool->before_bytes);
	report_int(json, "end_bytes", pool->end_bytes);
	report_int(json, "reserved_bytes",
		pool->has_reserved ? pool->reserved_bytes : 0);
	put_peak(part, view, first_ns);
	put_levels(part, pool);
	known = put_groups(part, view, number);
	report_uint(json, "known_bytes", known);
	json_end(json, '}');
}

void page_memory_write(struct page_part *part)
{
	struct pool_view view = {
		.allocations = part->data->allocations, .trace = part->trace};
	struct sheet *sheet = &part->sheet;
	const struct allocations_pool *pools;
	uint32_t count = 0;
	uint32_t hidden = 0;
	size_t limit = page_part_limit(part, MEMORY_HUNDREDTHS);

	if (view.allocations == NULL)
		return;
	pools = allocations_pools(view.allocations, &count);
	if (count == 0)
		return;
	json_key(&sheet->json, "allocations");
	json_begin(&sheet->json, '{');
	report_uint(
		&sheet->json, "bin_ns", allocations_bin_ns(view.allocations));
	report_uint(
		&sheet->json, "unknown", allocations_unknown(view.allocations));
	json_key(&sheet->json, "pools");
	json_begin(&sheet->json, '[');
	for (uint32_t i = 0; i < count; i++) {
		view.pool = &pools[i];
		sheet->max_bytes = limit - part->extra;
		if (page_part_bytes(part) >= limit)
			hidden++;
		else if (pools[i].allocs + pools[i].frees > 0)
			put_pool(part, &view, i);
	}
	json_end(&sheet->json, ']');
	report_uint(&sheet->json, "pools_hidden", hidden);
	json_end(&sheet->json, '}');
}

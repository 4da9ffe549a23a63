/* SPDX-License-Identifier: MIT */
#include "trace/trace.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Times within a year of the recording's start are wall-clock times: other
 * clocks do not reach such values. */
#define WALL_CLOCK_NS INT64_C(31536000000000000)

static const struct {
	const char *name;
	const char *words;
	bool is_note;
} losses[LOSS_KINDS] = {
	/* clang-format off */
	[LOSS_DROPPED_RANGES] = {"dropped_ranges",
		"ranges dropped: the buffers were full", false},
	[LOSS_DROPPED_EVENTS] = {"dropped_events",
		"events dropped: the buffers were full, or overwritten",
		false},
	[LOSS_SHORT_RANGES] = {"short_ranges",
		"ranges left out: shorter than the minimum", true},
	[LOSS_CUT_TEXT] = {"cut_text",
		"names or arguments truncated: too long or too many", true},
	[LOSS_UNWOUND_RANGES] = {"unwound_ranges",
		"functions left without an exit (longjmp, an exception, a "
		"change of stacks, the thread's end), closed there", true},
	[LOSS_STRAY_EXITS] = {"stray_exits",
		"exits of functions entered before recording, or before a "
		"change of stacks, left out", true},
	[LOSS_UNWRITTEN_RANGES] = {"unwritten_ranges",
		"ranges lost: the log could not be written", false},
	[LOSS_UNWRITTEN_EVENTS] = {"unwritten_events",
		"events lost: the log could not be written", false},
	[LOSS_DEVICE_DROPPED] = {"device_dropped",
		"device activities dropped by the driver: its buffers were "
		"full", false},
	[LOSS_DEVICE_DISCARDED] = {"device_discarded",
		"device activities dropped: the buffers were full", false},
	[LOSS_DEVICE_TIMES] = {"device_times",
		"device activities without a usable time, left out", false},
	[LOSS_DEVICE_UNFINISHED] = {"device_unfinished",
		"device activities still running, shown up to the time when "
		"they were read", true},
	[LOSS_DEVICE_UNKNOWN] = {"device_unknown",
		"device activities of an unknown kind, left out", true},
	[LOSS_UNRECORDED] = {"unrecorded",
		"forked processes not recorded: they could not create a "
		"log", false},
	[LOSS_DAMAGED_BLOCKS] = {"damaged_blocks",
		"damaged blocks left out", false},
	[LOSS_MISSING_BLOCKS] = {"missing_blocks",
		"blocks missing from a thread's sequence", false},
	[LOSS_MISSING_EVENTS] = {"missing_events",
		"events lost with damaged or missing blocks", false},
	[LOSS_SKIPPED_BYTES] = {"skipped_bytes",
		"bytes skipped: not part of a log or of gzip'd data", false},
	[LOSS_TRUNCATED] = {"truncated",
		"recording cut off: its end is missing", false},
	[LOSS_UNKNOWN_SITES] = {"unknown_sites",
		"sites whose names are lost", false},
	[LOSS_UNKNOWN_BLOCKS] = {"unknown_blocks",
		"blocks of a newer version left out", false},
	[LOSS_UNKNOWN_EVENTS] = {"unknown_events",
		"events of a newer version, or invalid, left out",
		false},
	[LOSS_BAD_EVENTS] = {"bad_events",
		"invalid events ignored", false},
	[LOSS_LEFT_OUT] = {"left_out",
		"sums, call arrows and other records that are not events, left "
		"out", true},
	[LOSS_NOT_KEPT] = {"not_kept",
		"values and descriptions that ctprof does not keep", true},
	[LOSS_STRAY_ENDS] = {"stray_ends",
		"ends without a begin ignored", false},
	[LOSS_OPEN_RANGES] = {"open_ranges",
		"ranges still open at the end, closed there", true},
	[LOSS_REOPENED_RANGES] = {"reopened_ranges",
		"ranges whose begin is lost, opened late", false},
	[LOSS_CLOSED_RANGES] = {"closed_ranges",
		"ranges whose end is lost, closed early", false},
	[LOSS_BACKWARD_TIMES] = {"backward_times",
		"times that went backwards, replaced by the previous "
		"time", false},
	[LOSS_UNMATCHED] = {"unmatched",
		"device activities whose launch is not in the log", true},
	[LOSS_DEEP_RANGES] = {"deep_ranges",
		"ranges nested deeper than viewers show", true},
	[LOSS_OVERLAPS] = {"overlaps",
		"slices that overlap without nesting, put into lanes", true},
	[LOSS_CUT_CALLS] = {"cut_calls",
		"calls in Python that overlap a range without nesting, cut "
		"short in profiles and reports", true},
	[LOSS_SAMPLES] = {"samples",
		"samples of stacks, which are instants and not functions",
		true},
	[LOSS_ROUNDED_RANGES] = {"rounded_ranges",
		"ranges that overlap only because times are rounded, cut by at "
		"most the rounding", true},
	[LOSS_BAD_TEXT] = {"bad_text",
		"invalid UTF-8 sequences replaced", true},
	[LOSS_NOT_SHOWN] = {"not_shown",
		"events that the written format cannot express", true},
	[LOSS_EARLIER_EVENTS] = {"earlier_events",
		"earlier events not kept: only the last were wanted", true},
	/* clang-format on */
};

struct trace *trace_new(const struct read_request *request)
{
	struct trace *trace = memory_new_zeroed(1, sizeof(*trace));

	if (trace == NULL)
		return NULL;
	if (request != NULL)
		trace->request = *request;
	trace->text = strtab_new();
	if (trace->text == NULL) {
		memory_free(trace);
		return NULL;
	}
	strtab_show_zeros(trace->text);
	trace->timeline_end_ns = INT64_MIN;
	return trace;
}

/* Each argument's text is a separate allocation. */
static void device_clear(struct trace_device *device)
{
	for (uint32_t i = 0; i < device->arg_count; i++)
		if (device->args[i].kind == ARG_TEXT ||
			device->args[i].kind == ARG_JSON)
			memory_free((void *)(uintptr_t)device->args[i]
					    .value.text.bytes);
	memory_free(device->args);
	device->args = NULL;
	device->arg_count = 0;
}

void trace_free(struct trace *trace)
{
	if (trace == NULL)
		return;
	strtab_free(trace->text);
	memory_free(trace->sites);
	memory_free(trace->prefixes);
	memory_free(trace->tracks);
	memory_free(trace->modules);
	for (uint32_t i = 0; i < trace->device_count; i++)
		device_clear(&trace->devices[i]);
	memory_free(trace->devices);
	memory_free(trace->facts);
	memory_free(trace->site_index.entries);
	memory_free(trace->device_index.entries);
	memory_free(trace);
}

static uint64_t site_hash(struct trace_site site)
{
	return hash_triple((uint64_t)site.name << 32 | site.file,
		(uint64_t)site.line << 32 | site.call_line, site.category);
}

static bool is_site(
	const struct trace_site *one, const struct trace_site *other)
{
	return one->name == other->name && one->file == other->file &&
	       one->line == other->line && one->call_line == other->call_line &&
	       one->category == other->category;
}

uint32_t trace_add_site(struct trace *trace, const char *name, size_t name_size,
	const char *file, size_t file_size, uint32_t line)
{
	return trace_add_place(
		trace, (struct trace_site){
			       .name = strtab_add(trace->text, name, name_size),
			       .file = strtab_add(trace->text, file, file_size),
			       .line = line});
}

uint32_t trace_add_place(struct trace *trace, struct trace_site site)
{
	uint64_t hash = site_hash(site);
	uint32_t number;
	uint32_t slot;

	if (site.name == STRTAB_NONE || site.file == STRTAB_NONE ||
		site.category == STRTAB_NONE)
		return TRACE_NONE;
	if (!index_reserve(&trace->site_index, trace->site_count))
		return TRACE_NONE;
	slot = index_first(&trace->site_index, hash);
	while ((number = index_find(&trace->site_index, hash, &slot)) !=
		INDEX_NONE) {
		if (is_site(&trace->sites[number], &site))
			return number;
		slot = index_after(&trace->site_index, slot);
	}
	if (!array_reserve32(&trace->sites, trace->site_count,
		    &trace->site_room, sizeof(site)))
		return TRACE_NONE;
	trace->sites[trace->site_count] = site;
	index_set(&trace->site_index, slot, hash, trace->site_count);
	return trace->site_count++;
}

bool trace_add_prefix(struct trace *trace, const char *path, size_t size)
{
	uint32_t text;

	while (size > 1 && path[size - 1] == '/')
		size--;
	text = strtab_add(trace->text, size == 0 ? "" : path, size);
	if (text == STRTAB_NONE ||
		!array_reserve32(&trace->prefixes, trace->prefix_count,
			&trace->prefix_room, sizeof(text)))
		return false;
	trace->prefixes[trace->prefix_count++] = text;
	return true;
}

size_t trace_prefix_size(
	const struct trace *trace, const char *file, size_t size)
{
	size_t longest = 0;

	for (uint32_t i = 0;
		trace->request.trim_prefix && i < trace->prefix_count; i++) {
		size_t length;
		const char *prefix =
			strtab_text(trace->text, trace->prefixes[i], &length);

		if (length >= longest && length + 1 < size && length != 0 &&
			memcmp(file, prefix, length) == 0 &&
			file[length] == '/')
			longest = length + 1;
	}
	return longest;
}

uint32_t trace_add_track(struct trace *trace, struct trace_track track)
{
	if (!array_reserve32(&trace->tracks, trace->track_count,
		    &trace->track_room, sizeof(track)))
		return TRACE_NONE;
	trace->tracks[trace->track_count] = track;
	return trace->track_count++;
}

uint32_t trace_add_module(struct trace *trace, struct trace_module module)
{
	if (!array_reserve32(&trace->modules, trace->module_count,
		    &trace->module_room, sizeof(module)))
		return TRACE_NONE;
	trace->modules[trace->module_count] = module;
	return trace->module_count++;
}

static bool copy_arg(struct event_arg *to, const struct event_arg *from)
{
	*to = *from;
	if (from->kind != ARG_TEXT && from->kind != ARG_JSON)
		return true;
	to->value.text.bytes =
		memory_copy_text(from->value.text.bytes, from->value.text.size);
	return to->value.text.bytes != NULL;
}

static bool copy_device(
	struct trace_device *to, const struct trace_device *from)
{
	*to = *from;
	to->arg_count = 0;
	to->args = memory_new((from->arg_count + 1) * sizeof(*to->args));
	if (to->args == NULL)
		return false;
	for (; to->arg_count < from->arg_count; to->arg_count++)
		if (!copy_arg(&to->args[to->arg_count],
			    &from->args[to->arg_count])) {
			device_clear(to);
			return false;
		}
	return true;
}

static uint64_t device_hash(int64_t pid, uint32_t number)
{
	return hash_triple((uint64_t)pid, number, 0);
}

/* A merge of thousands of ranks has as many devices. */
static uint32_t find_device(
	const struct trace *trace, int64_t pid, uint32_t number)
{
	const struct index *index = &trace->device_index;
	uint64_t hash = device_hash(pid, number);
	uint32_t place;
	uint32_t slot;

	if (index->size == 0)
		return TRACE_NONE;
	slot = index_first(index, hash);
	while ((place = index_find(index, hash, &slot)) != INDEX_NONE) {
		if (trace->devices[place].pid == pid &&
			trace->devices[place].number == number)
			return place;
		slot = index_after(index, slot);
	}
	return TRACE_NONE;
}

uint32_t trace_add_device(
	struct trace *trace, const struct trace_device *device)
{
	uint32_t place = find_device(trace, device->pid, device->number);
	struct trace_device copy;

	if (!copy_device(&copy, device))
		return TRACE_NONE;
	if (place != TRACE_NONE) {
		device_clear(&trace->devices[place]);
	} else if (!array_reserve32(&trace->devices, trace->device_count,
			   &trace->device_room, sizeof(*trace->devices)) ||
		   !index_reserve(&trace->device_index, trace->device_count)) {
		device_clear(&copy);
		return TRACE_NONE;
	} else {
		place = trace->device_count++;
		index_add(&trace->device_index,
			device_hash(device->pid, device->number), place);
	}
	trace->devices[place] = copy;
	return place;
}

const struct trace_device *trace_find_device(
	const struct trace *trace, int64_t pid, uint32_t number)
{
	uint32_t place = find_device(trace, pid, number);

	return place == TRACE_NONE ? NULL : &trace->devices[place];
}

bool trace_add_fact(struct trace *trace, const char *key, const char *value)
{
	return trace_add_member(trace, FACT_OWN, key, value);
}

bool trace_add_member(struct trace *trace, enum trace_fact_kind kind,
	const char *key, const char *value)
{
	struct trace_fact fact = {.kind = kind};
	fact.key = strtab_add(trace->text, key, strlen(key));
	fact.value = strtab_add(trace->text, value, strlen(value));
	if (fact.key == STRTAB_NONE || fact.value == STRTAB_NONE ||
		!array_reserve32(&trace->facts, trace->fact_count,
			&trace->fact_room, sizeof(fact)))
		return false;
	trace->facts[trace->fact_count++] = fact;
	return true;
}

bool trace_set_fact(struct trace *trace, const char *key, const char *value)
{
	uint32_t name = strtab_add(trace->text, key, strlen(key));
	uint32_t number = strtab_add(trace->text, value, strlen(value));

	if (name == STRTAB_NONE || number == STRTAB_NONE)
		return false;
	for (uint32_t i = 0; i < trace->fact_count; i++)
		if (trace->facts[i].key == name) {
			trace->facts[i].value = number;
			return true;
		}
	return trace_add_fact(trace, key, value);
}

const char *trace_site_name(const struct trace *trace, uint32_t site)
{
	if (site >= trace->site_count)
		return "";
	return strtab_text(trace->text, trace->sites[site].name, NULL);
}

const char *trace_site_file(const struct trace *trace, uint32_t site)
{
	if (site >= trace->site_count)
		return "";
	return strtab_text(trace->text, trace->sites[site].file, NULL);
}

bool trace_site_is_api(const struct trace *trace, uint32_t site)
{
	const char *category =
		strtab_text(trace->text, trace->sites[site].category, NULL);

	return strcmp(category, "cuda_runtime") == 0 ||
	       strcmp(category, "cuda_driver") == 0;
}

bool trace_site_is_span(const struct trace *trace, uint32_t site)
{
	static const char name[] = "PyTorch Profiler (";
	uint32_t category = trace->sites[site].category;

	return strcmp(strtab_text(trace->text, category, NULL), "Trace") == 0 &&
	       strncmp(trace_site_name(trace, site), name, sizeof(name) - 1) ==
		       0;
}

bool trace_site_is_python(const struct trace *trace, uint32_t site)
{
	const char *category =
		strtab_text(trace->text, trace->sites[site].category, NULL);

	return strcmp(category, "python") == 0 || strcmp(category, "c") == 0;
}

const char *trace_find_fact(const struct trace *trace, const char *key)
{
	for (uint32_t i = 0; i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (strcmp(strtab_text(trace->text, fact->key, NULL), key) == 0)
			return strtab_text(trace->text, fact->value, NULL);
	}
	return NULL;
}

void trace_lose(struct trace *trace, enum trace_loss loss, uint64_t count)
{
	if (__builtin_add_overflow(
		    trace->losses[loss], count, &trace->losses[loss]))
		trace->losses[loss] = UINT64_MAX;
}

int64_t trace_track_end(const struct trace *trace, uint32_t track)
{
	assert(track < trace->track_count);
	if (trace->tracks[track].has_end)
		return trace->tracks[track].end_ns;
	if (trace->tracks[track].kind == TRACE_TIMELINE)
		return trace->timeline_end_ns;
	return trace->end_ns;
}

bool trace_is_wall(const struct trace *trace)
{
	return trace->base_realtime_ns != 0 ||
	       (trace->start_ns > TRACE_WALL_MIN_NS &&
		       trace->start_ns < TRACE_WALL_MAX_NS);
}

int64_t trace_track_epoch(
	const struct trace *trace, uint32_t track, int64_t first_ns)
{
	int64_t since_ns;

	if (trace->tracks[track].kind != TRACE_TIMELINE ||
		trace->base_realtime_ns <= 0 ||
		__builtin_sub_overflow(
			first_ns, trace->base_realtime_ns, &since_ns) ||
		since_ns < -WALL_CLOCK_NS || since_ns > WALL_CLOCK_NS)
		return 0;
	return trace->base_realtime_ns;
}

const char *trace_loss_name(enum trace_loss loss)
{
	return losses[loss].name;
}

const char *trace_loss_description(enum trace_loss loss)
{
	return losses[loss].words;
}

bool trace_loss_is_note(enum trace_loss loss)
{
	return losses[loss].is_note;
}

const char *trace_device_type_name(int64_t type)
{
	static const char *const names[] = {"cpu", "cuda", "mkldnn", "opengl",
		"opencl", "ideep", "hip", "fpga", "maia", "xla", "vulkan",
		"metal", "xpu", "mps", "meta", "hpu", "ve", "lazy", "ipu",
		"mtia", "privateuseone"};
	const int64_t count = sizeof(names) / sizeof(names[0]);

	return type >= 0 && type < count ? names[type] : NULL;
}

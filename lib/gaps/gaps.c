/* SPDX-License-Identifier: MIT */
/*
 * Activities arrive in order of end time, after their launches, and threads
 * alternate; so everything is sorted first. Then there are two sweeps: one over
 * activities finds the gaps and the activity that ended each, and follows the
 * queue; one over each thread's ranges charges the gaps to them
 * (host_ranges.c).
 */
#include "gaps/gaps.h"

#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "extsort/extsort.h"
#include "gaps/host_ranges.h"
#include "profile/profile.h"
#include "trace/communication.h"
#include "trace/correlation.h"
#include "trace/event.h"

/* ---- causes ---- */

static const struct {
	const char *name;
	const char *description;
} causes[GAP_CAUSES] = {
	[GAP_HOST] = {"host", "host code before the launch"},
	[GAP_SYNC] = {"synchronization", "the host waited for the device"},
	[GAP_COPY] = {"copies", "the host was in a copy call"},
	[GAP_DATA] = {"data_loading", "the host loaded data"},
	[GAP_QUEUED] = {"queued", "launched but not started"},
	[GAP_NOTHING] = {"nothing_launched", "nothing more was launched"},
	[GAP_UNKNOWN] = {"unknown", "the launch is not in the trace"},
};

const char *gap_cause_name(enum gap_cause cause)
{
	return causes[cause].name;
}

const char *gap_cause_description(enum gap_cause cause)
{
	return causes[cause].description;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* CUDA's and HIP's copies and waits for the device. */
static enum gap_cause cause_of_call(const char *name)
{
	static const char *const waits[] = {"DeviceSynchronize",
		"StreamSynchronize", "EventSynchronize", "CtxSynchronize",
		"ThreadSynchronize"};
	static const char *const prefixes[] = {"cuda", "cu", "hip"};
	size_t i = 0;

	while (i < 3 && !begins_with(name, prefixes[i]))
		i++;
	if (i == 3)
		return GAP_HOST;
	name += strlen(prefixes[i]);
	if (begins_with(name, "Memcpy"))
		return GAP_COPY;
	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (begins_with(name, waits[i]))
			return GAP_SYNC;
	return GAP_HOST;
}

static bool loads_data(const struct trace *trace, uint32_t site)
{
	return strcasestr(trace_site_name(trace, site), "dataloader") != NULL ||
	       strcasestr(trace_site_file(trace, site), "dataloader") != NULL;
}

/* Python's names of waits, if the API call inside is unknown. */
static bool waits(const struct trace *trace, uint32_t site)
{
	const char *name = trace_site_name(trace, site);

	return begins_with(name, "<built-in ") &&
	       strstr(name, "synchronize") != NULL;
}

enum gap_cause gap_cause_of_site(const struct trace *trace, uint32_t site)
{
	if (trace_site_is_api(trace, site))
		return cause_of_call(trace_site_name(trace, site));
	if (waits(trace, site))
		return GAP_SYNC;
	return loads_data(trace, site) ? GAP_DATA : GAP_HOST;
}

/* ---- launches ---- */

struct launch {
	int64_t start_ns; /* of the call */
	uint32_t track;   /* the thread that made it */
};

struct launch_table;

/* Start times of a track's open ranges. */
struct open_starts {
	int64_t *times_ns;
	uint32_t depth;
	uint32_t room;
};

struct launch_table {
	const struct trace *trace;
	struct open_starts *tracks; /* by number */
	uint32_t track_count;
	struct correlation *join; /* to places in `calls`; NULL: none yet */
	/* A ring of the launches in `join`. */
	struct launch *calls;
	uint32_t call_count;
	uint32_t call_room;
	uint32_t call_next;
};

/* `trace` is borrowed until launch_table_free(). NULL if out of memory. */
static struct launch_table *launch_table_new(const struct trace *trace)
{
	struct launch_table *table = memory_new_zeroed(1, sizeof(*table));

	if (table != NULL)
		table->trace = trace;
	return table;
}

static void launch_table_free(struct launch_table *table)
{
	if (table == NULL)
		return;
	for (uint32_t i = 0; i < table->track_count; i++)
		memory_free(table->tracks[i].times_ns);
	memory_free(table->tracks);
	correlation_free(table->join);
	memory_free(table->calls);
	memory_free(table);
}

static bool push(struct open_starts *open_starts, int64_t time_ns)
{
	if (!array_reserve32(&open_starts->times_ns, open_starts->depth,
		    &open_starts->room, sizeof(*open_starts->times_ns)))
		return false;
	open_starts->times_ns[open_starts->depth++] = time_ns;
	return true;
}

/* Finds a place in the ring, whose old call the join is about to forget; false
 * if out of memory. */
static bool next_place(struct launch_table *table, uint32_t *place)
{
	*place = table->call_next;
	if (*place == table->call_count) {
		if (!array_reserve32(&table->calls, table->call_count,
			    &table->call_room, sizeof(*table->calls)))
			return false;
		table->call_count++;
	}
	table->call_next = (*place + 1) % CORRELATION_LIMIT;
	return true;
}

static bool add_call(struct launch_table *table, const struct event *event)
{
	const struct open_starts *open = &table->tracks[event->track];
	int64_t pid = table->trace->tracks[event->track].pid;
	int64_t start_ns = open->depth == 0 ? event->time_ns
					    : open->times_ns[open->depth - 1];
	uint32_t place;

	if (table->join == NULL)
		table->join = correlation_new(CORRELATION_LIMIT);
	if (table->join == NULL || !next_place(table, &place))
		return false;
	table->calls[place] = (struct launch){start_ns, event->track};
	return correlation_add(table->join, pid, event->id, place);
}

/* Call it for each event of the stream, in order. Memory: open ranges, and the
 * launches that correlation.h keeps. False if out of memory. */
static bool launch_table_add(
	struct launch_table *table, const struct event *event)
{
	if (event->kind != EVENT_BEGIN && event->kind != EVENT_END &&
		event->kind != EVENT_CORRELATION)
		return true;
	if (!array_ensure_index(&table->tracks, event->track,
		    &table->track_count, sizeof(*table->tracks)))
		return false;
	if (event->kind == EVENT_CORRELATION)
		return add_call(table, event);
	if (event->kind == EVENT_BEGIN)
		return push(&table->tracks[event->track], event->time_ns);
	if (table->tracks[event->track].depth > 0)
		table->tracks[event->track].depth--;
	return true;
}

/* Finds the call that caused an activity; false if unknown. */
static bool launch_table_find(const struct launch_table *table,
	const struct event *event, struct launch *launch)
{
	int64_t pid = table->trace->tracks[event->track].pid;
	uint64_t place;

	if (table->join == NULL || event->id == 0 ||
		!correlation_find(table->join, pid, event->id, &place))
		return false;
	*launch = table->calls[place];
	return true;
}

/* Memory per sort. */
#define SORT_BYTES ((size_t)32 << 20)

/* The known time span of a track. */
struct gaps_extent {
	int64_t first_ns;
	int64_t last_ns;
	bool known;
};

struct gaps {
	const struct trace *trace;
	struct launch_table *launches;
	struct gaps_device *devices;
	struct strtab *device_keys; /* number + 1 by process and number */
	uint32_t device_count;
	uint32_t device_room;
	struct gaps_place *places;
	uint32_t place_count;
	uint32_t place_room;
	struct strtab *place_keys;   /* number + 1 by the place's members */
	struct gaps_extent *extents; /* by track */
	uint32_t extent_count;
	struct host_ranges *host;
	struct extsort *work; /* activities, by their start */
	/* Launch times of queued kernels, with the device as rank and no bytes;
	 * nearly in order. */
	struct extsort *launched;
	struct communication_sites communication;
	struct gaps_watch watch; /* report() is NULL: not watched */
};

/* Number of kernels waiting on each device, while starts are processed in order
 * of time. */
struct gaps_queues {
	struct gaps *gaps;
	struct gaps_queue *queues;    /* by device */
	struct extsort_record launch; /* the next one */
	enum ctp_status launch_read;  /* CTP_END: none */
};

/* Reports to the watch, if any. Errors: those of the watch. */
static enum ctp_status report(const struct gaps *gaps,
	const struct gaps_level *level, struct ctp_error *err)
{
	return gaps->watch.report == NULL
		       ? CTP_OK
		       : gaps->watch.report(gaps->watch.user, level, err);
}

/* The queue depth over time. */

#define THOUSANDTHS 1000

__extension__ typedef unsigned __int128 wide;

struct gaps_queue {
	uint64_t depth;
	int64_t since_ns;
	wide sum; /* of depth times ns */
	bool begun;
};

static enum ctp_status report_depth(const struct gaps *gaps, uint32_t device,
	int64_t time_ns, uint64_t depth, struct ctp_error *err)
{
	const struct gaps_level level = {GAPS_QUEUE, device, time_ns, depth};

	return report(gaps, &level, err);
}

/* Adds a kernel to the queue or removes one. */
static enum ctp_status step_queue(struct gaps_queues *queues, uint32_t number,
	int64_t time_ns, int by, struct ctp_error *err)
{
	struct gaps_device *device = &queues->gaps->devices[number];
	struct gaps_queue *queue = &queues->queues[number];
	enum ctp_status status = CTP_OK;

	if (!queue->begun)
		status = report_depth(
			queues->gaps, number, device->start_ns, 0, err);
	queue->begun = true;
	queue->sum += (wide)queue->depth *
		      ((uint64_t)time_ns - (uint64_t)queue->since_ns);
	queue->since_ns = time_ns;
	/* Never below 0: each kernel starts later than it is launched. */
	queue->depth += (uint64_t)(int64_t)by;
	if (queue->depth > device->queue_max)
		device->queue_max = queue->depth;
	return status == CTP_OK ? report_depth(queues->gaps, number, time_ns,
					  queue->depth, err)
				: status;
}

/* At equal times starts come first, since a kernel that starts immediately was
 * never in the queue. */
static enum ctp_status gaps_queues_start(struct gaps_queues *queues,
	uint32_t device, int64_t time_ns, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && queues->launch_read == CTP_OK &&
		queues->launch.time_ns < time_ns) {
		status = step_queue(queues, (uint32_t)queues->launch.rank,
			queues->launch.time_ns, 1, err);
		queues->launch_read = extsort_next(
			queues->gaps->launched, &queues->launch, err);
	}
	if (status == CTP_OK && queues->launch_read < 0)
		status = queues->launch_read;
	return status == CTP_OK ? step_queue(queues, device, time_ns, -1, err)
				: status;
}

/* After the last start: sets the devices' means. */
static void gaps_queues_finish(const struct gaps_queues *queues)
{
	for (uint32_t i = 0; i < queues->gaps->device_count; i++) {
		struct gaps_device *device = &queues->gaps->devices[i];

		if (device->span_ns > 0)
			device->queue_mean =
				(uint64_t)(queues->queues[i].sum * THOUSANDTHS /
					   device->span_ns);
	}
}

/* Requires sorted launches and known spans of the devices; call
 * gaps_queues_clear() in any case. Errors: CTP_ERR_NOMEM, CTP_ERR_IO. */
static enum ctp_status gaps_queues_init(
	struct gaps_queues *queues, struct gaps *gaps, struct ctp_error *err)
{
	*queues = (struct gaps_queues){.gaps = gaps,
		.queues = memory_new_zeroed(
			gaps->device_count + 1, sizeof(*queues->queues))};
	if (queues->queues == NULL)
		return ctp_no_memory(err);
	queues->launch_read =
		extsort_next(gaps->launched, &queues->launch, err);
	return queues->launch_read < 0 ? queues->launch_read : CTP_OK;
}

static void gaps_queues_clear(struct gaps_queues *queues)
{
	memory_free(queues->queues);
}

/* Charging idle time to places; sorting devices and places. */

#define PLACE_NONE UINT32_MAX

/* The place's index, new or known; PLACE_NONE if out of memory. */
static uint32_t find_place(struct gaps *gaps, const struct gaps_place *place)
{
	const uint32_t key[] = {place->device, (uint32_t)place->cause,
		place->name, place->file, place->line, place->call};
	uint32_t count = strtab_count(gaps->place_keys);
	uint32_t number =
		strtab_add(gaps->place_keys, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE)
		return PLACE_NONE;
	if (number < count)
		return number - 1;
	if (!array_reserve32(&gaps->places, gaps->place_count,
		    &gaps->place_room, sizeof(*gaps->places)))
		return PLACE_NONE;
	gaps->places[gaps->place_count] = *place;
	return gaps->place_count++;
}

/* Charges a stretch of time to a cause and a place. False if out of memory. */
static bool charge(
	struct gaps *gaps, const struct gaps_place *place, uint64_t time_ns)
{
	uint32_t number;

	if (time_ns == 0)
		return true;
	number = find_place(gaps, place);
	if (number == PLACE_NONE)
		return false;
	gaps->devices[place->device].cause_ns[place->cause] += time_ns;
	gaps->places[number].idle_ns += time_ns;
	gaps->places[number].count++;
	if (time_ns > gaps->places[number].longest_ns)
		gaps->places[number].longest_ns = time_ns;
	return true;
}

/* For host_ranges_charge(). */
static bool charge_host(void *user, const struct host_stretch *stretch)
{
	struct gaps *gaps = user;
	const struct trace_site *sites = gaps->trace->sites;
	struct gaps_place place = {
		.device = stretch->device, .cause = stretch->cause};

	if (stretch->name_site != TRACE_NONE) {
		const struct trace_site *site = &sites[stretch->name_site];

		place.name = site->name;
		place.file = site->file;
		place.line = site->line;
	}
	if (stretch->call_site != TRACE_NONE)
		place.call = sites[stretch->call_site].name;
	return charge(gaps, &place, stretch->time_ns);
}

static int compare_texts(const struct gaps *gaps, uint32_t left, uint32_t right)
{
	const struct strtab *text = gaps->trace->text;

	return strcmp(
		strtab_text(text, left, NULL), strtab_text(text, right, NULL));
}

static int compare_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/* Longest first; ties in a fixed order. */
static int compare_places(const void *left, const void *right, void *user)
{
	const struct gaps_place *one = left;
	const struct gaps_place *other = right;
	int order = compare_numbers(other->idle_ns, one->idle_ns);

	if (order == 0)
		order = compare_numbers(one->device, other->device);
	if (order == 0)
		order = compare_numbers(one->cause, other->cause);
	if (order == 0)
		order = compare_texts(user, one->name, other->name);
	if (order == 0)
		order = compare_texts(user, one->file, other->file);
	if (order == 0)
		order = compare_numbers(one->line, other->line);
	return order != 0 ? order : compare_texts(user, one->call, other->call);
}

static int compare_devices(const void *left, const void *right, void *user)
{
	const struct gaps *gaps = user;
	const uint32_t *numbers[2] = {left, right};
	const struct gaps_device *one = &gaps->devices[*numbers[0]];
	const struct gaps_device *other = &gaps->devices[*numbers[1]];

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return compare_numbers(one->number, other->number);
}

/* Sorts devices independently of the order of input. */
static bool sort_devices(struct gaps *gaps)
{
	uint32_t count = gaps->device_count;
	struct gaps_device *sorted =
		memory_new_zeroed(count + 1, sizeof(*sorted));
	uint32_t *order = memory_new_zeroed(2 * (count + 1), sizeof(*order));
	uint32_t *place = order + count;

	if (sorted == NULL || order == NULL) {
		memory_free(sorted);
		memory_free(order);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_devices, gaps);
	for (uint32_t i = 0; i < count; i++) {
		sorted[i] = gaps->devices[order[i]];
		place[order[i]] = i;
	}
	for (uint32_t i = 0; i < gaps->place_count; i++)
		gaps->places[i].device = place[gaps->places[i].device];
	memory_free(gaps->devices);
	memory_free(order);
	gaps->devices = sorted;
	return true;
}

/* Sorts devices and places. False if out of memory. */
static bool gaps_sort(struct gaps *gaps)
{
	if (!sort_devices(gaps))
		return false;
	if (gaps->place_count > 0)
		qsort_r(gaps->places, gaps->place_count, sizeof(*gaps->places),
			compare_places, gaps);
	return true;
}

/* An activity that waits for its turn in the sweep. */
struct work {
	int64_t start_ns;
	int64_t end_ns;
	int64_t launch_ns;
	uint32_t launch_track; /* TRACE_NONE: unknown */
	uint32_t device;
	enum profile_kind kind;
	bool communicates;
};

/* End times of a device's activities so far. */
struct front {
	int64_t busy_ns;   /* the latest end */
	int64_t kernel_ns; /* of a kernel */
	int64_t compute_ns;
	int64_t communication_ns;
	int64_t copy_ns;
};

/* The state of each process, by the number of its pid. */
struct processes {
	struct strtab *pids;
	struct gaps_extent *extents;
	uint32_t room;
};

struct gaps *gaps_new(const struct trace *trace)
{
	struct gaps *gaps = memory_new_zeroed(1, sizeof(*gaps));

	if (gaps == NULL)
		return NULL;
	gaps->trace = trace;
	gaps->launches = launch_table_new(trace);
	gaps->device_keys = strtab_new();
	gaps->place_keys = strtab_new();
	gaps->work = extsort_new(SORT_BYTES);
	gaps->host = host_ranges_new(trace);
	gaps->launched = extsort_new(SORT_BYTES);
	if (gaps->launches != NULL && gaps->device_keys != NULL &&
		gaps->place_keys != NULL && gaps->work != NULL &&
		gaps->host != NULL && gaps->launched != NULL)
		return gaps;
	gaps_free(gaps);
	return NULL;
}

struct gaps *gaps_new_watched(
	const struct trace *trace, const struct gaps_watch *watch)
{
	struct gaps *gaps = gaps_new(trace);

	if (gaps != NULL)
		gaps->watch = *watch;
	return gaps;
}

void gaps_free(struct gaps *gaps)
{
	if (gaps == NULL)
		return;
	launch_table_free(gaps->launches);
	strtab_free(gaps->device_keys);
	strtab_free(gaps->place_keys);
	extsort_free(gaps->work);
	host_ranges_free(gaps->host);
	extsort_free(gaps->launched);
	memory_free(gaps->communication.known);
	memory_free(gaps->devices);
	memory_free(gaps->places);
	memory_free(gaps->extents);
	memory_free(gaps);
}

static void widen(struct gaps_extent *extent, int64_t from_ns, int64_t to_ns)
{
	if (!extent->known || from_ns < extent->first_ns)
		extent->first_ns = from_ns;
	if (!extent->known || to_ns > extent->last_ns)
		extent->last_ns = to_ns;
	extent->known = true;
}

static bool extend(
	struct gaps *gaps, uint32_t track, int64_t from_ns, int64_t to_ns)
{
	uint32_t count = gaps->trace->track_count;
	struct gaps_extent *extent;

	if (track >= gaps->extent_count) {
		extent = memory_resize_array(
			gaps->extents, count, sizeof(*extent));
		if (extent == NULL)
			return false;
		for (uint32_t i = gaps->extent_count; i < count; i++)
			extent[i] = (struct gaps_extent){0};
		gaps->extents = extent;
		gaps->extent_count = count;
	}
	widen(&gaps->extents[track], from_ns, to_ns);
	return true;
}

#define DEVICE_NONE UINT32_MAX

/* The device of a stream; DEVICE_NONE if out of memory. */
static uint32_t find_device(struct gaps *gaps, uint32_t number)
{
	const struct trace_track *track = &gaps->trace->tracks[number];
	const int64_t key[2] = {track->pid, track->device};
	uint32_t known =
		strtab_add(gaps->device_keys, (const char *)key, sizeof(key));

	if (known == STRTAB_NONE)
		return DEVICE_NONE;
	if (known <= gaps->device_count)
		return known - 1;
	if (!array_reserve32(&gaps->devices, gaps->device_count,
		    &gaps->device_room, sizeof(*gaps->devices)))
		return DEVICE_NONE;
	gaps->devices[gaps->device_count] = (struct gaps_device){
		.pid = track->pid, .number = track->device};
	return gaps->device_count++;
}

static int64_t end_of(const struct event *event)
{
	uint64_t most = (uint64_t)INT64_MAX - (uint64_t)event->time_ns;

	return event->dur_ns > most
		       ? INT64_MAX
		       : (int64_t)((uint64_t)event->time_ns + event->dur_ns);
}

/* Whether it waits in the queue before it starts. */
static bool is_queued(const struct work *work)
{
	return work->kind == PROFILE_KERNEL &&
	       work->launch_track != TRACE_NONE &&
	       work->launch_ns < work->start_ns;
}

static enum ctp_status add_launch(
	struct gaps *gaps, const struct work *work, struct ctp_error *err)
{
	const struct extsort_record record = {
		.time_ns = work->launch_ns, .rank = work->device};

	return extsort_add(gaps->launched, &record, err);
}

static enum ctp_status add_work(
	struct gaps *gaps, const struct event *event, struct ctp_error *err)
{
	struct work work = {.start_ns = event->time_ns,
		.end_ns = end_of(event),
		.launch_track = TRACE_NONE,
		.device = find_device(gaps, event->track),
		.kind = profile_kind_of(gaps->trace, event->site)};
	const struct extsort_record record = {.time_ns = event->time_ns,
		.bytes = &work,
		.size = sizeof(work)};
	struct launch launch;
	enum ctp_status status;

	if (work.device == DEVICE_NONE)
		return ctp_no_memory(err);
	work.communicates = work.kind == PROFILE_KERNEL &&
			    communication_is_site(&gaps->communication,
				    gaps->trace, event->site);
	if (launch_table_find(gaps->launches, event, &launch)) {
		work.launch_ns = launch.start_ns;
		work.launch_track = launch.track;
	}
	status = extsort_add(gaps->work, &record, err);
	return status == CTP_OK && is_queued(&work)
		       ? add_launch(gaps, &work, err)
		       : status;
}

enum ctp_status gaps_add(
	struct gaps *gaps, const struct event *event, struct ctp_error *err)
{
	bool is_work = profile_is_activity(gaps->trace, event);
	bool is_range = event->kind == EVENT_BEGIN || event->kind == EVENT_END;
	enum ctp_status status = CTP_OK;

	if (is_range || is_work || event->kind == EVENT_COMPLETE) {
		if (!extend(gaps, event->track, event->time_ns,
			    is_range ? event->time_ns : end_of(event)))
			return ctp_no_memory(err);
		if (is_range && gaps->watch.report == NULL)
			status = host_ranges_add(gaps->host, event, err);
		else if (is_work)
			status = add_work(gaps, event, err);
	}
	if (status == CTP_OK && !launch_table_add(gaps->launches, event))
		return ctp_no_memory(err);
	return status;
}

/* The extent of a process; NULL if out of memory. */
static struct gaps_extent *process_of(struct processes *processes, int64_t pid)
{
	uint32_t number =
		strtab_add(processes->pids, (const char *)&pid, sizeof(pid));

	return number != STRTAB_NONE && array_ensure_index(&processes->extents,
						number, &processes->room,
						sizeof(*processes->extents))
		       ? &processes->extents[number]
		       : NULL;
}

static bool add_processes(const struct gaps *gaps, struct processes *processes)
{
	for (uint32_t i = 0; i < gaps->extent_count; i++) {
		const struct gaps_extent *extent = &gaps->extents[i];
		struct gaps_extent *process;

		if (!extent->known)
			continue;
		process = process_of(processes, gaps->trace->tracks[i].pid);
		if (process == NULL)
			return false;
		widen(process, extent->first_ns, extent->last_ns);
	}
	return true;
}

/* Sets each device's span to the known time of its process. False if out of
 * memory. */
static bool set_spans(struct gaps *gaps)
{
	struct processes processes = {.pids = strtab_new()};
	bool done = processes.pids != NULL && add_processes(gaps, &processes);

	for (uint32_t i = 0; i < gaps->device_count && done; i++) {
		struct gaps_device *device = &gaps->devices[i];
		const struct gaps_extent *process =
			process_of(&processes, device->pid);

		done = process != NULL;
		if (!done)
			break;
		device->start_ns = process->first_ns;
		device->span_ns = (uint64_t)process->last_ns -
				  (uint64_t)process->first_ns;
	}
	strtab_free(processes.pids);
	memory_free(processes.extents);
	return done;
}

static bool charge_cause(struct gaps *gaps, uint32_t device,
	enum gap_cause cause, uint64_t time_ns)
{
	const struct gaps_place place = {.device = device, .cause = cause};

	return charge(gaps, &place, time_ns);
}

static enum ctp_status report_idle(const struct gaps *gaps, uint32_t device,
	int64_t time_ns, bool idle, struct ctp_error *err)
{
	const struct gaps_level level = {GAPS_IDLE, device, time_ns, idle};

	return report(gaps, &level, err);
}

static void count_gap(struct gaps_device *device, uint64_t time_ns)
{
	device->idle_ns += time_ns;
	device->gaps++;
	if (time_ns > device->longest_ns)
		device->longest_ns = time_ns;
}

/* Adds the gap from `from_ns` to this activity's start. */
static enum ctp_status add_gap(struct gaps *gaps, int64_t from_ns,
	const struct work *work, struct ctp_error *err)
{
	struct host_wait wait = {.from_ns = from_ns,
		.to_ns = work->launch_ns,
		.track = work->launch_track,
		.device = work->device};
	uint64_t gap_ns = (uint64_t)work->start_ns - (uint64_t)from_ns;
	bool done;

	count_gap(&gaps->devices[work->device], gap_ns);
	if (work->launch_track == TRACE_NONE)
		done = charge_cause(gaps, work->device, GAP_UNKNOWN, gap_ns);
	else {
		if (wait.to_ns < from_ns)
			wait.to_ns = from_ns;
		if (wait.to_ns > work->start_ns)
			wait.to_ns = work->start_ns;
		done = charge_cause(gaps, work->device, GAP_QUEUED,
			(uint64_t)work->start_ns - (uint64_t)wait.to_ns);
	}
	if (!done)
		return ctp_no_memory(err);
	return work->launch_track != TRACE_NONE && wait.to_ns > from_ns &&
			       gaps->watch.report == NULL
		       ? host_ranges_add_wait(gaps->host, &wait, err)
		       : CTP_OK;
}

/* Advances the front to the activity's end; returns its time after the old
 * front. */
static uint64_t advance(int64_t *front_ns, const struct work *work)
{
	int64_t from_ns = *front_ns;

	if (work->end_ns <= *front_ns)
		return 0;
	if (work->start_ns > from_ns)
		from_ns = work->start_ns;
	*front_ns = work->end_ns;
	return (uint64_t)work->end_ns - (uint64_t)from_ns;
}

static enum ctp_status sweep_activity(struct gaps *gaps, struct front *fronts,
	const struct work *work, struct ctp_error *err)
{
	struct gaps_device *device = &gaps->devices[work->device];
	struct front *front = &fronts[work->device];
	enum ctp_status status = CTP_OK;

	if (work->start_ns > front->busy_ns) {
		status = report_idle(
			gaps, work->device, front->busy_ns, true, err);
		if (status == CTP_OK)
			status = report_idle(
				gaps, work->device, work->start_ns, false, err);
		if (status == CTP_OK)
			status = add_gap(gaps, front->busy_ns, work, err);
	}
	device->activities++;
	device->busy_ns += advance(&front->busy_ns, work);
	if (work->kind == PROFILE_KERNEL)
		device->kernel_ns += advance(&front->kernel_ns, work);
	if (work->kind != PROFILE_KERNEL)
		device->copy_ns += advance(&front->copy_ns, work);
	else if (work->communicates)
		device->communication_ns +=
			advance(&front->communication_ns, work);
	else
		device->compute_ns += advance(&front->compute_ns, work);
	return status;
}

/* The idle time after each device's last activity. */
static enum ctp_status add_ends(
	struct gaps *gaps, const struct front *fronts, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < gaps->device_count && status == CTP_OK; i++) {
		struct gaps_device *device = &gaps->devices[i];
		uint64_t rest_ns = (uint64_t)device->start_ns +
				   device->span_ns -
				   (uint64_t)fronts[i].busy_ns;

		if (rest_ns == 0)
			continue;
		count_gap(device, rest_ns);
		status = charge_cause(gaps, i, GAP_NOTHING, rest_ns)
				 ? report_idle(gaps, i, fronts[i].busy_ns, true,
					   err)
				 : ctp_no_memory(err);
	}
	return status;
}

static enum ctp_status set_fronts(
	struct gaps *gaps, struct front *fronts, struct ctp_error *err)
{
	enum ctp_status status = set_spans(gaps) ? CTP_OK : ctp_no_memory(err);

	for (uint32_t i = 0; i < gaps->device_count && status == CTP_OK; i++) {
		int64_t start_ns = gaps->devices[i].start_ns;

		fronts[i] = (struct front){
			start_ns, start_ns, start_ns, start_ns, start_ns};
		status = report_idle(gaps, i, start_ns, false, err);
	}
	return status;
}

static enum ctp_status sweep_work(struct gaps *gaps, struct front *fronts,
	struct gaps_queues *queues, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		struct extsort_record record;
		struct work work;

		status = extsort_next(gaps->work, &record, err);
		if (status != CTP_OK)
			break;
		memcpy(&work, record.bytes, sizeof(work));
		status = sweep_activity(gaps, fronts, &work, err);
		if (status == CTP_OK && is_queued(&work))
			status = gaps_queues_start(
				queues, work.device, work.start_ns, err);
	}
	return status == CTP_END ? add_ends(gaps, fronts, err) : status;
}

static enum ctp_status finish_work(struct gaps *gaps, struct ctp_error *err)
{
	struct front *fronts =
		memory_new_zeroed(gaps->device_count + 1, sizeof(*fronts));
	struct gaps_queues queues = {.gaps = gaps};
	enum ctp_status status;

	if (fronts == NULL)
		return ctp_no_memory(err);
	status = set_fronts(gaps, fronts, err);
	if (status == CTP_OK)
		status = gaps_queues_init(&queues, gaps, err);
	if (status == CTP_OK)
		status = sweep_work(gaps, fronts, &queues, err);
	if (status == CTP_OK)
		gaps_queues_finish(&queues);
	gaps_queues_clear(&queues);
	memory_free(fronts);
	return status;
}

enum ctp_status gaps_finish(struct gaps *gaps, struct ctp_error *err)
{
	enum ctp_status status = extsort_sort(gaps->work, err);

	if (status == CTP_OK)
		status = extsort_sort(gaps->launched, err);
	if (status == CTP_OK)
		status = finish_work(gaps, err);
	if (status != CTP_OK || gaps->watch.report != NULL)
		return status;
	status = host_ranges_charge(gaps->host, charge_host, gaps, err);
	if (status == CTP_OK && !gaps_sort(gaps))
		status = ctp_no_memory(err);
	return status;
}

const struct gaps_device *gaps_devices(const struct gaps *gaps, uint32_t *count)
{
	*count = gaps->device_count;
	return gaps->devices;
}

const struct gaps_place *gaps_places(const struct gaps *gaps, uint32_t *count)
{
	*count = gaps->place_count;
	return gaps->places;
}

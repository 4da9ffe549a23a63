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
#include "base/saturate.h"
#include "extsort/extsort.h"
#include "gaps/host_ranges.h"
#include "gaps/launch_table.h"
#include "profile/profile.h"
#include "trace/communication.h"
#include "trace/device.h"
#include "trace/event.h"

/* Memory per sort. */
#define SORT_BYTES ((size_t)32 << 20)

/* The known time span of a track. */
struct gaps_extent {
	int64_t first_ns;
	int64_t last_ns;
	bool known;
};

struct gaps {
	const struct trace *trace; /* NULL: a sum of several */
	const struct strtab *text; /* of places: the trace's, or that of */
	struct strtab *sum_text;   /* a sum */
	struct strtab *models;     /* names of devices; 0: unknown */
	struct launch_table *launches;
	struct gaps_device *devices;
	/* Number + 1 by process and number; of a sum by model. */
	struct strtab *device_keys;
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

struct gaps_queue {
	uint64_t depth;
	int64_t since_ns;
	gaps_area sum; /* of depth times ns */
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
	queue->sum += (gaps_area)queue->depth *
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

static void set_mean(struct gaps_device *device)
{
	const gaps_area most = ~(gaps_area)0 / THOUSANDTHS;
	gaps_area sum = device->queue_sum < most ? device->queue_sum : most;

	if (device->span_ns > 0)
		device->queue_mean =
			(uint64_t)(sum * THOUSANDTHS / device->span_ns);
}

/* After the last start: sets the devices' means. */
static void gaps_queues_finish(const struct gaps_queues *queues)
{
	for (uint32_t i = 0; i < queues->gaps->device_count; i++) {
		struct gaps_device *device = &queues->gaps->devices[i];

		device->queue_sum = queues->queues[i].sum;
		set_mean(device);
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
	return strtab_compare(gaps->text, left, right);
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
	if (one->number != other->number)
		return compare_numbers(one->number, other->number);
	return strtab_compare(gaps->models, one->model, other->model);
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

/* Allocates the tables of traces and of sums. */
static struct gaps *new_tables(void)
{
	struct gaps *gaps = memory_new_zeroed(1, sizeof(*gaps));

	if (gaps == NULL)
		return NULL;
	gaps->device_keys = strtab_new();
	gaps->place_keys = strtab_new();
	gaps->models = strtab_new();
	if (gaps->device_keys != NULL && gaps->place_keys != NULL &&
		gaps->models != NULL) {
		strtab_show_zeros(gaps->models);
		return gaps;
	}
	gaps_free(gaps);
	return NULL;
}

struct gaps *gaps_new(const struct trace *trace)
{
	struct gaps *gaps = new_tables();

	if (gaps == NULL)
		return NULL;
	gaps->trace = trace;
	gaps->text = trace->text;
	gaps->launches = launch_table_new(trace);
	gaps->work = extsort_new(SORT_BYTES);
	gaps->host = host_ranges_new(trace);
	gaps->launched = extsort_new(SORT_BYTES);
	if (gaps->launches != NULL && gaps->work != NULL &&
		gaps->host != NULL && gaps->launched != NULL)
		return gaps;
	gaps_free(gaps);
	return NULL;
}

struct gaps *gaps_new_sum(void)
{
	struct gaps *gaps = new_tables();

	if (gaps == NULL)
		return NULL;
	gaps->sum_text = strtab_new();
	gaps->text = gaps->sum_text;
	if (gaps->sum_text != NULL)
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
	strtab_free(gaps->models);
	strtab_free(gaps->sum_text);
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

/* The device of this key, which is added as `device` if it is new; DEVICE_NONE if
 * out of memory. */
static uint32_t device_of(struct gaps *gaps, const void *key, size_t size,
	const struct gaps_device *device)
{
	uint32_t known = strtab_add(gaps->device_keys, key, size);

	if (known == STRTAB_NONE)
		return DEVICE_NONE;
	if (known <= gaps->device_count)
		return known - 1;
	if (!array_reserve32(&gaps->devices, gaps->device_count,
		    &gaps->device_room, sizeof(*gaps->devices)))
		return DEVICE_NONE;
	gaps->devices[gaps->device_count] = *device;
	return gaps->device_count++;
}

/* The device of a stream; DEVICE_NONE if out of memory. */
static uint32_t find_device(struct gaps *gaps, uint32_t number)
{
	const struct trace_track *track = &gaps->trace->tracks[number];
	const int64_t key[2] = {track->pid, track->device};

	return device_of(gaps, key, sizeof(key),
		&(struct gaps_device){.pid = track->pid,
			.number = track->device,
			.devices = 1});
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
	void *user, const struct event *event, struct ctp_error *err)
{
	struct gaps *gaps = user;
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

bool gaps_find_launch(const struct gaps *gaps, const struct event *event,
	struct launch *launch)
{
	return launch_table_find(gaps->launches, event, launch);
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

/* Sets the names of devices; false if out of memory. */
static bool name_devices(struct gaps *gaps)
{
	for (uint32_t i = 0; i < gaps->device_count; i++) {
		struct gaps_device *device = &gaps->devices[i];
		size_t size = 0;
		const char *name = trace_device_name(
			gaps->trace, device->pid, device->number, &size);

		device->model = strtab_add(gaps->models, name, size);
		if (device->model == STRTAB_NONE)
			return false;
	}
	return true;
}

static enum ctp_status finish_sum(struct gaps *gaps, struct ctp_error *err)
{
	for (uint32_t i = 0; i < gaps->device_count; i++)
		set_mean(&gaps->devices[i]);
	return gaps_sort(gaps) ? CTP_OK : ctp_no_memory(err);
}

enum ctp_status gaps_finish(void *user, struct ctp_error *err)
{
	struct gaps *gaps = user;
	enum ctp_status status;

	if (gaps->trace == NULL)
		return finish_sum(gaps, err);
	status = extsort_sort(gaps->work, err);
	if (status == CTP_OK)
		status = extsort_sort(gaps->launched, err);
	if (status == CTP_OK)
		status = finish_work(gaps, err);
	if (status != CTP_OK || gaps->watch.report != NULL)
		return status;
	status = host_ranges_charge(gaps->host, charge_host, gaps, err);
	if (status == CTP_OK && (!name_devices(gaps) || !gaps_sort(gaps)))
		status = ctp_no_memory(err);
	return status;
}

const char *gaps_text(const struct gaps *gaps, uint32_t number)
{
	return strtab_text(gaps->text, number, NULL);
}

const char *gaps_model(
	const struct gaps *gaps, const struct gaps_device *device, size_t *size)
{
	if (size != NULL)
		*size = 0;
	return device->model == 0
		       ? NULL
		       : strtab_text(gaps->models, device->model, size);
}

bool gaps_is_sum(const struct gaps *gaps)
{
	return gaps->trace == NULL;
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

/* ---- sums of several traces ---- */

static void add(uint64_t *to, uint64_t from)
{
	*to = saturate_sum(*to, from);
}

static void keep_most(uint64_t *to, uint64_t from)
{
	if (from > *to)
		*to = from;
}

uint32_t gaps_add_device(
	struct gaps *sum, const struct gaps_device *device, const char *model)
{
	uint32_t number = strtab_add(sum->models, model, strlen(model));
	uint32_t index = DEVICE_NONE;
	struct gaps_device *to;

	if (number != STRTAB_NONE)
		index = device_of(sum, &number, sizeof(number),
			&(struct gaps_device){.model = number});
	if (index == DEVICE_NONE)
		return DEVICE_NONE;
	to = &sum->devices[index];
	add(&to->devices, device->devices);
	add(&to->span_ns, device->span_ns);
	add(&to->busy_ns, device->busy_ns);
	add(&to->kernel_ns, device->kernel_ns);
	add(&to->compute_ns, device->compute_ns);
	add(&to->communication_ns, device->communication_ns);
	add(&to->copy_ns, device->copy_ns);
	add(&to->idle_ns, device->idle_ns);
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		add(&to->cause_ns[cause], device->cause_ns[cause]);
	add(&to->gaps, device->gaps);
	keep_most(&to->longest_ns, device->longest_ns);
	add(&to->activities, device->activities);
	keep_most(&to->queue_max, device->queue_max);
	if (__builtin_add_overflow(
		    to->queue_sum, device->queue_sum, &to->queue_sum))
		to->queue_sum = ~(gaps_area)0;
	return index;
}

/* Adds a text to a sum's; false if out of memory. */
static bool add_text(struct gaps *sum, const char *text, uint32_t *number)
{
	*number = strtab_add(sum->sum_text, text, strlen(text));
	return *number != STRTAB_NONE;
}

bool gaps_add_place(struct gaps *sum, const struct gaps_place *place,
	const struct gaps_place_text *text)
{
	struct gaps_place key = {.device = place->device,
		.cause = place->cause,
		.line = place->line};
	struct gaps_place *to;
	uint32_t number;

	if (!add_text(sum, text->name, &key.name) ||
		!add_text(sum, text->file, &key.file) ||
		!add_text(sum, text->call, &key.call))
		return false;
	number = find_place(sum, &key);
	if (number == PLACE_NONE)
		return false;
	to = &sum->places[number];
	add(&to->idle_ns, place->idle_ns);
	add(&to->count, place->count);
	keep_most(&to->longest_ns, place->longest_ns);
	return true;
}

bool gaps_add_all(struct gaps *sum, const struct gaps *from)
{
	uint32_t *places = memory_new_zeroed(
		(size_t)from->device_count + 1, sizeof(*places));
	bool done = places != NULL;

	for (uint32_t i = 0; i < from->device_count && done; i++) {
		const struct gaps_device *device = &from->devices[i];
		const char *model = gaps_model(from, device, NULL);

		places[i] = gaps_add_device(
			sum, device, model == NULL ? "" : model);
		done = places[i] != DEVICE_NONE;
	}
	for (uint32_t i = 0; i < from->place_count && done; i++) {
		struct gaps_place place = from->places[i];
		const struct gaps_place_text text = {
			gaps_text(from, place.name),
			gaps_text(from, place.file),
			gaps_text(from, place.call)};

		place.device = places[place.device];
		done = gaps_add_place(sum, &place, &text);
	}
	memory_free(places);
	return done;
}

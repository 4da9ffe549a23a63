/* SPDX-License-Identifier: MIT */
/*
 * Activities come in the order of their ends, launches before them, and threads
 * in turn; so all are sorted first. Then two sweeps: over activities, which
 * finds the gaps and what ended each, and follows the queue (gaps_queue.c); and
 * over what each thread did, which charges the gaps to it (gaps_host.c).
 */
#include "gaps/gaps_private.h"

#include <string.h>

#include "profile/device_work.h"
#include "base/memory.h"

#define DEVICE_NONE UINT32_MAX

static const struct {
	const char *name;
	const char *words;
} causes[GAP_CAUSES] = {
	[GAP_HOST] = {"host", "host code, until it launched"},
	[GAP_SYNC] = {"synchronization", "the host waited for the device"},
	[GAP_COPY] = {"copies", "the host was in a call that copies"},
	[GAP_DATA] = {"data_loading", "the host loaded data"},
	[GAP_QUEUED] = {"queued", "launched, but not started"},
	[GAP_NOTHING] = {"nothing_launched", "nothing was launched any more"},
	[GAP_UNKNOWN] = {"unknown", "the launch is not in the trace"},
};

/* An activity that waits for its turn in the sweep. */
struct work {
	int64_t start_ns;
	int64_t end_ns;
	int64_t launch_ns;
	uint32_t launch_track; /* TRACE_NONE: not known */
	uint32_t device;
	enum profile_kind kind;
};

/* How far a device's activities have come. */
struct front {
	int64_t busy_ns;   /* the latest end */
	int64_t kernel_ns; /* of a kernel */
};

/* What is known of each process, by the number of its pid. */
struct processes {
	struct strtab *pids;
	struct gaps_extent *extents;
	uint32_t room;
};

const char *gap_cause_name(enum gap_cause cause)
{
	return causes[cause].name;
}

const char *gap_cause_words(enum gap_cause cause)
{
	return causes[cause].words;
}

enum ctp_status gaps_no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

struct gaps *gaps_new(const struct trace *trace)
{
	struct gaps *gaps = memory_new_zeroed(1, sizeof(*gaps));

	if (gaps == NULL)
		return NULL;
	gaps->trace = trace;
	gaps->launches = launches_new(trace);
	gaps->device_keys = strtab_new();
	gaps->place_keys = strtab_new();
	gaps->work = spill_new(GAPS_SORT_BYTES);
	gaps->host = spill_new(GAPS_SORT_BYTES);
	gaps->waits = spill_new(GAPS_SORT_BYTES);
	gaps->launched = spill_new(GAPS_SORT_BYTES);
	if (gaps->launches != NULL && gaps->device_keys != NULL &&
		gaps->place_keys != NULL && gaps->work != NULL &&
		gaps->host != NULL && gaps->waits != NULL &&
		gaps->launched != NULL)
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

enum ctp_status gaps_tell(const struct gaps *gaps,
	const struct gaps_level *level, struct ctp_error *err)
{
	return gaps->watch.see == NULL
		       ? CTP_OK
		       : gaps->watch.see(gaps->watch.user, level, err);
}

void gaps_free(struct gaps *gaps)
{
	if (gaps == NULL)
		return;
	launches_free(gaps->launches);
	strtab_free(gaps->device_keys);
	strtab_free(gaps->place_keys);
	spill_free(gaps->work);
	spill_free(gaps->host);
	spill_free(gaps->waits);
	spill_free(gaps->launched);
	memory_free(gaps->devices);
	memory_free(gaps->places);
	for (uint32_t i = 0; i < gaps->extent_count; i++)
		memory_free(gaps->extents[i].block);
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
			extent[i] = (struct gaps_extent){.range_ns = INT64_MIN};
		gaps->extents = extent;
		gaps->extent_count = count;
	}
	widen(&gaps->extents[track], from_ns, to_ns);
	return true;
}

/* The device that a stream is of; DEVICE_NONE if out of memory. */
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
	if (!memory_grow32(&gaps->devices, gaps->device_count,
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

/* Does it wait in the queue before it starts? */
static bool is_queued(const struct work *work)
{
	return work->kind == PROFILE_KERNEL &&
	       work->launch_track != TRACE_NONE &&
	       work->launch_ns < work->start_ns;
}

static enum ctp_status add_launch(
	struct gaps *gaps, const struct work *work, struct ctp_error *err)
{
	const struct spill_record record = {
		.time_ns = work->launch_ns, .rank = work->device};

	return spill_add(gaps->launched, &record, err);
}

static enum ctp_status add_work(
	struct gaps *gaps, const struct event *event, struct ctp_error *err)
{
	struct work work = {.start_ns = event->time_ns,
		.end_ns = end_of(event),
		.launch_track = TRACE_NONE,
		.device = find_device(gaps, event->track),
		.kind = device_work_kind(gaps->trace, event->site)};
	const struct spill_record record = {.time_ns = event->time_ns,
		.bytes = &work,
		.size = sizeof(work)};
	struct launch launch;
	enum ctp_status status;

	if (work.device == DEVICE_NONE)
		return gaps_no_memory(err);
	if (launches_find(gaps->launches, event, &launch)) {
		work.launch_ns = launch.start_ns;
		work.launch_track = launch.track;
	}
	status = spill_add(gaps->work, &record, err);
	return status == CTP_OK && is_queued(&work)
		       ? add_launch(gaps, &work, err)
		       : status;
}

enum ctp_status gaps_add(
	struct gaps *gaps, const struct event *event, struct ctp_error *err)
{
	const struct trace_track *track = &gaps->trace->tracks[event->track];
	bool is_work =
		event->kind == EVENT_ACTIVITY && track->kind == TRACE_STREAM &&
		device_work_kind(gaps->trace, event->site) != PROFILE_HOST;
	bool is_range = event->kind == EVENT_BEGIN || event->kind == EVENT_END;
	enum ctp_status status = CTP_OK;

	if (is_range || is_work || event->kind == EVENT_COMPLETE) {
		if (!extend(gaps, event->track, event->time_ns,
			    is_range ? event->time_ns : end_of(event)))
			return gaps_no_memory(err);
		if (is_range && gaps->watch.see == NULL)
			status = gaps_ranges_add(gaps, event, err);
		else if (is_work)
			status = add_work(gaps, event, err);
	}
	if (status == CTP_OK && !launches_see(gaps->launches, event))
		return gaps_no_memory(err);
	return status;
}

/* The extent of a process; NULL if out of memory. */
static struct gaps_extent *process_of(struct processes *processes, int64_t pid)
{
	uint32_t number =
		strtab_add(processes->pids, (const char *)&pid, sizeof(pid));

	return number != STRTAB_NONE && memory_reach(&processes->extents,
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

/* A device's span is all that is known of the process that it worked for. False
 * if out of memory. */
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

	return gaps_charge(gaps, &place, time_ns);
}

static enum ctp_status tell_idle(const struct gaps *gaps, uint32_t device,
	int64_t time_ns, bool idle, struct ctp_error *err)
{
	const struct gaps_level level = {GAPS_IDLE, device, time_ns, idle};

	return gaps_tell(gaps, &level, err);
}

static void count_gap(struct gaps_device *device, uint64_t time_ns)
{
	device->idle_ns += time_ns;
	device->gaps++;
	if (time_ns > device->longest_ns)
		device->longest_ns = time_ns;
}

/* The gap from there to this activity's start. */
static enum ctp_status take_gap(struct gaps *gaps, int64_t from_ns,
	const struct work *work, struct ctp_error *err)
{
	struct gaps_wait wait = {.from_ns = from_ns,
		.to_ns = work->launch_ns,
		.track = work->launch_track,
		.device = work->device};
	const struct spill_record record = {.time_ns = wait.track,
		.rank = from_ns,
		.bytes = &wait,
		.size = sizeof(wait)};
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
		return gaps_no_memory(err);
	return work->launch_track != TRACE_NONE && wait.to_ns > from_ns &&
			       gaps->watch.see == NULL
		       ? spill_add(gaps->waits, &record, err)
		       : CTP_OK;
}

/* Time from the front on, which goes there, in which this one runs. */
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

static enum ctp_status take_work(struct gaps *gaps, struct front *fronts,
	const struct work *work, struct ctp_error *err)
{
	struct gaps_device *device = &gaps->devices[work->device];
	struct front *front = &fronts[work->device];
	enum ctp_status status = CTP_OK;

	if (work->start_ns > front->busy_ns) {
		status = tell_idle(
			gaps, work->device, front->busy_ns, true, err);
		if (status == CTP_OK)
			status = tell_idle(
				gaps, work->device, work->start_ns, false, err);
		if (status == CTP_OK)
			status = take_gap(gaps, front->busy_ns, work, err);
	}
	device->activities++;
	device->busy_ns += advance(&front->busy_ns, work);
	if (work->kind == PROFILE_KERNEL)
		device->kernel_ns += advance(&front->kernel_ns, work);
	return status;
}

/* What is left after each device's last activity. */
static enum ctp_status take_ends(
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
				 ? tell_idle(gaps, i, fronts[i].busy_ns, true,
					   err)
				 : gaps_no_memory(err);
	}
	return status;
}

static enum ctp_status set_fronts(
	struct gaps *gaps, struct front *fronts, struct ctp_error *err)
{
	enum ctp_status status = set_spans(gaps) ? CTP_OK : gaps_no_memory(err);

	for (uint32_t i = 0; i < gaps->device_count && status == CTP_OK; i++) {
		int64_t start_ns = gaps->devices[i].start_ns;

		fronts[i] = (struct front){start_ns, start_ns};
		status = tell_idle(gaps, i, start_ns, false, err);
	}
	return status;
}

static enum ctp_status sweep_work(struct gaps *gaps, struct front *fronts,
	struct gaps_queues *queues, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		struct spill_record record;
		struct work work;

		status = spill_next(gaps->work, &record, err);
		if (status != CTP_OK)
			break;
		memcpy(&work, record.bytes, sizeof(work));
		status = take_work(gaps, fronts, &work, err);
		if (status == CTP_OK && is_queued(&work))
			status = gaps_queues_start(
				queues, work.device, work.start_ns, err);
	}
	return status == CTP_END ? take_ends(gaps, fronts, err) : status;
}

static enum ctp_status finish_work(struct gaps *gaps, struct ctp_error *err)
{
	struct front *fronts =
		memory_new_zeroed(gaps->device_count + 1, sizeof(*fronts));
	struct gaps_queues queues = {.gaps = gaps};
	enum ctp_status status;

	if (fronts == NULL)
		return gaps_no_memory(err);
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
	enum ctp_status status = spill_sort(gaps->work, err);

	if (status == CTP_OK)
		status = spill_sort(gaps->launched, err);
	if (status == CTP_OK)
		status = finish_work(gaps, err);
	if (status != CTP_OK || gaps->watch.see != NULL)
		return status;
	status = gaps_ranges_finish(gaps, err);
	if (status == CTP_OK)
		status = spill_sort(gaps->waits, err);
	if (status == CTP_OK)
		status = gaps_charge_host(gaps, err);
	if (status == CTP_OK && !gaps_sort(gaps))
		status = gaps_no_memory(err);
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

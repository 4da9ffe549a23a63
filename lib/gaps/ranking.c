/* SPDX-License-Identifier: MIT */
/*
 * The score of a range: the distance of its share of idle time, and of its self
 * time, from the mean of all ranges that overlap a phase in which the queue ran
 * empty, in standard deviations of that sample.
 */
#include "gaps/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "extsort/extsort.h"
#include "gaps/spans.h"
#include "profile/profile.h"
#include "trace/correlation.h"

#define SELF_WEIGHT 0.6

/* Memory per sort. */
#define SORT_BYTES ((size_t)32 << 20)

/* Cached properties of a site, from its texts. */
struct site {
	bool known;
	bool has_place; /* in a file */
	bool is_call;   /* or anything else that is not a range here */
	bool is_launch; /* if it is a call */
	bool is_wait;
	bool is_work; /* if it is an activity */
	bool is_kernel;
};

/* An open range. */
struct open {
	int64_t start_ns;
	uint64_t children_ns;
	uint64_t waits_ns; /* in waits inside */
	uint64_t id;       /* for an API call: id of its activities */
	uint32_t site;
	uint32_t place;
	bool is_call; /* or anything else that is not a range here */
	bool is_launch;
	bool is_wait;
};

struct track {
	struct open *open;
	uint32_t depth;
	uint32_t room;
	int64_t latest_ns;
	bool has_calls; /* of the device's API */
};

/* A launch, or a kernel. */
struct point {
	int64_t start_ns;
	int64_t end_ns;
	int64_t pid;
	uint64_t id;
	uint64_t is_kernel;
};

/* An ended host range. */
struct range {
	int64_t start_ns;
	int64_t end_ns;
	uint64_t self_ns;
	uint32_t site;
	uint32_t place;
	uint32_t track;
	bool is_wait; /* for more than half of its time */
};

struct ranking {
	const struct trace *trace;
	struct ranking_options options;
	struct extsort *host;   /* struct range */
	struct extsort *points; /* struct point */
	struct site *sites;     /* by number */
	uint32_t site_room;
	struct track *tracks;
	uint32_t track_count;
	bool has_host;
	bool has_kernels;
	int64_t first_ns;      /* start of the host's ranges */
	int64_t latest_ns;     /* and their end */
	int64_t last_start_ns; /* of the range that began last */
	int64_t last_end_ns;
	struct spans busy; /* robust form: work of devices */
	struct spans idle;
	struct spans falling;
	struct ranking_row *rows;
	uint32_t row_count;
};

/* ---- the queue ---- */

/*
 * The depth of the queue at each launch and kernel start, and its phases.
 *
 * The document numbers kernels by start; the depth is the number of the latest
 * launch's kernel minus the number of started kernels. A launch searches for
 * its kernel after that of the previous launch. The robust form counts each
 * kernel with a known launch from the launch to its start.
 */

#define PEAK 4 /* smallest depth that counts as a peak */
#define JOIN_LIMIT (UINT32_MAX / 8)
#define NONE UINT32_MAX

/* A point and the depth after it. */
struct sample {
	int64_t start_ns;
	int64_t end_ns;
	int64_t depth;
};

struct queue {
	struct point *points; /* in order of time */
	uint32_t count;
	uint32_t room;
	struct sample *samples;    /* of the points */
	struct correlation *first; /* by id: its first kernel, or their
				    * number */
	uint32_t *next;            /* by kernel: the next one of its id */
	int64_t *starts;           /* start by kernel */
	uint32_t kernels;
};

static bool queue_add(struct queue *queue, const void *bytes)
{
	if (!array_reserve32(&queue->points, queue->count, &queue->room,
		    sizeof(*queue->points)))
		return false;
	memcpy(&queue->points[queue->count], bytes, sizeof(*queue->points));
	queue->kernels += queue->points[queue->count].is_kernel != 0;
	queue->count++;
	return true;
}

static enum ctp_status read_points(
	struct ranking *ranking, struct queue *queue, struct ctp_error *err)
{
	struct extsort_record record;
	enum ctp_status status;

	for (;;) {
		status = extsort_next(ranking->points, &record, err);
		if (status != CTP_OK)
			break;
		if (!queue_add(queue, record.bytes))
			return ctp_no_memory(err);
	}
	if (status != CTP_END)
		return status;
	queue->samples =
		memory_new_zeroed(queue->count + 1, sizeof(*queue->samples));
	queue->next =
		memory_new_zeroed(queue->kernels + 1, sizeof(*queue->next));
	queue->starts =
		memory_new_zeroed(queue->kernels + 1, sizeof(*queue->starts));
	queue->first = correlation_new(JOIN_LIMIT);
	return queue->samples == NULL || queue->next == NULL ||
			       queue->starts == NULL || queue->first == NULL
		       ? ctp_no_memory(err)
		       : CTP_OK;
}

/* Indexes kernels by id; backward, so that the first one is found first. */
static bool number_kernels(struct queue *queue)
{
	uint32_t number = queue->kernels;

	for (uint32_t i = queue->count; i-- > 0;) {
		const struct point *point = &queue->points[i];
		uint64_t next = NONE;

		if (!point->is_kernel)
			continue;
		number--;
		(void)correlation_find(
			queue->first, point->pid, point->id, &next);
		queue->next[number] = (uint32_t)next;
		queue->starts[number] = point->start_ns;
		if (!correlation_add(
			    queue->first, point->pid, point->id, number))
			return false;
	}
	return true;
}

/* The first kernel of a launch from `from` on; NONE if there is none. */
static uint32_t kernel_of(
	const struct queue *queue, const struct point *launch, uint32_t from)
{
	uint64_t number = NONE;

	(void)correlation_find(queue->first, launch->pid, launch->id, &number);
	while (number != NONE && number < from)
		number = queue->next[number];
	return (uint32_t)number;
}

static bool measure_as_documented(struct queue *queue)
{
	uint32_t mapped = 0;
	int64_t latest = -1;
	int64_t started = 0;

	if (!number_kernels(queue))
		return false;
	for (uint32_t i = 0; i < queue->count; i++) {
		const struct point *point = &queue->points[i];
		uint32_t kernel = NONE;

		if (!point->is_kernel)
			kernel = kernel_of(queue, point, mapped);
		if (kernel != NONE) {
			mapped = kernel;
			latest = kernel;
		}
		while (started < (int64_t)queue->kernels &&
			queue->starts[started] <= point->start_ns)
			started++;
		queue->samples[i] = (struct sample){
			point->start_ns, point->end_ns, latest - started + 1};
	}
	return true;
}

static bool measure_robustly(struct queue *queue)
{
	int64_t depth = 0;

	for (uint32_t i = 0; i < queue->count; i++) {
		const struct point *point = &queue->points[i];
		uint64_t count = 0;

		if (!point->is_kernel)
			continue;
		(void)correlation_find(
			queue->first, point->pid, point->id, &count);
		if (!correlation_add(
			    queue->first, point->pid, point->id, count + 1))
			return false;
	}
	/* A kernel that starts before its launch, because of different clocks,
	 * is added too late, and the depth is below 0 until then. A launch with
	 * a repeated id has the same kernels, which are counted for the first
	 * one. */
	for (uint32_t i = 0; i < queue->count; i++) {
		const struct point *point = &queue->points[i];
		uint64_t count = 0;

		if (!point->is_kernel) {
			(void)correlation_find(
				queue->first, point->pid, point->id, &count);
			depth += (int64_t)count;
		} else {
			depth--;
		}
		queue->samples[i] =
			(struct sample){point->start_ns, point->end_ns, depth};
	}
	return true;
}

/* Idle from the end of one activity to the next start, as in the document. */
static bool find_idle(struct ranking *ranking, const struct queue *queue)
{
	const struct sample *samples = queue->samples;
	struct spans *idle = &ranking->idle;
	int64_t since_ns = 0;
	bool is_idle = false;
	bool done;

	if (queue->count == 0 || !ranking->has_host)
		return true;
	done = spans_add(idle, ranking->first_ns, samples[0].start_ns) &&
	       spans_add(idle, samples[queue->count - 1].end_ns,
		       ranking->last_end_ns);
	for (uint32_t i = 0; i < queue->count && done; i++) {
		if (samples[i].depth <= 0 && !is_idle) {
			since_ns = samples[i].end_ns;
			is_idle = true;
		} else if (samples[i].depth > 0 && is_idle) {
			done = spans_add(idle, since_ns, samples[i].start_ns);
			is_idle = false;
		}
	}
	return done;
}

/* Idle while no device works. */
static bool add_idle(struct ranking *ranking)
{
	struct spans *busy = &ranking->busy;
	int64_t from_ns = ranking->first_ns;
	bool done = true;

	if (!ranking->has_host || busy->count == 0)
		return true;
	spans_join(busy);
	for (size_t i = 0; i < busy->count && done; i++) {
		done = spans_add(
			&ranking->idle, from_ns, busy->items[i].from_ns);
		if (busy->items[i].to_ns > from_ns)
			from_ns = busy->items[i].to_ns;
	}
	return done && spans_add(&ranking->idle, from_ns, ranking->latest_ns);
}

/*
 * From the latest peak between two times of an empty queue to the later one.
 * Searches backward like the document: the peak may be earlier if the depths
 * between are too low. The search continues after the time at which it ended,
 * which does not end another phase. In the robust form it does.
 */
static bool find_falling(struct ranking *ranking, const struct queue *queue)
{
	const struct sample *samples = queue->samples;
	uint32_t end = queue->count;

	while (end-- > 0) {
		uint32_t at = end;
		uint32_t peak = end;

		if (samples[end].depth > 0)
			continue;
		while (at-- > 0) {
			if (samples[at].depth > samples[peak].depth &&
				samples[at].depth > 0)
				peak = at;
			if (samples[at].depth > 0)
				continue;
			if (peak != end && samples[peak].depth >= PEAK)
				break;
			if (ranking->options.robust)
				end = at;
			peak = end;
		}
		if (peak == end || samples[peak].depth < PEAK)
			return true;
		if (!spans_add(&ranking->falling, samples[peak].start_ns,
			    samples[end].start_ns))
			return false;
		if (at == NONE)
			return true;
		end = ranking->options.robust ? at + 1 : at;
	}
	return true;
}

static void queue_clear(struct queue *queue)
{
	memory_free(queue->points);
	memory_free(queue->samples);
	memory_free(queue->next);
	memory_free(queue->starts);
	correlation_free(queue->first);
}

/* Finds the idle times, and the phases in which the queue ran empty. Errors:
 * CTP_ERR_NOMEM, CTP_ERR_IO. */
static enum ctp_status read_queue(
	struct ranking *ranking, struct ctp_error *err)
{
	bool robust = ranking->options.robust;
	struct queue queue = {.count = 0};
	enum ctp_status status = read_points(ranking, &queue, err);
	bool done = false;

	if (status == CTP_OK) {
		done = robust ? measure_robustly(&queue)
			      : measure_as_documented(&queue);
		done = done && (robust ? add_idle(ranking)
				       : find_idle(ranking, &queue));
		done = done && find_falling(ranking, &queue);
	}
	queue_clear(&queue);
	if (status == CTP_OK && !done)
		return ctp_no_memory(err);
	spans_join(&ranking->idle);
	spans_join(&ranking->falling);
	return status;
}

/* ---- the scores ---- */

/* Incremental mean and deviation. Source: Welford, Note on a Method for
 * Calculating Corrected Sums of Squares and Products, 1962. */
struct moments {
	double count;
	double mean;
	double squares; /* sum of squared distances from the mean */
};

struct scoring {
	struct ranking *ranking;
	struct extsort *rows; /* struct ranking_row, as the ranges began */
	struct moments idle;
	struct moments self;
	uint32_t room;
};

static void moments_add(struct moments *moments, double value)
{
	double distance = value - moments->mean;

	moments->count++;
	moments->mean += distance / moments->count;
	moments->squares += distance * (value - moments->mean);
}

/* 0 if all values are equal. */
static double distance(const struct moments *moments, double value)
{
	double deviation =
		moments->count < 2
			? 0
			: sqrt(moments->squares / (moments->count - 1));

	return deviation > 0 ? (value - moments->mean) / deviation : 0;
}

static double idle_share(const struct ranking_row *row)
{
	return row->duration_ns == 0
		       ? 0
		       : (double)row->idle_ns / (double)row->duration_ns;
}

/* Selects the ranges to score. */
static enum ctp_status select_ranges(
	struct scoring *scoring, struct ctp_error *err)
{
	struct ranking *ranking = scoring->ranking;
	enum ctp_status status;

	for (;;) {
		struct extsort_record record;
		struct range range;
		struct ranking_row row;

		status = extsort_next(ranking->host, &record, err);
		if (status != CTP_OK)
			break;
		memcpy(&range, record.bytes, sizeof(range));
		if (range.is_wait && !ranking->tracks[range.track].has_calls)
			continue;
		if (spans_cover(&ranking->falling, range.start_ns,
			    range.end_ns) == 0)
			continue;
		row = (struct ranking_row){.site = range.site,
			.place = range.place,
			.start_ns = range.start_ns,
			.duration_ns = (uint64_t)range.end_ns -
				       (uint64_t)range.start_ns,
			.self_ns = range.self_ns,
			.idle_ns = spans_cover(
				&ranking->idle, range.start_ns, range.end_ns)};
		moments_add(&scoring->idle, idle_share(&row));
		moments_add(&scoring->self, (double)row.self_ns);
		record.bytes = &row;
		record.size = sizeof(row);
		status = extsort_add(scoring->rows, &record, err);
		if (status != CTP_OK)
			return status;
	}
	return status == CTP_END ? extsort_sort(scoring->rows, err) : status;
}

/* Best score first, then earliest start. */
static int compare(const void *left, const void *right)
{
	const struct ranking_row *one = left;
	const struct ranking_row *other = right;

	if (one->score != other->score)
		return one->score > other->score ? -1 : 1;
	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	if (one->duration_ns != other->duration_ns)
		return one->duration_ns > other->duration_ns ? -1 : 1;
	return (one->site > other->site) - (one->site < other->site);
}

/* Keeps the best rows so far. */
static void cut(struct ranking *ranking)
{
	uint32_t length = ranking->options.length;

	if (ranking->row_count > 0)
		qsort(ranking->rows, ranking->row_count, sizeof(*ranking->rows),
			compare);
	if (length != 0 && ranking->row_count > length)
		ranking->row_count = length;
}

static bool add_row(struct scoring *scoring, const struct ranking_row *row)
{
	struct ranking *ranking = scoring->ranking;

	if (ranking->row_count == scoring->room) {
		uint32_t length = ranking->options.length;
		struct ranking_row *rows = ranking->rows;
		uint32_t room = scoring->room == 0 ? 256 : scoring->room * 2;

		if (length != 0 && scoring->room / 2 >= length) {
			cut(ranking);
		} else {
			if (scoring->room > UINT32_MAX / 4)
				return false;
			rows = memory_resize_array(rows, room, sizeof(*rows));
			if (rows == NULL)
				return false;
			ranking->rows = rows;
			scoring->room = room;
		}
	}
	ranking->rows[ranking->row_count++] = *row;
	return true;
}

static enum ctp_status score(struct scoring *scoring, struct ctp_error *err)
{
	enum ctp_status status;

	for (;;) {
		struct extsort_record record;
		struct ranking_row row;

		status = extsort_next(scoring->rows, &record, err);
		if (status != CTP_OK)
			break;
		memcpy(&row, record.bytes, sizeof(row));
		row.score = distance(&scoring->idle, idle_share(&row)) +
			    SELF_WEIGHT * distance(&scoring->self,
						  (double)row.self_ns);
		if (!add_row(scoring, &row))
			return ctp_no_memory(err);
	}
	cut(scoring->ranking);
	return status == CTP_END ? CTP_OK : status;
}

static enum ctp_status ranking_rank(
	struct ranking *ranking, struct ctp_error *err)
{
	struct scoring scoring = {
		.ranking = ranking, .rows = extsort_new(SORT_BYTES)};
	enum ctp_status status = CTP_OK;

	if (scoring.rows == NULL)
		return ctp_no_memory(err);
	status = select_ranges(&scoring, err);
	if (status == CTP_OK)
		status = score(&scoring, err);
	extsort_free(scoring.rows);
	return status;
}

/* Collects ranges of the host as they end, and launches and kernels. */

struct ranking *ranking_new(
	const struct trace *trace, struct ranking_options options)
{
	struct ranking *ranking = memory_new_zeroed(1, sizeof(*ranking));

	if (ranking == NULL)
		return NULL;
	ranking->trace = trace;
	ranking->options = options;
	ranking->host = extsort_new(SORT_BYTES);
	ranking->points = extsort_new(SORT_BYTES);
	if (ranking->host != NULL && ranking->points != NULL)
		return ranking;
	ranking_free(ranking);
	return NULL;
}

void ranking_free(struct ranking *ranking)
{
	if (ranking == NULL)
		return;
	for (uint32_t i = 0; i < ranking->track_count; i++)
		memory_free(ranking->tracks[i].open);
	memory_free(ranking->tracks);
	memory_free(ranking->sites);
	extsort_free(ranking->host);
	extsort_free(ranking->points);
	memory_free(ranking->busy.items);
	memory_free(ranking->idle.items);
	memory_free(ranking->falling.items);
	memory_free(ranking->rows);
	memory_free(ranking);
}

static bool ensure_track(struct ranking *ranking, uint32_t track)
{
	uint32_t count = ranking->trace->track_count;
	struct track *tracks;

	if (track < ranking->track_count)
		return true;
	tracks = memory_resize_array(ranking->tracks, count, sizeof(*tracks));
	if (tracks == NULL)
		return false;
	for (uint32_t i = ranking->track_count; i < count; i++)
		tracks[i] = (struct track){.latest_ns = INT64_MIN};
	ranking->tracks = tracks;
	ranking->track_count = count;
	return true;
}

/* Whether the site has a place in a file: "file.py(12): name", or a file
 * member. */
static bool has_place(const struct trace *trace, uint32_t site)
{
	const char *found = strstr(trace_site_name(trace, site), ".py(");

	return (found != NULL && strchr(found, ')') != NULL) ||
	       trace->sites[site].file != 0;
}

/* API calls do not count, nor does the slice of PyTorch's profiler for its
 * whole time. */
static bool is_no_range(const struct trace *trace, uint32_t site)
{
	return trace_site_is_api(trace, site) ||
	       strcmp(strtab_text(
			      trace->text, trace->sites[site].category, NULL),
		       "Trace") == 0;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The document considers only CUDA's runtime. */
static bool is_launch(const struct ranking *ranking, uint32_t site)
{
	static const char *const starts[] = {"cudaLaunchKernel",
		"__cudaLaunchKernel", "cudaLaunchCooperativeKernel"};
	const char *name = trace_site_name(ranking->trace, site);

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (begins_with(name, starts[i]))
			return true;
	return ranking->options.robust;
}

/* The document treats everything not named like a copy as a kernel. */
static bool is_kernel(const struct ranking *ranking, uint32_t site)
{
	static const char *const parts[] = {"mem", "cpy", "alloc", "free"};
	const char *name = trace_site_name(ranking->trace, site);

	if (ranking->options.robust)
		return profile_kind_of(ranking->trace, site) == PROFILE_KERNEL;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcasestr(name, parts[i]) != NULL)
			return false;
	return true;
}

/* A function's name without its file, its object and its class. */
static const char *function_of(const char *name, size_t *size)
{
	static const char *const starts[] = {
		"<built-in method ", "<built-in function ", "<method '"};
	const char *found = strstr(name, "): ");
	const char *dot;

	if (found != NULL)
		name = found + strlen("): ");
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (begins_with(name, starts[i]))
			name += strlen(starts[i]);
	*size = strcspn(name, " '>(");
	dot = memrchr(name, '.', *size);
	if (dot != NULL) {
		*size -= (size_t)(dot + 1 - name);
		name = dot + 1;
	}
	return name;
}

/* Whether a Python function or a C function does nothing but wait. */
static bool is_wait(const struct trace *trace, uint32_t site)
{
	static const struct {
		const char *file; /* NULL: not in Python */
		const char *function;
	} waits[] = {{"threading.py", "wait"}, {"threading.py", "join"},
		{"threading.py", "_wait_for_tstate_lock"},
		{"selectors.py", "select"}, {NULL, "acquire"}, {NULL, "sleep"},
		{NULL, "select"}, {NULL, "poll"}, {NULL, "accept"},
		{NULL, "epoll_wait"}, {NULL, "nanosleep"},
		{NULL, "clock_nanosleep"}, {NULL, "usleep"},
		{NULL, "pthread_cond_wait"}, {NULL, "pthread_cond_timedwait"},
		{NULL, "pthread_join"}, {NULL, "sem_wait"}};
	const char *name = trace_site_name(trace, site);
	const char *file = trace_site_file(trace, site);
	const char *place = strstr(name, ".py(") != NULL ? name : file;
	bool is_python = strstr(place, ".py") != NULL;
	size_t size;
	const char *function = function_of(name, &size);

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (strlen(waits[i].function) == size &&
			memcmp(waits[i].function, function, size) == 0 &&
			(waits[i].file == NULL
					? !is_python
					: strstr(place, waits[i].file) != NULL))
			return true;
	return false;
}

/* NULL if out of memory. */
static const struct site *site_of(struct ranking *ranking, uint32_t number)
{
	const struct trace *trace = ranking->trace;
	struct site *site;

	if (!array_ensure_index(&ranking->sites, number, &ranking->site_room,
		    sizeof(*ranking->sites)))
		return NULL;
	site = &ranking->sites[number];
	if (!site->known)
		*site = (struct site){.known = true,
			.has_place = has_place(trace, number),
			.is_call = is_no_range(trace, number),
			.is_launch = is_launch(ranking, number),
			.is_wait = is_wait(trace, number),
			.is_work =
				profile_kind_of(trace, number) != PROFILE_HOST,
			.is_kernel = is_kernel(ranking, number)};
	return site;
}

static bool begin(struct ranking *ranking, const struct event *event)
{
	struct track *track = &ranking->tracks[event->track];
	const struct site *site = site_of(ranking, event->site);
	struct open open = {.start_ns = event->time_ns,
		.site = event->site,
		.place = event->site};

	if (site == NULL || !array_reserve32(&track->open, track->depth,
				    &track->room, sizeof(*track->open)))
		return false;
	open.is_call = site->is_call;
	open.is_launch = site->is_launch;
	open.is_wait = site->is_wait;
	if (!site->has_place)
		open.place = track->depth == 0
				     ? TRACE_NONE
				     : track->open[track->depth - 1].place;
	track->open[track->depth++] = open;
	return true;
}

static void observe_host(
	struct ranking *ranking, int64_t start_ns, int64_t end_ns)
{
	if (!ranking->has_host || start_ns < ranking->first_ns)
		ranking->first_ns = start_ns;
	if (!ranking->has_host || start_ns > ranking->last_start_ns ||
		(start_ns == ranking->last_start_ns &&
			end_ns < ranking->last_end_ns)) {
		ranking->last_start_ns = start_ns;
		ranking->last_end_ns = end_ns;
	}
	if (!ranking->has_host || end_ns > ranking->latest_ns)
		ranking->latest_ns = end_ns;
	ranking->has_host = true;
}

static enum ctp_status add_range(struct ranking *ranking,
	const struct range *range, struct ctp_error *err)
{
	const struct extsort_record record = {.time_ns = range->start_ns,
		.bytes = range,
		.size = sizeof(*range)};

	observe_host(ranking, range->start_ns, range->end_ns);
	return extsort_add(ranking->host, &record, err);
}

static enum ctp_status add_point(struct ranking *ranking,
	const struct point *point, struct ctp_error *err)
{
	const struct extsort_record record = {.time_ns = point->start_ns,
		.rank = (int64_t)point->is_kernel,
		.bytes = point,
		.size = sizeof(*point)};

	return extsort_add(ranking->points, &record, err);
}

static enum ctp_status end(struct ranking *ranking, uint32_t number,
	int64_t time_ns, struct ctp_error *err)
{
	struct track *track = &ranking->tracks[number];
	const struct open *open;
	uint64_t duration_ns;
	uint64_t waits_ns;

	if (track->depth == 0)
		return CTP_OK;
	open = &track->open[--track->depth];
	duration_ns = (uint64_t)time_ns - (uint64_t)open->start_ns;
	track->has_calls = track->has_calls || (open->is_call && open->id != 0);
	if (open->is_call) {
		const struct point launch = {.start_ns = open->start_ns,
			.end_ns = time_ns,
			.pid = ranking->trace->tracks[number].pid,
			.id = open->id};

		return open->id != 0 && open->is_launch
			       ? add_point(ranking, &launch, err)
			       : CTP_OK;
	}
	waits_ns = open->is_wait ? duration_ns : open->waits_ns;
	for (uint32_t i = track->depth; i-- > 0;)
		if (!track->open[i].is_call) {
			track->open[i].children_ns += duration_ns;
			track->open[i].waits_ns += waits_ns;
			break;
		}
	return add_range(ranking,
		&(const struct range){.start_ns = open->start_ns,
			.end_ns = time_ns,
			.self_ns = duration_ns > open->children_ns
					   ? duration_ns - open->children_ns
					   : 0,
			.site = open->site,
			.place = open->place,
			.track = number,
			.is_wait = waits_ns > duration_ns / 2},
		err);
}

static int64_t end_of(const struct event *event)
{
	uint64_t most = (uint64_t)INT64_MAX - (uint64_t)event->time_ns;

	return event->dur_ns > most
		       ? INT64_MAX
		       : (int64_t)((uint64_t)event->time_ns + event->dur_ns);
}

static enum ctp_status add_activity(struct ranking *ranking,
	const struct event *event, struct ctp_error *err)
{
	const struct trace_track *track = &ranking->trace->tracks[event->track];
	const struct site *site = site_of(ranking, event->site);
	const struct point kernel = {.start_ns = event->time_ns,
		.end_ns = end_of(event),
		.pid = track->pid,
		.id = event->id,
		.is_kernel = true};

	if (site == NULL)
		return ctp_no_memory(err);
	if (track->kind != TRACE_STREAM || !site->is_work)
		return CTP_OK;
	if (ranking->options.robust &&
		!spans_add(&ranking->busy, kernel.start_ns, kernel.end_ns))
		return ctp_no_memory(err);
	if (!site->is_kernel)
		return CTP_OK;
	ranking->has_kernels = true;
	return add_point(ranking, &kernel, err);
}

/* A range that overlaps others without nesting is separate. */
static enum ctp_status add_complete(struct ranking *ranking,
	const struct event *event, struct ctp_error *err)
{
	const struct site *site = site_of(ranking, event->site);
	struct range range = {.start_ns = event->time_ns,
		.end_ns = end_of(event),
		.self_ns = event->dur_ns,
		.site = event->site,
		.place = TRACE_NONE,
		.track = event->track};

	if (site == NULL)
		return ctp_no_memory(err);
	if (site->has_place)
		range.place = event->site;
	range.is_wait = site->is_wait;
	return site->is_call ? CTP_OK : add_range(ranking, &range, err);
}

/* Clamps times that go back. */
static int64_t in_order(struct track *track, int64_t time_ns)
{
	if (time_ns > track->latest_ns)
		track->latest_ns = time_ns;
	return track->latest_ns;
}

enum ctp_status ranking_add(
	void *user, const struct event *event, struct ctp_error *err)
{
	struct ranking *ranking = user;
	struct track *track;
	struct event mended = *event;

	if (!ensure_track(ranking, event->track))
		return ctp_no_memory(err);
	track = &ranking->tracks[event->track];
	switch (event->kind) {
	case EVENT_BEGIN:
		mended.time_ns = in_order(track, event->time_ns);
		return begin(ranking, &mended) ? CTP_OK : ctp_no_memory(err);
	case EVENT_END:
		return end(ranking, event->track,
			in_order(track, event->time_ns), err);
	case EVENT_COMPLETE:
		return add_complete(ranking, event, err);
	case EVENT_CORRELATION:
		if (track->depth > 0)
			track->open[track->depth - 1].id = event->id;
		return CTP_OK;
	case EVENT_ACTIVITY:
		return add_activity(ranking, event, err);
	default:
		return CTP_OK;
	}
}

/* Open ranges end when the track does. */
static enum ctp_status close_tracks(
	struct ranking *ranking, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < ranking->track_count; i++) {
		struct track *track = &ranking->tracks[i];
		int64_t end_ns =
			track->depth == 0
				? 0
				: in_order(track,
					  trace_track_end(ranking->trace, i));

		while (track->depth > 0 && status == CTP_OK)
			status = end(ranking, i, end_ns, err);
	}
	return status;
}

enum ctp_status ranking_finish(void *user, struct ctp_error *err)
{
	struct ranking *ranking = user;
	enum ctp_status status = close_tracks(ranking, err);

	if (status == CTP_OK)
		status = extsort_sort(ranking->host, err);
	if (status == CTP_OK)
		status = extsort_sort(ranking->points, err);
	if (status == CTP_OK)
		status = read_queue(ranking, err);
	return status == CTP_OK ? ranking_rank(ranking, err) : status;
}

bool ranking_has_kernels(const struct ranking *ranking)
{
	return ranking->has_kernels;
}

const struct ranking_row *ranking_rows(
	const struct ranking *ranking, uint32_t *count)
{
	*count = ranking->row_count;
	return ranking->rows;
}

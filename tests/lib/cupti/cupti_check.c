/* SPDX-License-Identifier: MIT */
/*
 * Compares a log with the fake CUDA's record of its work: TRUTH RANGES LOG. The
 * log has every activity for which CUPTI had a record, with its fields, its
 * call in the range that was open, and its time; or it counts the activity as
 * lost. RANGES of cupti_program are there, even if the GPU is not recorded.
 * Prints the recording's own statements: "fact KEY VALUE", "lost NAME COUNT",
 * "count NAME COUNT".
 *
 * TRUTH RANGES partial LOG...: for several logs, or for a program that died:
 * activities may be missing without being counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/fake.h"
#include "cupti_truth.h"
#include "log_read/log_read.h"

#define DEPTH 64
#define TRACKS 256
#define NODES 65536
#define COMPLAINTS 20
/* The error of a clock that is read between two others. */
#define CLOCK_NS 1000

/* A call of CUDA's API, in the range from which it was made. */
struct call {
	uint32_t range; /* site; TRACE_NONE: outside of ranges */
	int64_t instance;
	int64_t begin_ns, end_ns;
	bool known;
};

struct open_range {
	uint32_t site;
	int64_t instance, begin_ns;
	uint64_t correlation; /* 0: not a call */
};

struct check {
	struct truth truth;
	const struct trace *trace;
	struct call *calls; /* by correlation id */
	size_t call_room;
	uint32_t captured[NODES]; /* range, by the node captured in it */
	struct open_range open[TRACKS][DEPTH];
	uint32_t depth[TRACKS];
	uint64_t ranges, activities, unmatched;
	uint32_t unfinished;
	int64_t skew_ns;   /* the largest seen */
	int64_t latest_ns; /* end of a range */
	int complaints;
};

#define COMPLAIN(check, ...) \
	do { \
		if ((check)->complaints++ < COMPLAINTS) { \
			printf("wrong: " __VA_ARGS__); \
			printf("\n"); \
		} \
	} while (0)

static const struct event_arg *find_arg(
	const struct check *check, const struct event *event, const char *key)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (strcmp(strtab_text(check->trace->text, event->args[i].key,
				   NULL),
			    key) == 0)
			return &event->args[i];
	return NULL;
}

static int64_t int_arg(
	const struct check *check, const struct event *event, const char *key)
{
	const struct event_arg *arg = find_arg(check, event, key);

	return arg != NULL && arg->kind == ARG_INT ? arg->value.integer : 0;
}

static struct call *find_call(struct check *check, uint64_t correlation)
{
	if (correlation >= check->call_room)
		return NULL;
	return check->calls[correlation].known ? &check->calls[correlation]
					       : NULL;
}

static void add_call(struct check *check, const struct event *event)
{
	uint32_t depth = check->depth[event->track];
	struct open_range *open = check->open[event->track];
	struct call *call;

	if (depth == 0 || event->id >= check->call_room) {
		COMPLAIN(check, "correlation %" PRIu64 " outside of a range",
			event->id);
		return;
	}
	call = &check->calls[event->id];
	if (call->known)
		COMPLAIN(check, "correlation %" PRIu64 " twice", event->id);
	open[depth - 1].correlation = event->id;
	*call = (struct call){
		.range = depth < 2 ? TRACE_NONE : open[depth - 2].site,
		.instance = depth < 2 ? 0 : open[depth - 2].instance,
		.begin_ns = open[depth - 1].begin_ns,
		.end_ns = INT64_MAX,
		.known = true,
	};
}

static void follow_range(struct check *check, const struct event *event)
{
	uint32_t *depth = &check->depth[event->track];
	struct open_range *open = check->open[event->track];

	if (event->kind == EVENT_BEGIN && *depth < DEPTH) {
		open[(*depth)++] = (struct open_range){
			.site = event->site, .begin_ns = event->time_ns};
		if (strcmp(trace_site_file(check->trace, event->site),
			    "cupti_program.c") == 0)
			check->ranges++;
	} else if (event->kind == EVENT_END && *depth > 0) {
		struct call *call =
			find_call(check, open[--*depth].correlation);

		if (event->time_ns > check->latest_ns)
			check->latest_ns = event->time_ns;
		if (call != NULL)
			call->end_ns = event->time_ns;
	} else if (*depth > 0 && find_arg(check, event, "instance") != NULL) {
		open[*depth - 1].instance = int_arg(check, event, "instance");
	}
	/* The call that captures it is a range, too. */
	if (*depth > 1 && event->kind == EVENT_ARGS)
		check->captured[(size_t)int_arg(
					check, event, "captured graph node") %
				NODES] = open[*depth - 2].site;
}

static bool is_close(int64_t a, int64_t b, int64_t most)
{
	return a - b <= most && b - a <= most;
}

/* Durations come from a clock that may be wrong by some hundred ppm. Unfinished
 * activities have no duration to compare. */
static bool has_duration(
	const struct event *event, const struct truth_activity *activity)
{
	return strcmp(activity->trouble, "unfinished") == 0 ||
	       is_close((int64_t)event->dur_ns, activity->dur_ns,
		       2 + activity->dur_ns / 1000);
}

static struct truth_activity *find_truth(
	const struct check *check, const struct event *event)
{
	const struct trace *trace = check->trace;
	const char *category = strtab_text(
		trace->text, trace->sites[event->site].category, NULL);
	int64_t node = int_arg(check, event, "graph node id");
	struct truth_activity *found = NULL;

	while ((found = truth_find(&check->truth, (int64_t)event->id, found)) !=
		NULL)
		if (!found->matched && found->recorded &&
			truth_is_kind(category, found->kind) &&
			found->node == node && has_duration(event, found))
			break;
	return found;
}

static void check_triple(struct check *check, const struct event *event,
	const char *key, const int *values)
{
	const struct event_arg *arg = find_arg(check, event, key);
	char text[64];

	(void)snprintf(text, sizeof(text), "[%d,%d,%d]", values[0], values[1],
		values[2]);
	if (arg == NULL || arg->kind != ARG_JSON ||
		arg->value.text.size != strlen(text) ||
		memcmp(arg->value.text.bytes, text, strlen(text)) != 0)
		COMPLAIN(check, "%s is %.*s, not %s", key,
			arg == NULL ? 4 : (int)arg->value.text.size,
			arg == NULL ? "none" : arg->value.text.bytes, text);
}

static void check_number(struct check *check, const struct event *event,
	const char *key, int64_t value)
{
	int64_t got = int_arg(check, event, key);

	if (got != value)
		COMPLAIN(check, "%s is %" PRId64 ", not %" PRId64, key, got,
			value);
}

/* The range that captured the graph's node is known. */
static void check_captured(struct check *check, const struct event *event,
	const struct truth_activity *activity)
{
	int64_t node = int_arg(check, event, "captured graph node");
	const char *name = "";

	if (node > 0 && node < NODES)
		name = trace_site_name(check->trace, check->captured[node]);
	if (strcmp(name, activity->captured) != 0)
		COMPLAIN(check, "node %" PRId64 " was captured in %s, not %s",
			node, name, activity->captured);
}

/* What CUPTI's is. */
static double version(void)
{
	const char *text = getenv("FAKE_CUPTI");

	return text == NULL ? 13.0 : atof(text);
}

static void check_kernel(struct check *check, const struct event *event,
	const struct truth_activity *activity)
{
	const char *name = trace_site_name(check->trace, event->site);

	if (strcmp(name, activity->name) != 0)
		COMPLAIN(check, "kernel %s, not %s", name, activity->name);
	check_triple(check, event, "grid", activity->grid);
	check_triple(check, event, "block", activity->block);
	if (activity->cluster[0] != 0)
		check_triple(check, event, "cluster", activity->cluster);
	check_number(check, event, "registers per thread", activity->registers);
	check_number(
		check, event, "static shared memory", activity->static_shared);
	check_number(check, event, "dynamic shared memory",
		activity->dynamic_shared);
	check_number(check, event, "local memory", FAKE_LOCAL_TOTAL);
	check_number(check, event, "priority",
		version() >= 13.1 ? FAKE_PRIORITY : 0);
	check_number(check, event, "graph id", activity->graph);
	if (activity->node != 0)
		check_captured(check, event, activity);
}

static void check_copy(struct check *check, const struct event *event,
	const struct truth_activity *activity)
{
	const bool peer = activity->kind == 22;

	check_number(check, event, "channel", peer ? 0 : FAKE_CHANNEL);
	check_number(check, event, "copy count",
		!peer && version() >= 12.8 ? FAKE_COUNT : 0);
	check_number(check, event, "src context", peer ? FAKE_PEER : 0);
	check_number(check, event, "dst context", peer ? FAKE_PEER + 1 : 0);
}

static void check_details(struct check *check, const struct event *event,
	const struct truth_activity *activity)
{
	if (activity->kind == 3 || activity->kind == 10)
		check_kernel(check, event, activity);
	else if (activity->kind == 1 || activity->kind == 22)
		check_copy(check, event, activity);
	else if (activity->kind == 2)
		check_number(check, event, "channel", FAKE_CHANNEL);
	else if (activity->kind == 51)
		check_number(check, event, "graph id", activity->graph);
	else if (activity->kind == 38)
		check_number(check, event, "event sync id",
			version() >= 12.8 ? FAKE_SYNC_NUMBER : 0);
}

static void check_place(struct check *check, const struct event *event,
	const struct truth_activity *activity)
{
	const struct trace_track *track = &check->trace->tracks[event->track];

	if (activity->kind == 4 || activity->kind == 5) {
		if (track->kind != TRACE_CALLS ||
			track->tid != activity->thread)
			COMPLAIN(check,
				"a call on track %" PRId64 ", not %" PRId64,
				track->tid, activity->thread);
		return;
	}
	if (activity->kind == 17 || activity->kind == 38)
		return;
	if (track->kind != TRACE_STREAM || track->tid != activity->stream ||
		track->device != activity->device ||
		track->context != activity->context)
		COMPLAIN(check,
			"on stream %" PRId64
			" of device %u, context %u, not %" PRId64 " of %" PRId64
			", %" PRId64,
			track->tid, track->device, track->context,
			activity->stream, activity->device, activity->context);
	if ((int64_t)event->bytes != activity->bytes)
		COMPLAIN(check, "%" PRIu64 " bytes, not %" PRId64, event->bytes,
			activity->bytes);
}

/* The call that caused it is known, with its range. */
static void check_call(struct check *check, const struct event *event,
	const struct truth_activity *activity)
{
	const struct call *call = find_call(check, event->id);
	const char *name;

	if (strcmp(activity->trouble, "orphan") == 0 || activity->kind == 17) {
		check->unmatched += call == NULL;
		return;
	}
	if (call == NULL) {
		COMPLAIN(check, "correlation %" PRIu64 " has no call",
			event->id);
		return;
	}
	name = call->range == TRACE_NONE
		       ? ""
		       : trace_site_name(check->trace, call->range);
	if (strcmp(name, activity->range) != 0 ||
		call->instance != activity->instance)
		COMPLAIN(check,
			"%s was called in %s %" PRId64 ", not %s %" PRId64,
			activity->name, name, call->instance, activity->range,
			activity->instance);
	if (!activity->prompt)
		return;
	if (call->begin_ns - event->time_ns > check->skew_ns)
		check->skew_ns = call->begin_ns - event->time_ns;
	if (event->time_ns - call->end_ns > check->skew_ns)
		check->skew_ns = event->time_ns - call->end_ns;
}

/* It continues when all known ranges have ended. */
static void check_unfinished(struct check *check, const struct event *event)
{
	check->unfinished++;
	if (event->time_ns + (int64_t)event->dur_ns + CLOCK_NS <
		check->latest_ns)
		COMPLAIN(check, "what has not ended ends after %" PRIu64 " ns",
			event->dur_ns);
}

static void check_activity(struct check *check, const struct event *event)
{
	struct truth_activity *activity = find_truth(check, event);

	check->activities++;
	if (activity == NULL) {
		COMPLAIN(check,
			"%s, correlation %" PRIu64 ", %" PRIu64
			" ns, was not done, or not so often",
			trace_site_name(check->trace, event->site), event->id,
			event->dur_ns);
		return;
	}
	activity->matched = true;
	if (int_arg(check, event, "unfinished") == 1)
		check_unfinished(check, event);
	if (strcmp(activity->trouble, "zero") == 0 ||
		strcmp(activity->trouble, "backward") == 0)
		COMPLAIN(check, "an activity has no usable time, and is shown");
	check_details(check, event, activity);
	check_place(check, event, activity);
	check_call(check, event, activity);
}

static void check_event(struct check *check, const struct event *event)
{
	if (event->track >= TRACKS)
		COMPLAIN(check, "too many tracks");
	else if (event->kind == EVENT_CORRELATION)
		add_call(check, event);
	else if (event->kind == EVENT_ACTIVITY)
		check_activity(check, event);
	else
		follow_range(check, event);
}

static void check_loss(
	struct check *check, enum trace_loss loss, uint64_t expected)
{
	if (check->trace->losses[loss] != expected)
		COMPLAIN(check, "%s is %" PRIu64 ", not %" PRIu64,
			trace_loss_name(loss), check->trace->losses[loss],
			expected);
}

/* Activities that are not in the log have been counted. */
static void check_losses(struct check *check)
{
	uint64_t missing = 0;
	uint64_t times = 0;

	for (uint32_t i = 0; i < check->truth.count; i++) {
		const struct truth_activity *a = &check->truth.activities[i];

		if (a->matched || !a->recorded)
			continue;
		if (strcmp(a->trouble, "zero") == 0 ||
			strcmp(a->trouble, "backward") == 0)
			times++;
		else
			missing++;
	}
	check_loss(check, LOSS_DEVICE_DROPPED, check->truth.dropped);
	check_loss(check, LOSS_DEVICE_UNKNOWN, check->truth.unknown);
	check_loss(check, LOSS_DEVICE_UNFINISHED, check->truth.unfinished);
	if (check->unfinished != check->truth.unfinished)
		COMPLAIN(check, "%" PRIu32 " had not ended, not %" PRIu32,
			check->unfinished, check->truth.unfinished);
	check_loss(check, LOSS_DEVICE_TIMES, times);
	check_loss(check, LOSS_DEVICE_DISCARDED, missing);
}

static void report(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->fact_count; i++)
		printf("fact %s %s\n",
			strtab_text(trace->text, trace->facts[i].key, NULL),
			strtab_text(trace->text, trace->facts[i].value, NULL));
	for (int i = 0; i < LOSS_KINDS; i++)
		if (trace->losses[i] != 0)
			printf("lost %s %" PRIu64 "\n",
				trace_loss_name((enum trace_loss)i),
				trace->losses[i]);
	printf("count devices %" PRIu32 "\n", trace->device_count);
}

static void check_log(struct check *check, const char *path, bool whole)
{
	FILE *file = fopen(path, "rb");
	struct read_request request = {.names = READ_NAMES_MANGLED};
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	enum ctp_status status;

	if (file == NULL || log_read_open(file, NULL, 0, &request, &source,
				    &err) != CTP_OK) {
		COMPLAIN(check, "%s cannot be read", path);
		return;
	}
	memset(check->depth, 0, sizeof(check->depth));
	check->trace = source->trace;
	while ((status = source->next(source, &event, &err)) == CTP_OK)
		check_event(check, &event);
	if (status != CTP_END)
		COMPLAIN(check, "%s", err.message);
	if (whole)
		check_losses(check);
	report(source->trace);
	source->close(source);
	(void)fclose(file);
}

static void check_sums(struct check *check, uint64_t ranges)
{
	printf("count activities %" PRIu64 "\ncount unmatched %" PRIu64 "\n",
		check->activities, check->unmatched);
	if (check->skew_ns > CLOCK_NS)
		COMPLAIN(check, "times are wrong by %" PRId64 " ns",
			check->skew_ns);
	if (check->ranges != ranges)
		COMPLAIN(check, "%" PRIu64 " ranges, not %" PRIu64,
			check->ranges, ranges);
	if (check->complaints > COMPLAINTS)
		printf("wrong: and %d more\n", check->complaints - COMPLAINTS);
}

int main(int argc, char **argv)
{
	static struct check check;
	bool whole = argc < 4 || strcmp(argv[3], "partial") != 0;

	if (argc < 4 || !truth_read(argv[1], &check.truth))
		return 2;
	check.call_room = 4 * (size_t)check.truth.count + 1024;
	check.calls = calloc(check.call_room, sizeof(*check.calls));
	if (check.calls == NULL)
		return 2;
	for (int i = whole ? 3 : 4; i < argc; i++)
		check_log(&check, argv[i], whole);
	check_sums(&check, strtoull(argv[2], NULL, 10));
	free(check.calls);
	truth_clear(&check.truth);
	return check.complaints > 0;
}

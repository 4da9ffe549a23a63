/* SPDX-License-Identifier: MIT */
/* Prints a log's events, one a line, for comparison with another reader:
 * track kind, time, what, and the rest. */
#include <inttypes.h>
#include <stdio.h>

#include "log_read/log_read.h"
#include "log_text.h"

static const char *const tracks[] = {
	[TRACE_THREAD] = "thread",
	[TRACE_TIMELINE] = "timeline",
	[TRACE_STREAM] = "stream",
	[TRACE_CALLS] = "calls",
};

static void print_arg(const struct trace *trace, const struct event_arg *arg)
{
	printf(" %s=", strtab_text(trace->text, arg->key, NULL));
	if (arg->kind == ARG_INT)
		printf("%" PRId64, arg->value.integer);
	else if (arg->kind == ARG_FLOAT)
		printf("%a", arg->value.real);
	else
		printf("%.*s", (int)arg->value.text.size,
			arg->value.text.bytes);
}

static void print_event(const struct trace *trace, const struct event *event)
{
	const struct trace_track *track = &trace->tracks[event->track];

	printf("%s %" PRId64 " %" PRId64 " %s", tracks[track->kind], track->tid,
		event->time_ns, log_text_kind(event->kind));
	if (event->site != TRACE_NONE && event->kind != EVENT_ARGS &&
		event->kind != EVENT_END && event->kind != EVENT_ALLOC &&
		event->kind != EVENT_FREE)
		printf(" %s:%s:%" PRIu32, trace_site_file(trace, event->site),
			trace_site_name(trace, event->site),
			trace->sites[event->site].line);
	if (event->kind == EVENT_ALLOC || event->kind == EVENT_FREE)
		printf(" %" PRIu64 " %" PRIu64 " %" PRId32, event->id,
			event->bytes, event->device);
	else if (event->id != 0)
		printf(" %" PRIu64, event->id);
	if (event->kind == EVENT_ACTIVITY)
		printf(" %" PRIu64 "ns %" PRIu64 "B %" PRIu32 "/%" PRIu32,
			event->dur_ns, event->bytes, track->device,
			track->context);
	if (event->kind == EVENT_COMPLETE ||
		event->kind == EVENT_UNCLIPPED_CALL)
		printf(" %" PRIu64 "ns", event->dur_ns);
	if (event->shift_ns > 0)
		printf(" %" PRIu64 "ns", event->shift_ns);
	if (event->kind == EVENT_FLOW)
		printf(" %c", "stf"[event->flow]);
	for (uint32_t i = 0; i < event->arg_count; i++)
		print_arg(trace, &event->args[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	enum ctp_status status;

	if (file == NULL ||
		log_read_open(file, NULL, 0, NULL, &source, &err) != CTP_OK)
		return 2;
	while ((status = source->next(source, &event, &err)) == CTP_OK)
		print_event(source->trace, &event);
	if (status != CTP_END)
		fprintf(stderr, "%s\n", err.message);
	source->close(source);
	(void)fclose(file);
	return status == CTP_END ? 0 : 1;
}

/* SPDX-License-Identifier: MIT */
#include "record_case.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_read.h"

char case_directory[64];
char case_path[256];

void case_set_up(void)
{
	(void)snprintf(
		case_directory, sizeof(case_directory), "./test_record.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(case_directory));
	(void)snprintf(
		case_path, sizeof(case_path), "%s/run.ctp", case_directory);
}

void case_tear_down(void)
{
	char command[300];

	(void)ctp_stop();
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", case_directory);
	ck_assert_int_eq(system(command), 0);
}

void case_start(enum ctp_policy policy, uint64_t buffer_bytes)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = case_path;
	options.policy = policy;
	options.buffer_bytes = buffer_bytes;
	options.buffer_max = 4 * buffer_bytes;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
}

static void count(struct case_content *content,
	const struct event_source *source, const struct event *event,
	const char *name)
{
	content->kinds[event->kind]++;
	if (event->kind == EVENT_BEGIN) {
		content->depth++;
		if (strcmp(trace_site_name(source->trace, event->site), name) ==
			0)
			content->named++;
	}
	if (event->kind == EVENT_END)
		content->depth--;
	if (event->kind == EVENT_STEP || event->kind == EVENT_ASYNC_END)
		content->last_id = (int64_t)event->id;
	if (event->kind == EVENT_ARGS && event->args[0].kind == ARG_TEXT)
		(void)snprintf(content->text, sizeof(content->text), "%.*s",
			(int)event->args[0].value.text.size,
			event->args[0].value.text.bytes);
}

struct case_content case_read_log(const char *log, const char *name)
{
	static int64_t last[4096];
	struct case_content content = {.ordered = true};
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	enum ctp_status status;
	FILE *file = fopen(log, "rb");

	ck_assert_msg(file != NULL, "%s: %s", log, strerror(errno));
	ck_assert_int_eq(log_read_open(file, NULL, 0, &source, &err), CTP_OK);
	memset(last, 0, sizeof(last));
	while ((status = source->next(source, &event, &err)) == CTP_OK) {
		count(&content, source, &event, name);
		if (event.track < 4096) {
			if (event.time_ns < last[event.track])
				content.ordered = false;
			last[event.track] = event.time_ns;
		}
	}
	ck_assert_msg(status == CTP_END, "%s", err.message);
	content.tracks = source->trace->track_count;
	memcpy(content.losses, source->trace->losses, sizeof(content.losses));
	if (content.tracks > 0)
		(void)snprintf(content.thread_name, sizeof(content.thread_name),
			"%s",
			strtab_text(source->trace->text,
				source->trace->tracks[0].name, NULL));
	source->close(source);
	(void)fclose(file);
	return content;
}

uint64_t case_lost(const struct case_content *content)
{
	uint64_t sum = 0;

	for (enum trace_loss i = 0; i < LOSS_KINDS; i++)
		if (!trace_loss_is_note(i))
			sum += content->losses[i];
	return sum;
}

int case_early_return(int n)
{
	CTP_SCOPE("early");
	if (n > 0)
		return n;
	{
		CTP_SCOPE("inner");
		n--;
	}
	return n;
}

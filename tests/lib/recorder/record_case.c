/* SPDX-License-Identifier: MIT */
#include "record_case.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log_read/log_read.h"
#include "support/log_text.h"
#include "support/quick_check.h"

#define CASE_LOG_MAX ((size_t)64 * 1024 * 1024)

char record_case_directory[64];
char record_case_path[256];

void record_case_set_up(void)
{
	(void)snprintf(record_case_directory, sizeof(record_case_directory),
		"./test_record.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(record_case_directory));
	(void)snprintf(record_case_path, sizeof(record_case_path), "%s/run.ctp",
		record_case_directory);
}

void record_case_tear_down(void)
{
	char command[300];

	(void)ctp_stop();
	(void)snprintf(
		command, sizeof(command), "rm -rf '%s'", record_case_directory);
	ck_assert_int_eq(system(command), 0);
}

void record_case_start(enum ctp_policy policy, uint64_t buffer_bytes)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = record_case_path;
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

struct case_content record_case_read_log(const char *log, const char *name)
{
	static int64_t last[4096];
	struct case_content content = {.ordered = true};
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	enum ctp_status status;
	FILE *file = fopen(log, "rb");

	ck_assert_msg(file != NULL, "%s: %s", log, strerror(errno));
	ck_assert_int_eq(
		log_read_open(file, NULL, 0, NULL, &source, &err), CTP_OK);
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

const char *record_case_child_path(long pid)
{
	static char path[300];

	(void)snprintf(path, sizeof(path), "%s/run.%ld.ctp",
		record_case_directory, pid);
	return path;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(CASE_LOG_MAX);

	ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
	ck_assert_ptr_nonnull(bytes);
	*size = fread(bytes, 1, CASE_LOG_MAX, file);
	ck_assert_uint_lt(*size, CASE_LOG_MAX);
	(void)fclose(file);
	return bytes;
}

char *record_case_read_events(const char *log)
{
	size_t size;
	char *bytes = read_file(log, &size);
	struct log_text text = log_text_read(bytes, size);
	char *to = bytes;

	ck_assert_int_eq(text.status, CTP_END);
	bytes = realloc(bytes, 2 * strlen(text.events) + 1);
	ck_assert_ptr_nonnull(bytes);
	to = bytes;
	for (char *line = strtok(text.events, "\n"); line != NULL;
		line = strtok(NULL, "\n")) {
		const char *time = strchr(line, ' ') + 1;

		to = stpcpy(stpcpy(to, strchr(time, ' ') + 1), "; ");
	}
	*to = '\0';
	log_text_clear(&text);
	return bytes;
}

void record_case_begin(const char *name)
{
	ctp_begin(ctp_site_intern(name, NULL, 0));
}

void record_case_wait(pid_t child)
{
	int status = -1;

	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

_Noreturn void record_case_leave(void)
{
	_exit(ctp_stop() == CTP_OK ? 0 : 1);
}

_Noreturn void record_case_leave_as(long number)
{
	char path[300];

	(void)snprintf(
		path, sizeof(path), "%s", record_case_child_path(number));
	if (ctp_stop() != CTP_OK)
		_exit(1);
	_exit(rename(record_case_child_path(getpid()), path) == 0 ? 0 : 1);
}

void record_case_expect(const char *log, const char *expected)
{
	char *events = record_case_read_events(log);

	ck_assert_str_eq(events, expected);
	free(events);
}

int record_case_file_count(void)
{
	DIR *directory = opendir(record_case_directory);
	int count = 0;

	ck_assert_ptr_nonnull(directory);
	for (const struct dirent *entry = readdir(directory); entry != NULL;
		entry = readdir(directory))
		count += entry->d_name[0] != '.';
	(void)closedir(directory);
	return count;
}

uint64_t record_case_lost(const struct case_content *content)
{
	uint64_t sum = 0;

	for (enum trace_loss i = 0; i < LOSS_KINDS; i++)
		if (!trace_loss_is_note(i))
			sum += content->losses[i];
	return sum;
}

int record_case_early_return(int n)
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

void record_case_record(int ranges)
{
	for (int i = 0; i < ranges; i++)
		(void)record_case_early_return(1);
}

uint64_t record_case_file_size(const char *path)
{
	struct stat file;

	ck_assert_int_eq(stat(path, &file), 0);
	return (uint64_t)file.st_size;
}

/* SPDX-License-Identifier: MIT */
#include "record/run_logs.h"

#include <dirent.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/trace_summary.h"
#include "base/memory.h"
#include "cli/command.h"
#include "input/input.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "record/compressor.h"
#include "record/symbolizer.h"

/* Larger logs are not read completely, which would take too long. */
#define SUMMARY_MAX_BYTES (UINT64_C(256) * 1024 * 1024)

/* Stalls above this fraction of all threads' time are reported. */
#define STALLED_PART 20

/* Facts about the recording of GPUs: its state and errors. */
#define GPU_STATE "gpu.state"
#define GPU_UNUSED "off: the program has not used CUDA"
#define GPU_ERROR "gpu.error."

/* Global because scandir()'s filter has no user argument. */
static struct run_target output_name;

/* Whether `name` is STEM.PID.SUFFIX or STEM.PID.N.SUFFIX for `base`
 * STEM.SUFFIX. */
static bool is_child(const char *name, const char *base)
{
	const char *dot = strrchr(base, '.');
	const char *suffix = dot == NULL || dot == base ? "" : dot;
	size_t stem_size = strlen(base) - strlen(suffix);
	size_t size = strlen(name);
	size_t suffix_size = strlen(suffix);
	size_t middle;

	if (size <= stem_size + suffix_size + 1 ||
		strncmp(name, base, stem_size) != 0 ||
		strcmp(name + size - suffix_size, suffix) != 0 ||
		name[stem_size] != '.')
		return false;
	middle = size - suffix_size - stem_size;
	return strspn(name + stem_size, ".0123456789") >= middle;
}

bool run_logs_is_pattern(const char *path)
{
	for (const char *at = strchr(basename(path), '%'); at != NULL;
		at = strchr(at + 1 + (at[1] != '\0'), '%'))
		if (at[1] != '\0' && strchr("phr", at[1]) != NULL)
			return true;
	return false;
}

/* Makes a pattern of fnmatch(3) from that of the recorder, with `more` before
 * the suffix. */
static void make_glob(char *out, const char *pattern, const char *more)
{
	const char *dot = strrchr(pattern, '.');

	for (const char *at = pattern; *at != '\0'; at++) {
		if (at == dot)
			out = stpcpy(out, more);
		if (*at == '%' && at[1] != '\0') {
			at++;
			if (strchr("phr", *at) != NULL) {
				*out++ = '*';
				continue;
			}
			if (*at != '%')
				*out++ = '%';
		}
		if (strchr("*?[\\", *at) != NULL)
			*out++ = '\\';
		*out++ = *at;
	}
	*out = '\0';
}

/* Whether the recorder may have made `name` from the pattern: by itself, or, if
 * that was taken, with a number. */
static bool matches(const char *name, const char *pattern)
{
	static const char *const numbers[] = {"", ".[0-9]*"};
	char glob[2 * NAME_MAX + 16];

	for (size_t i = 0; i < 2 && strlen(pattern) <= NAME_MAX; i++) {
		make_glob(glob, pattern, numbers[i]);
		if (fnmatch(glob, name, FNM_PERIOD) == 0)
			return true;
	}
	return false;
}

/* The target's path has no directories here. */
static bool is_of(const char *name, const struct run_target *target)
{
	return target->is_pattern ? matches(name, target->path)
				  : is_child(name, target->path);
}

static int is_of_output(const struct dirent *entry)
{
	return is_of(entry->d_name, &output_name);
}

int64_t run_logs_pid(const char *path, const char *log)
{
	const char *base = basename(log);
	const char *dot = strrchr(base, '.');
	size_t stem =
		dot == NULL || dot == base ? strlen(log) : (size_t)(dot - log);

	if (strlen(path) <= stem + 1 || path[stem] != '.' ||
		strspn(path + stem + 1, "0123456789") == 0)
		return -1;
	return strtoll(path + stem + 1, NULL, 10);
}

char *run_logs_absolute(const char *path)
{
	char *directory = path[0] == '/' ? strdup("") : getcwd(NULL, 0);
	char *absolute = NULL;

	if (directory == NULL || asprintf(&absolute, "%s%s%s", directory,
					 path[0] == '/' ? "" : "/", path) < 0)
		absolute = NULL;
	free(directory);
	return absolute;
}

bool run_logs_belongs_to(const char *log, const struct run_target *target)
{
	const char *output = target->path;
	const struct run_target name = {basename(output), target->is_pattern};
	size_t directory = (size_t)(name.path - output);

	return strcmp(log, output) == 0 ||
	       ((size_t)(basename(log) - log) == directory &&
		       strncmp(log, output, directory) == 0 &&
		       is_of(basename(log), &name));
}

static bool is_since(const struct stat *found, struct timespec start)
{
	return S_ISREG(found->st_mode) &&
	       (found->st_mtim.tv_sec > start.tv_sec ||
		       (found->st_mtim.tv_sec == start.tv_sec &&
			       found->st_mtim.tv_nsec >= start.tv_nsec));
}

static void diag_summary(const char *path, const struct trace_summary *summary,
	uint64_t size_bytes)
{
	char size[QUANTITY_TEXT];
	char span[QUANTITY_TEXT];

	char processes[QUANTITY_TEXT + 16] = "";

	if (summary->events.processes > 1)
		(void)snprintf(processes, sizeof(processes),
			"%" PRIu64 " processes, ", summary->events.processes);
	diag("%s: %" PRIu64 " range%s, %s%" PRIu64 " thread%s, %s, %s", path,
		summary->events.ranges, summary->events.ranges == 1 ? "" : "s",
		processes, summary->events.threads,
		summary->events.threads == 1 ? "" : "s",
		quantity_bytes(size, size_bytes),
		quantity_time(span, summary->events.span_ns));
}

/* Reports long waits for the log, which function times include. */
static void diag_stalls(const char *path, const struct trace_summary *summary,
	const struct trace *trace)
{
	uint64_t stall_ns = recording_cost_waits_ns(trace);
	char text[QUANTITY_TEXT];

	if (summary->events.threads == 0 ||
		stall_ns / summary->events.threads <=
			summary->events.span_ns / STALLED_PART)
		return;
	diag("%s: threads waited %s for the log to be written, and function "
	     "times include this; see --policy and --filter",
		path, quantity_time(text, stall_ns));
}

/* Reports the state and errors of the GPU recording. False if no GPU was
 * used. */
static bool diag_gpu(const char *path, const struct trace *trace)
{
	const char *state = trace_find_fact(trace, GPU_STATE);

	for (uint32_t i = 0; i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];
		const char *key = strtab_text(trace->text, fact->key, NULL);

		if (strncmp(key, GPU_ERROR, strlen(GPU_ERROR)) == 0)
			diag("%s: GPU: %s: %s", path, key + strlen(GPU_ERROR),
				strtab_text(trace->text, fact->value, NULL));
	}
	if (state == NULL || strcmp(state, GPU_UNUSED) == 0)
		return false;
	if (strncmp(state, "off", 3) == 0)
		diag("%s: GPU: %s", path, state);
	return true;
}

/* Returns whether the log may contain GPU data. */
static bool diag_log(const char *path, uint64_t size_bytes,
	const struct run_logs_options *options)
{
	bool gpu = false;
	struct inputs inputs = {.verbose = options->verbose};
	char size[QUANTITY_TEXT];
	struct ctp_error err = {0};
	struct trace_summary summary;
	struct input input;

	if (size_bytes == 0) {
		diag("%s: is empty: its process is still running, or ended "
		     "before anything was written",
			path);
		return false;
	}
	if (size_bytes > SUMMARY_MAX_BYTES) {
		if (!options->brief)
			diag("%s: %s", path, quantity_bytes(size, size_bytes));
		return true;
	}
	if (input_open(&input, path, &inputs) != EXIT_DONE)
		return true;
	if (trace_summary_read(&summary, input.file.source, NULL, NULL, &err) ==
		CTP_OK) {
		if (!options->brief)
			diag_summary(path, &summary, size_bytes);
		if (summary.cost.line[0] != '\0')
			diag("%s: %s", path, summary.cost.line);
		else
			diag_stalls(path, &summary, input.file.source->trace);
	} else {
		diag_error(path, &err);
	}
	gpu = diag_gpu(path, input.file.source->trace);
	(void)input_close(&input, &inputs);
	return gpu;
}

void run_logs_clear(struct run_logs *logs)
{
	for (size_t i = 0; i < logs->count; i++)
		free(logs->paths[i]);
	for (size_t i = 0; i < logs->busy_count; i++)
		free(logs->busy[i]);
	memory_free(logs->paths);
	memory_free(logs->busy);
	*logs = (struct run_logs){0};
}

static bool add_path(
	char ***paths, size_t *count, size_t *room, const char *path)
{
	char *copy = strdup(path);

	if (copy == NULL ||
		!array_reserve(paths, *count, room, sizeof(char *))) {
		free(copy);
		return false;
	}
	(*paths)[(*count)++] = copy;
	return true;
}

void run_logs_add_busy(struct run_logs *logs, const char *absolute)
{
	if (!add_path(
		    &logs->busy, &logs->busy_count, &logs->busy_room, absolute))
		(void)diag_no_memory(absolute);
}

/* Adds the log if it was written since the start. */
static void add_log(
	struct run_logs *logs, const char *path, struct timespec start)
{
	struct stat found;

	if (stat(path, &found) == 0 && is_since(&found, start) &&
		!add_path(&logs->paths, &logs->count, &logs->room, path))
		(void)diag_no_memory(path);
}

void run_logs_find(struct run_logs *logs, const struct run_target *target,
	struct timespec start)
{
	const char *path = target->path;
	int directory_size = (int)(basename(path) - path);
	struct dirent **entries = NULL;
	char *directory = NULL;
	int found;

	if (!target->is_pattern)
		add_log(logs, path, start);
	output_name = (struct run_target){basename(path), target->is_pattern};
	if (asprintf(&directory, "%.*s.", directory_size, path) < 0)
		return;
	found = scandir(directory, &entries, is_of_output, versionsort);
	for (int i = 0; i < found; i++) {
		char *child = NULL;

		if (asprintf(&child, "%.*s%s", directory_size, path,
			    entries[i]->d_name) >= 0) {
			add_log(logs, child, start);
			free(child);
		}
		free(entries[i]);
	}
	free(entries);
	free(directory);
}

bool run_logs_are_complete(const struct run_logs *logs)
{
	struct stat found;

	for (size_t i = 0; i < logs->count; i++)
		if (stat(logs->paths[i], &found) != 0 || found.st_size == 0)
			return false;
	return logs->count != 0 && logs->busy_count == 0;
}

void run_logs_symbolize(const struct run_logs *logs, bool quiet)
{
	const struct symbolizer symbolizer = {.quiet = quiet, .brief = true};
	struct stat found;

	/* Errors are reported and only cost names. */
	for (size_t i = 0; i < logs->count; i++)
		if (stat(logs->paths[i], &found) == 0 && found.st_size > 0)
			(void)symbolizer_run(&symbolizer, logs->paths[i]);
}

int run_logs_compress(const struct run_logs *logs)
{
	int worst = EXIT_DONE;
	struct stat found;

	for (size_t i = 0; i < logs->count; i++)
		if (stat(logs->paths[i], &found) == 0 && found.st_size > 0)
			worst = exit_worse(
				worst, compressor_run(logs->paths[i], true));
	return worst;
}

void run_logs_report(
	const struct run_logs *logs, const struct run_logs_options *options)
{
	bool gpu = false;
	struct stat found;

	for (size_t i = 0; i < logs->count; i++)
		if (stat(logs->paths[i], &found) == 0 &&
			diag_log(logs->paths[i], (uint64_t)found.st_size,
				options))
			gpu = true;
	if (options->gpu && logs->count != 0 && !gpu)
		diag("--gpu was given, but the program used no CUDA");
}

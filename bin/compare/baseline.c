/* SPDX-License-Identifier: MIT */
#include "compare/baseline.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "input/summarize.h"

#define BRANCH "main"
#define KEEP 10u
#define SUFFIX ".ctpart"

/* The runs of a branch. */
struct runs {
	char *directory;
	uint64_t *numbers; /* ascending */
	size_t count;
	size_t room;
};

static void clear_runs(struct runs *runs)
{
	memory_free(runs->directory);
	memory_free(runs->numbers);
	*runs = (struct runs){0};
}

/* "DIRECTORY/feature%2Fx", to be freed; NULL if out of memory. */
static char *make_directory(const struct baseline *baseline)
{
	const char *branch =
		baseline->branch == NULL ? BRANCH : baseline->branch;
	struct buffer path = BUFFER_INIT;
	char *text = NULL;

	buffer_add_text(&path, baseline->directory);
	buffer_add_byte(&path, '/');
	for (const char *at = branch; *at != '\0'; at++) {
		char code[4];

		(void)snprintf(code, sizeof(code), "%%%02X", (uint8_t)*at);
		if (*at == '/' || *at == '%' || (*at == '.' && at == branch))
			buffer_add_text(&path, code);
		else
			buffer_add_byte(&path, (uint8_t)*at);
	}
	buffer_add_byte(&path, '\0');
	if (!path.failed)
		text = strdup((const char *)path.bytes);
	buffer_clear(&path);
	return text;
}

/* The number in "12.ctpart"; 0 for any other name. */
static uint64_t number_of(const char *name)
{
	uint64_t number = 0;
	const char *at = name;

	for (; *at >= '0' && *at <= '9' && number < UINT64_MAX / 100; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return *name == '0' || strcmp(at, SUFFIX) != 0 ? 0 : number;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *left = a;
	const uint64_t *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* False if out of memory. */
static bool add_number(struct runs *runs, uint64_t number)
{
	if (number == 0)
		return true;
	if (!array_reserve(&runs->numbers, runs->count, &runs->room,
		    sizeof(*runs->numbers)))
		return false;
	runs->numbers[runs->count++] = number;
	return true;
}

/* A branch without a directory has no runs. Call clear_runs() in any case. */
static int list_runs(const struct baseline *baseline, struct runs *runs)
{
	DIR *directory;
	bool done = true;

	*runs = (struct runs){.directory = make_directory(baseline)};
	if (runs->directory == NULL)
		return diag_no_memory(NULL);
	directory = opendir(runs->directory);
	if (directory == NULL && errno == ENOENT)
		return EXIT_DONE;
	if (directory == NULL) {
		diag("%s: cannot open: %s", runs->directory, strerror(errno));
		return EXIT_INPUT;
	}
	for (struct dirent *entry = readdir(directory); entry != NULL && done;
		entry = readdir(directory))
		done = add_number(runs, number_of(entry->d_name));
	(void)closedir(directory);
	if (!done)
		return diag_no_memory(NULL);
	if (runs->count != 0)
		qsort(runs->numbers, runs->count, sizeof(*runs->numbers),
			compare_numbers);
	return EXIT_DONE;
}

/* To be freed; NULL if out of memory. */
static char *make_path(const struct runs *runs, uint64_t number)
{
	char *path;

	return asprintf(&path, "%s/%" PRIu64 SUFFIX, runs->directory, number) <
			       0
		       ? NULL
		       : path;
}

static size_t most_runs(const struct baseline *baseline)
{
	return baseline->keep == 0 ? KEEP : baseline->keep;
}

int baseline_read(
	const struct baseline *baseline, struct comparison *comparison)
{
	struct runs runs;
	int status = list_runs(baseline, &runs);
	size_t first = runs.count > most_runs(baseline)
			       ? runs.count - most_runs(baseline)
			       : 0;

	for (size_t i = first; status == EXIT_DONE && i < runs.count; i++) {
		char *path = make_path(&runs, runs.numbers[i]);

		if (path != NULL && inputs_insert(&comparison->inputs,
					    comparison->base_count, path))
			comparison->base_count++;
		else
			status = diag_no_memory(NULL);
		memory_free(path);
	}
	comparison->runs = true;
	clear_runs(&runs);
	return status;
}

/* ---- saving ---- */

static int save_run(const struct comparison *comparison, char *run,
	const struct runs *runs, uint64_t number)
{
	struct inputs inputs = comparison->inputs;
	const struct aggregate_options options = {.inputs = &inputs,
		.replay = {.device = comparison->device, .tree = true}};
	char *path = make_path(runs, number);
	int status;

	if (path == NULL)
		return diag_no_memory(NULL);
	inputs.paths = &run;
	inputs.count = 1;
	status =
		summarize_run(&options, &(struct output_options){.path = path});
	memory_free(path);
	return status;
}

/* Removes all but the last `most` runs. */
static int remove_oldest(const struct runs *runs, size_t most)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i + most < runs->count; i++) {
		char *path = make_path(runs, runs->numbers[i]);

		if (path == NULL)
			return diag_no_memory(NULL);
		if (unlink(path) != 0 && errno != ENOENT) {
			diag("%s: cannot remove: %s", path, strerror(errno));
			status = EXIT_OUTPUT;
		}
		memory_free(path);
	}
	return status;
}

/* Locks the directory of the branch, which is made if it is missing; the
 * descriptor, or -1 if that is reported. */
static int lock_branch(const struct baseline *baseline)
{
	char *path = make_directory(baseline);
	int fd = -1;

	if (path == NULL) {
		(void)diag_no_memory(NULL);
		return -1;
	}
	(void)mkdir(baseline->directory, 0777);
	(void)mkdir(path, 0777);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		diag("%s: cannot make or open: %s", path, strerror(errno));
	else
		(void)flock(fd, LOCK_EX);
	memory_free(path);
	return fd;
}

static int save_runs(const struct baseline *baseline,
	const struct comparison *comparison, struct runs *runs)
{
	const struct inputs *inputs = &comparison->inputs;
	uint64_t number = runs->count == 0 ? 0 : runs->numbers[runs->count - 1];
	int status = EXIT_DONE;

	for (size_t i = comparison->base_count;
		status == EXIT_DONE && i < inputs->count; i++) {
		status = save_run(comparison, inputs->paths[i], runs, ++number);
		if (status == EXIT_DONE && !add_number(runs, number))
			status = diag_no_memory(NULL);
	}
	return exit_worse(status, remove_oldest(runs, most_runs(baseline)));
}

int baseline_save(
	const struct baseline *baseline, const struct comparison *comparison)
{
	struct runs runs;
	int lock = lock_branch(baseline);
	int status;

	if (lock == -1)
		return EXIT_OUTPUT;
	status = list_runs(baseline, &runs);
	if (status == EXIT_DONE)
		status = save_runs(baseline, comparison, &runs);
	clear_runs(&runs);
	(void)close(lock);
	return status;
}

/* ---- options ---- */

static void read_branch(const struct argument_value *value)
{
	if (*value->text == '\0')
		argument_error(value, "the name of the branch is empty");
	*(const char **)value->member = value->text;
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct baseline *baseline = structure;

	if (baseline->directory == NULL &&
		(baseline->branch != NULL || baseline->keep != 0 ||
			baseline->save))
		argp_error(state,
			"--branch, --keep and --save are for --baseline");
	return 0;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct baseline, member)
static const struct argument options[] = {
	{"branch", 0, "NAME", ARGUMENT_CALL,
		"the branch whose runs are the base (default: " BRANCH ")",
		GROUP_TOOLS, OF(branch), .call = read_branch},
	{"keep", 0, "N", ARGUMENT_COUNT,
		"compare with the last N runs of the branch, and keep no more "
		"(default: 10)", GROUP_TOOLS, OF(keep)},
	{"save", 0, NULL, ARGUMENT_FLAG,
		"then add the new runs to DIR, also if they are slower",
		GROUP_TOOLS, OF(save)},
};
/* clang-format on */

const struct arguments baseline_arguments = {
	ARGUMENTS(options), .check = check};

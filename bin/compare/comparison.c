/* SPDX-License-Identifier: MIT */
#include "compare/comparison.h"

#include <inttypes.h>
#include <string.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "base/memory.h"
#include "base/thread.h"
#include "input/report.h"
#include "input/aggregate.h"
#include "profile/function_match.h"
#include "cli/diag.h"
#include "input/input_tree.h"
#include "base/buffer.h"
#include "base/strtab.h"
#include "convert.h"
#include "input/devices.h"
#include "input/input_map.h"

#define ROOTS_REPORTED 4u /* directories reported at most */

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct comparison, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Comparison:", GROUP_SELECT),
	{"runs", 0, NULL, ARGUMENT_FLAG,
		"compare the medians of several runs per side, with -- between "
		"the sides", GROUP_SELECT, OF(runs)},
	{"match", 0, COMPARISON_MATCHES, ARGUMENT_WORD,
		"match functions by name and file (the default), by name, by "
		"name, file and line, or literally; all but the last ignore "
		"template arguments, addresses, counters and hashes",
		GROUP_SELECT, OF(match)},
	{"across-devices", 0, NULL, ARGUMENT_FLAG,
		"compare runs on different GPUs", GROUP_SELECT,
		OF(across_devices)},
	{"kernels", 0, NULL, ARGUMENT_FLAG, "compare only the work of GPUs",
		GROUP_SELECT, OF(kernels)},
	INPUTS_DEVICE_OPTION(GROUP_SELECT, OF(device)),
	{"jobs", 'j', "N", ARGUMENT_COUNT,
		"read this many inputs at a time (default: one per processor)",
		GROUP_INPUT, OF(jobs)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
};
/* clang-format on */

static error_t count_base(void *structure, char *text, struct argp_state *state)
{
	struct comparison *comparison = structure;

	(void)text;
	comparison->base_count += state->quoted == 0;
	return ARGP_ERR_UNKNOWN; /* for inputs_arguments */
}

static error_t check(void *structure, const struct argp_state *state)
{
	struct comparison *comparison = structure;
	size_t count = comparison->inputs.count;

	if (comparison->is_new) {
		comparison->base_count = 0;
		return 0;
	}
	if (!comparison->runs)
		comparison->base_count = 1;
	if (!comparison->runs && count != 2)
		argp_error(state, "needs two inputs, BASE and NEW, or with "
				  "--runs several, BASE... -- NEW...");
	if (comparison->runs && (comparison->base_count == 0 ||
					comparison->base_count == count))
		argp_error(state, "--runs needs inputs on both sides of --");
	return 0;
}

const struct arguments comparison_arguments = {
	ARGUMENTS(options), .add = count_base, .check = check};

void comparison_clear(struct comparison *comparison)
{
	inputs_clear(&comparison->inputs);
	source_map_clear(&comparison->source_map);
}

/* ---- reading ---- */

/* An input that was read, until it is added. */
struct run {
	struct profile *profile;
	uint64_t losses[LOSS_KINDS];
};

struct reading {
	struct comparison *comparison;
	struct inputs inputs; /* for reading one */
	struct run *runs;     /* by input */
	struct diff *diff;
	struct strtab *devices[DIFF_SIDES]; /* names */
	bool is_good;                       /* all inputs so far were read */
	bool no_memory;                     /* in adding them */
	struct comparison_profiles profiles;
};

/* Edges are not compared, but needed for some times. */
static struct replay_options replay_options(const struct comparison *comparison)
{
	return (struct replay_options){.device = comparison->device,
		.tree = comparison->tree,
		.no_edges = comparison->device != REPLAY_DEVICE,
		.joined = true,
		.match = comparison->match};
}

static enum ctp_status replay_input(const struct reading *reading,
	struct input *input, struct replay *replay, struct ctp_error *err)
{
	const struct convert_job job = {
		.progress = input_update_progress, .user = input};
	enum ctp_status status;

	input_start_progress(input, inputs_progress(&reading->inputs));
	status = convert_replay(input->file.source, &job, replay, err);
	progress_hide(&input->progress);
	return status == CTP_END ? CTP_OK : status;
}

static enum ctp_status read_profile(const struct reading *reading,
	struct input *input, struct profile **out, struct ctp_error *err)
{
	const struct comparison *comparison = reading->comparison;
	struct event_source *source = input->file.source;
	struct replay *replay;
	enum ctp_status status;

	if (source->read_profile != NULL) {
		status = source->read_profile(source, out, err);
		return status == CTP_OK ? function_match_join(
						  *out, comparison->match, err)
					: status;
	}
	replay = replay_new(source->trace, replay_options(comparison));
	if (replay == NULL)
		return ctp_no_memory(err);
	status = replay_input(reading, input, replay, err);
	if (status == CTP_OK)
		status = replay_finish(replay, out, err);
	replay_free(replay);
	return status;
}

static void add_losses(uint64_t *losses, const uint64_t *more)
{
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		losses[loss] += more[loss];
}

static int read_file(
	const struct reading *reading, const char *path, struct run *run)
{
	const struct inputs *inputs = &reading->inputs;
	struct ctp_error err = {0};
	struct input input;
	int status = input_open(&input, path, inputs);

	if (status != EXIT_DONE)
		return status;
	if (read_profile(reading, &input, &run->profile, &err) != CTP_OK)
		status = input_diag_error(&input, input.name, &err);
	else
		add_losses(run->losses, input.file.source->trace->losses);
	return exit_worse(status, input_close(&input, inputs));
}

/* All traces below a directory are one run, such as a build. */
static int read_directory(
	const struct reading *reading, char *path, struct run *run)
{
	struct inputs inputs = reading->inputs;
	struct aggregate_options aggregate_options = {.inputs = &inputs,
		.replay = replay_options(reading->comparison),
		.jobs = reading->comparison->jobs};
	struct aggregate aggregate;
	int status;

	aggregate_options.replay.tree = false; /* sums have no paths */
	inputs.paths = &path;
	inputs.count = 1;
	status = aggregate_run(&aggregate, &aggregate_options);
	if (aggregate.file_count != 0) {
		run->profile = aggregate.functions;
		aggregate.functions = NULL;
		add_losses(run->losses, aggregate.losses);
	}
	aggregate_clear(&aggregate);
	return status;
}

static int read_run(void *user, size_t index)
{
	const struct reading *reading = user;
	char *path = reading->inputs.paths[index];
	struct run *run = &reading->runs[index];

	return input_tree_is_directory(path)
		       ? read_directory(reading, path, run)
		       : read_file(reading, path, run);
}

static void drop_run(void *user, size_t index)
{
	struct run *run = &((struct reading *)user)->runs[index];

	profile_free(run->profile);
	*run = (struct run){0};
}

/* Whether functions match only if their files do, normalized. */
static bool matches_files(const struct comparison *comparison)
{
	return comparison->match == MATCH_KEY_FILE ||
	       comparison->match == MATCH_KEY_LINE;
}

/* Adds the names of the devices; false if out of memory. */
static bool add_devices(struct strtab *names, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		const char *name;
		size_t size;

		if (function->device.kind == PROFILE_HOST)
			continue;
		name = devices_function_name(function, &size);
		if (name != NULL &&
			strtab_add(names, name, size) == STRTAB_NONE)
			return false;
	}
	return true;
}

static bool add_profile(struct reading *reading, enum diff_side side,
	const struct profile *profile)
{
	struct comparison *comparison = reading->comparison;

	return (!matches_files(comparison) ||
		       source_map_add(&comparison->source_map, profile, side,
			       NULL) == CTP_OK) &&
	       add_devices(reading->devices[side], profile) &&
	       diff_add(reading->diff, side, profile, NULL) == CTP_OK;
}

/* Memory: only call paths need the profile itself. */
static int take_run(void *user, size_t index, int status)
{
	struct reading *reading = user;
	struct run *run = &reading->runs[index];
	enum diff_side side =
		index < reading->comparison->base_count ? DIFF_BASE : DIFF_NEW;

	reading->is_good &= status == EXIT_DONE || status == EXIT_DAMAGED;
	add_losses(reading->profiles.losses, run->losses);
	if (reading->is_good && !reading->no_memory)
		reading->no_memory = !add_profile(reading, side, run->profile);
	if (reading->comparison->tree) {
		reading->profiles.items[index] = run->profile;
		run->profile = NULL;
	}
	drop_run(user, index);
	return status;
}

/* ---- devices ---- */

static int compare_devices(const void *a, const void *b, void *names)
{
	return strtab_compare(
		names, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* A side's devices by name; NULL if out of memory. */
static uint32_t *sort_devices(struct strtab *names)
{
	uint32_t count = strtab_count(names);
	uint32_t *sorted = memory_resize_array(NULL, count, sizeof(*sorted));

	for (uint32_t i = 0; sorted != NULL && i < count; i++)
		sorted[i] = i;
	if (sorted != NULL)
		qsort_r(sorted, count, sizeof(*sorted), compare_devices, names);
	return sorted;
}

static bool are_devices_equal(struct strtab *const names[DIFF_SIDES],
	uint32_t *const sorted[DIFF_SIDES])
{
	uint32_t count = strtab_count(names[DIFF_BASE]);

	if (strtab_count(names[DIFF_NEW]) != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		size_t sizes[DIFF_SIDES];
		const char *texts[DIFF_SIDES];

		for (int side = 0; side < DIFF_SIDES; side++)
			texts[side] = strtab_text(
				names[side], sorted[side][i], &sizes[side]);
		if (sizes[DIFF_BASE] != sizes[DIFF_NEW] ||
			memcmp(texts[DIFF_BASE], texts[DIFF_NEW],
				sizes[DIFF_BASE]) != 0)
			return false;
	}
	return true;
}

/* The first name is the table's own "". */
static void add_device_list(
	struct buffer *out, const struct strtab *names, const uint32_t *sorted)
{
	for (uint32_t i = 1; i < strtab_count(names); i++) {
		size_t size;
		const char *name = strtab_text(names, sorted[i], &size);

		buffer_add_text(out, i == 1 ? "" : ", ");
		buffer_add(out, name, size);
	}
}

static void diag_difference(struct strtab *const names[DIFF_SIDES],
	uint32_t *const sorted[DIFF_SIDES])
{
	struct buffer line = BUFFER_INIT;

	buffer_add_text(&line, "base ran on ");
	add_device_list(&line, names[DIFF_BASE], sorted[DIFF_BASE]);
	buffer_add_text(&line, ", new on ");
	add_device_list(&line, names[DIFF_NEW], sorted[DIFF_NEW]);
	buffer_add_byte(&line, '\0');
	if (line.failed)
		diag_no_memory(NULL);
	else
		diag("%s: see --across-devices", (const char *)line.bytes);
	buffer_clear(&line);
}

/* Whether the devices of both sides have the same names. If not, or without
 * memory, prints the reason. Devices without a name, and a side without devices,
 * match. */
static bool check_devices(struct strtab *const names[DIFF_SIDES])
{
	uint32_t *sorted[DIFF_SIDES] = {
		sort_devices(names[DIFF_BASE]), sort_devices(names[DIFF_NEW])};
	bool failed = sorted[DIFF_BASE] == NULL || sorted[DIFF_NEW] == NULL;
	bool equal = failed || strtab_count(names[DIFF_BASE]) == 1 ||
		     strtab_count(names[DIFF_NEW]) == 1 ||
		     are_devices_equal(names, sorted);

	if (failed)
		diag_no_memory(NULL);
	else if (!equal)
		diag_difference(names, sorted);
	memory_free(sorted[DIFF_BASE]);
	memory_free(sorted[DIFF_NEW]);
	return equal && !failed;
}

/* ---- files ---- */

static void diag_source_map(const struct source_map *source_map)
{
	for (uint32_t i = 0; i < source_map->count && i < ROOTS_REPORTED; i++)
		diag("files in %s are compared with those in %s",
			source_map->roots[i].base,
			source_map->roots[i].changed);
	if (source_map->count > ROOTS_REPORTED)
		diag("likewise for %" PRIu32 " more directories",
			source_map->count - ROOTS_REPORTED);
}

/* A program that was built in another directory has other names for all its
 * files; this matches them. */
static int map_source_files(struct reading *reading)
{
	struct comparison *comparison = reading->comparison;
	struct comparison_profiles *profiles = &reading->profiles;
	struct source_map *map = &comparison->source_map;
	struct ctp_error err = {0};
	enum ctp_status status;

	if (!matches_files(comparison))
		return EXIT_DONE;
	status = source_map_finish(map, &err);
	if (status == CTP_OK && map->count != 0)
		status = diff_map_files(reading->diff, map, &err);
	for (size_t i = 0; status == CTP_OK && i < comparison->base_count; i++)
		if (profiles->items[i] != NULL)
			status = source_map_rename(
				map, profiles->items[i], &err);
	if (status != CTP_OK)
		return diag_no_memory(NULL);
	if (!comparison->inputs.quiet)
		diag_source_map(map);
	return EXIT_DONE;
}

/* ---- all inputs ---- */

/* False if out of memory; call clear_reading() in any case. */
static bool init_reading(struct reading *reading, struct comparison *comparison)
{
	const size_t count = comparison->inputs.count;
	const uint32_t runs[DIFF_SIDES] = {(uint32_t)comparison->base_count,
		(uint32_t)(count - comparison->base_count)};

	*reading = (struct reading){.comparison = comparison,
		.inputs = comparison->inputs,
		.runs = memory_new_zeroed(count, sizeof(*reading->runs)),
		.diff = diff_new(comparison->match, runs),
		.devices = {strtab_new(), strtab_new()},
		.is_good = true};
	reading->profiles.items =
		memory_new_zeroed(count, sizeof(*reading->profiles.items));
	reading->profiles.count = count;
	return source_map_init(&comparison->source_map) &&
	       reading->runs != NULL && reading->diff != NULL &&
	       reading->devices[DIFF_BASE] != NULL &&
	       reading->devices[DIFF_NEW] != NULL &&
	       reading->profiles.items != NULL;
}

static void clear_reading(struct reading *reading)
{
	struct profile **items = reading->profiles.items;

	for (size_t i = 0; items != NULL && i < reading->profiles.count; i++)
		profile_free(items[i]);
	memory_free(items);
	strtab_free(reading->devices[DIFF_BASE]);
	strtab_free(reading->devices[DIFF_NEW]);
	diff_free(reading->diff);
	memory_free(reading->runs);
}

/* Directories are read one after another, each by all threads. */
static int read_inputs(struct reading *reading)
{
	struct inputs *inputs = &reading->inputs;
	struct input_map map = {.count = inputs->count,
		.jobs = input_map_jobs(inputs, reading->comparison->jobs),
		.read = read_run,
		.take = take_run,
		.drop = drop_run,
		.user = reading,
		.progress = WHEN_NEVER};

	inputs->request.skip_args = true;
	inputs->request.detailed_names = true;
	inputs->request.jobs = reading->comparison->jobs;
	if (map.jobs > 1) { /* progress is that of all */
		inputs->request.jobs =
			thread_share(reading->comparison->jobs, inputs->count);
		map.progress = inputs_progress(inputs);
		inputs->progress = WHEN_NEVER;
	}
	return input_map_run(&map);
}

/* Sides with different devices are refused, unless devices are ignored.
 * EXIT_DAMAGED comes with a result, other errors with none. */
static int read_all(struct reading *reading, enum diff_key key)
{
	const struct comparison *comparison = reading->comparison;
	struct ctp_error err = {0};
	int worst = read_inputs(reading);

	if (worst != EXIT_DONE && worst != EXIT_DAMAGED)
		return worst;
	if (reading->no_memory)
		return diag_no_memory(NULL);
	if (!comparison->across_devices && !check_devices(reading->devices))
		return EXIT_USAGE;
	worst = exit_worse(worst, map_source_files(reading));
	if (worst <= EXIT_DAMAGED &&
		diff_finish(reading->diff, key, &err) != CTP_OK)
		return diag_no_memory(NULL);
	return worst;
}

int comparison_run(struct comparison *comparison, enum diff_key key,
	const char *schema,
	int (*print)(void *user, const struct diff *diff,
		const struct comparison_profiles *profiles,
		struct report *report),
	void *user)
{
	struct reading reading;
	int worst = init_reading(&reading, comparison) ? read_all(&reading, key)
						       : diag_no_memory(NULL);

	if (worst == EXIT_DONE || worst == EXIT_DAMAGED) {
		struct report report = report_of(
			&comparison->inputs, schema, reading.profiles.losses);

		worst = exit_worse(worst,
			print(user, reading.diff, &reading.profiles, &report));
	}
	clear_reading(&reading);
	return worst;
}

struct head {
	uint64_t base_runs, new_runs;
	const char *match;
	const struct source_map *moved;
};

/* clang-format off */
static const struct column moved_items[] = {
	COLUMN_IN_JSON(TEXT, "base", "a directory of the base",
		COLUMN_OF(struct source_map_root, base)),
	COLUMN_IN_JSON(TEXT, "new", "the directory in its place",
		COLUMN_OF(struct source_map_root, changed)),
	COLUMN_IN_JSON(COUNT, "files", "number of files in both",
		COLUMN_OF(struct source_map_root, file_count)),
};
static const struct columns moved_table = COLUMNS("directory", NULL, moved_items);

static void put_moved(struct sheet *sheet, const struct column *column,
	const void *row)
{
	const struct source_map *map = ((const struct head *)row)->moved;

	(void)column;
	for (uint32_t i = 0; i < map->count; i++)
		columns_add(sheet, &moved_table, TABLE_PLAIN, &map->roots[i]);
}

static const struct column head_items[] = {
	COLUMN_IN_JSON(COUNT, "base_runs", "number of inputs of the base",
		COLUMN_OF(struct head, base_runs)),
	COLUMN_IN_JSON(COUNT, "new_runs", "number of inputs of the new side",
		COLUMN_OF(struct head, new_runs)),
	COLUMN_IN_JSON(TEXT, "match", "the parts of names that must be equal",
		COLUMN_OF(struct head, match),
		.words = COMPARISON_MATCHES),
	COLUMN_IN_JSON(LIST, "moved", "directories with other names on the "
		"new side", .put = put_moved, .table = &moved_table),
};
/* clang-format on */
const struct columns comparison_head = COLUMNS(NULL, NULL, head_items);

void comparison_write(struct sheet *sheet, const struct comparison *comparison)
{
	static const char *const words[] = {[MATCH_KEY_FILE] = "file",
		[MATCH_KEY_NAME] = "name",
		[MATCH_KEY_LINE] = "line",
		[MATCH_KEY_EXACT] = "exact"};
	size_t base = comparison->base_count;

	columns_members(sheet, &comparison_head,
		&(struct head){base, comparison->inputs.count - base,
			words[comparison->match], &comparison->source_map});
}

bool comparison_shows(
	const struct comparison *comparison, const struct diff_row *row)
{
	return !comparison->kernels || row->kind != PROFILE_HOST;
}

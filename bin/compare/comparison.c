/* SPDX-License-Identifier: MIT */
#include "compare/comparison.h"

#include <inttypes.h>
#include <string.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "base/memory.h"
#include "input/report.h"
#include "input/aggregate.h"
#include "profile/function_match.h"
#include "cli/diag.h"
#include "input/input_tree.h"
#include "base/buffer.h"
#include "input/devices.h"

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

static enum ctp_status replay_event(
	void *user, const struct event *event, struct ctp_error *err)
{
	return replay_add(user, event, err);
}

static struct replay_options replay_options(const struct comparison *comparison)
{
	return (struct replay_options){.device = comparison->device,
		.tree = comparison->tree,
		.joined = true,
		.match = comparison->match};
}

static enum ctp_status read_profile(const struct comparison *comparison,
	struct input *input, struct profile **out, struct ctp_error *err)
{
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
	status = report_read(
		&comparison->inputs, input, replay_event, replay, err);
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

static int read_file(const struct comparison *comparison, const char *path,
	struct profile **out, uint64_t *losses)
{
	struct ctp_error err = {0};
	struct input input;
	int status = input_open(&input, path, &comparison->inputs);

	if (status != EXIT_DONE)
		return status;
	if (read_profile(comparison, &input, out, &err) != CTP_OK)
		status = input_diag_error(&input, input.name, &err);
	else
		add_losses(losses, input.file.source->trace->losses);
	return exit_worse(status, input_close(&input, &comparison->inputs));
}

/* All traces below a directory are one run, such as a build. */
static int read_directory(const struct comparison *comparison, char *path,
	struct profile **out, uint64_t *losses)
{
	struct inputs inputs = comparison->inputs;
	struct aggregate_options aggregate_options = {
		.inputs = &inputs, .replay = replay_options(comparison)};
	struct aggregate aggregate;
	int status;

	aggregate_options.replay.tree = false; /* sums have no paths */
	inputs.paths = &path;
	inputs.count = 1;
	status = aggregate_run(&aggregate, &aggregate_options);
	if (aggregate.file_count != 0) {
		*out = aggregate.functions;
		aggregate.functions = NULL;
		add_losses(losses, aggregate.losses);
	}
	aggregate_clear(&aggregate);
	return status;
}

static int read_run(const struct comparison *comparison, char *path,
	struct profile **out, uint64_t *losses)
{
	return input_tree_is_directory(path)
		       ? read_directory(comparison, path, out, losses)
		       : read_file(comparison, path, out, losses);
}

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
static int map_source_files(struct comparison *comparison,
	const struct comparison_profiles *profiles)
{
	struct ctp_error err = {0};

	if (comparison->match != MATCH_KEY_FILE &&
		comparison->match != MATCH_KEY_LINE)
		return EXIT_DONE;
	if (source_map_join(&comparison->source_map, profiles->items,
		    profiles->count, comparison->base_count, &err) != CTP_OK)
		return diag_no_memory(NULL);
	if (!comparison->inputs.quiet)
		diag_source_map(&comparison->source_map);
	return EXIT_DONE;
}

/* A name within a profile's text, not terminated. */
struct device_name {
	const char *text;
	size_t size;
};

struct device_names {
	struct device_name *items;
	size_t count;
	size_t room;
	bool failed;
};

static void add_device(struct device_names *names, struct device_name name)
{
	if (array_reserve(&names->items, names->count, &names->room,
		    sizeof(*names->items)))
		names->items[names->count++] = name;
	else
		names->failed = true;
}

static void add_devices_of(
	struct device_names *names, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		struct device_name name;

		if (function->device.kind == PROFILE_HOST)
			continue;
		name.text = devices_function_name(function, &name.size);
		if (name.text != NULL && name.size != 0)
			add_device(names, name);
	}
}

static int compare_devices(const void *a, const void *b)
{
	const struct device_name *one = a;
	const struct device_name *two = b;
	size_t size = one->size < two->size ? one->size : two->size;
	int order = memcmp(one->text, two->text, size);

	if (order != 0)
		return order;
	return one->size < two->size ? -1 : one->size > two->size;
}

/* Sorts the names and removes duplicates. */
static void sort_devices(struct device_names *names)
{
	size_t kept = 0;

	if (names->count == 0)
		return;
	qsort(names->items, names->count, sizeof(*names->items),
		compare_devices);
	for (size_t i = 1; i < names->count; i++)
		if (compare_devices(&names->items[kept], &names->items[i]) != 0)
			names->items[++kept] = names->items[i];
	names->count = kept + 1;
}

static bool are_devices_equal(
	const struct device_names *one, const struct device_names *two)
{
	if (one->count != two->count)
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (compare_devices(&one->items[i], &two->items[i]) != 0)
			return false;
	return true;
}

static void add_device_list(
	struct buffer *out, const struct device_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		buffer_add_text(out, i == 0 ? "" : ", ");
		buffer_add(out, names->items[i].text, names->items[i].size);
	}
}

static void diag_difference(
	const struct device_names *base, const struct device_names *other)
{
	struct buffer line = BUFFER_INIT;

	buffer_add_text(&line, "base ran on ");
	add_device_list(&line, base);
	buffer_add_text(&line, ", new on ");
	add_device_list(&line, other);
	buffer_add_byte(&line, '\0');
	if (line.failed)
		diag_no_memory(NULL);
	else
		diag("%s: see --across-devices", (const char *)line.bytes);
	buffer_clear(&line);
}

/* Whether the devices of the first `base_count` profiles have the same names as
 * those of the others. If not, or without memory, prints the reason. Devices
 * without a name, and a side without devices, match. */
static bool check_devices(
	const struct comparison_profiles *profiles, size_t base_count)
{
	struct device_names names[DIFF_SIDES] = {0};
	struct device_names *base = &names[DIFF_BASE];
	struct device_names *other = &names[DIFF_NEW];
	bool failed;
	bool equal;

	for (size_t i = 0; i < profiles->count; i++)
		add_devices_of(
			i < base_count ? base : other, profiles->items[i]);
	sort_devices(base);
	sort_devices(other);
	failed = base->failed || other->failed;
	equal = base->count == 0 || other->count == 0 ||
		are_devices_equal(base, other);
	if (failed)
		diag_no_memory(NULL);
	else if (!equal)
		diag_difference(base, other);
	memory_free(base->items);
	memory_free(other->items);
	return equal && !failed;
}

/* Reads all inputs. Sides with different devices are refused, unless devices
 * are ignored. EXIT_DAMAGED comes with all profiles, other errors with none. */
static int read_all(
	struct comparison *comparison, struct comparison_profiles *profiles)
{
	struct inputs *inputs = &comparison->inputs;
	int worst = EXIT_DONE;
	int status;

	inputs->request.skip_args = true;
	inputs->request.detailed_names = true;
	*profiles = (struct comparison_profiles){.count = inputs->count};
	profiles->items =
		memory_new_zeroed(inputs->count, sizeof(*profiles->items));
	if (profiles->items == NULL) {
		profiles->count = 0;
		return diag_no_memory(NULL);
	}
	for (size_t i = 0; i < inputs->count; i++) {
		status = read_run(comparison, inputs->paths[i],
			&profiles->items[i], profiles->losses);
		worst = exit_worse(worst, status);
	}
	if (worst != EXIT_DONE && worst != EXIT_DAMAGED)
		return worst;
	if (!comparison->across_devices &&
		!check_devices(profiles, comparison->base_count))
		return EXIT_USAGE;
	return exit_worse(worst, map_source_files(comparison, profiles));
}

/* ---- joining ---- */

static struct diff *compare(const struct comparison *comparison,
	const struct comparison_profiles *profiles, enum diff_key key)
{
	const uint32_t runs[DIFF_SIDES] = {(uint32_t)comparison->base_count,
		(uint32_t)(profiles->count - comparison->base_count)};
	struct diff *diff = diff_new(comparison->match, runs);
	struct ctp_error err = {0};
	enum ctp_status status = diff == NULL ? CTP_ERR_NOMEM : CTP_OK;

	for (size_t i = 0; i < profiles->count && status == CTP_OK; i++)
		status = diff_add(diff,
			i < comparison->base_count ? DIFF_BASE : DIFF_NEW,
			profiles->items[i], &err);
	if (status == CTP_OK)
		status = diff_finish(diff, key, &err);
	if (status == CTP_OK)
		return diff;
	diag_no_memory(NULL);
	diff_free(diff);
	return NULL;
}

static void clear_profiles(struct comparison_profiles *profiles)
{
	for (size_t i = 0; i < profiles->count; i++)
		profile_free(profiles->items[i]);
	memory_free(profiles->items);
	*profiles = (struct comparison_profiles){0};
}

int comparison_run(struct comparison *comparison, enum diff_key key,
	const char *schema,
	int (*print)(void *user, const struct diff *diff,
		const struct comparison_profiles *profiles,
		struct report *report),
	void *user)
{
	struct comparison_profiles profiles;
	int worst = read_all(comparison, &profiles);

	if (worst == EXIT_DONE || worst == EXIT_DAMAGED) {
		struct report report =
			report_of(&comparison->inputs, schema, profiles.losses);
		struct diff *diff = compare(comparison, &profiles, key);

		worst = exit_worse(worst,
			diff == NULL ? EXIT_LIMIT
				     : print(user, diff, &profiles, &report));
		diff_free(diff);
	}
	clear_profiles(&profiles);
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

/* SPDX-License-Identifier: MIT */
#include "stats/grouping.h"

#include <string.h>

#include "cli/arguments.h"

#define KEY_SIZE 32

/* In the order of GROUPING_WORDS, after those of compilers. */
static const enum averages_group averages_groups[] = {AVERAGES_SITE,
	AVERAGES_SHAPE, AVERAGES_STACK, AVERAGES_CATEGORY, AVERAGES_MODULE};

#define THREAD (BUILD_GROUP_COUNT + 6) /* the word after these */

static void set_group(struct grouping *grouping, const char *text,
	const struct argp_state *state)
{
	static const char stack[] = "stack:";
	unsigned word;

	grouping->has_group = true;
	grouping->has_ops = true;
	grouping->build = 0;
	grouping->ops = (struct averages_options){0};
	if (strncmp(text, stack, strlen(stack)) == 0) {
		grouping->ops.group = AVERAGES_STACK;
		grouping->ops.stack = arguments_count(
			state, "--group=stack", text + strlen(stack));
		return;
	}
	word = arguments_word(state, "--group", GROUPING_WORDS, text);
	grouping->threads = word == THREAD;
	grouping->has_ops = !grouping->threads;
	if (grouping->threads)
		return;
	if (word > BUILD_GROUP_COUNT) {
		grouping->ops.group =
			averages_groups[word - BUILD_GROUP_COUNT - 1];
		return;
	}
	grouping->build = stats_build_groups(word);
	grouping->ops.group = AVERAGES_NAME;
	grouping->has_ops = word == BUILD_NAME;
}

static void read_group(const struct argument_value *value)
{
	struct grouping *grouping = value->member;

	set_group(grouping, value->text, value->state);
	grouping->ops_view.group = grouping->ops.group;
}

/* Accepts underscores, as in other tools' keys. */
static void read_key(const struct argument_value *value)
{
	struct grouping *grouping = value->member;
	const struct argp_state *state = value->state;
	const char *text = value->text;
	char key[KEY_SIZE];
	const char *owner = strchr(text, ':');
	size_t size = owner == NULL ? strlen(text) : (size_t)(owner - text);

	if (size < sizeof(key)) {
		for (size_t i = 0; i < size; i++)
			key[i] = text[i] == '_' ? '-' : text[i];
		key[size] = '\0';
		text = key;
	}
	grouping->key = arguments_sort(value->state, &stats_table, text);
	grouping->key_owner = owner == NULL ? NULL : owner + 1;
	if (owner != NULL && (grouping->key->type != COLUMN_BYTES ||
				     grouping->key->index != 0))
		argp_error(state,
			"--sort: for a device, use memory:%s or self-memory:%s",
			owner + 1, owner + 1);
	if (owner != NULL && owner[1] == '\0')
		argp_error(state, "--sort: no device after '%s:'", text);
}

static void read_columns(const struct argument_value *value)
{
	struct grouping *grouping = value->member;
	const char *text = value->text;
	char word[KEY_SIZE];

	grouping->ops_view.columns = 0;
	for (;;) {
		size_t size = strcspn(text, ",");
		unsigned number;

		if (size >= sizeof(word))
			size = sizeof(word) - 1;
		memcpy(word, text, size);
		word[size] = '\0';
		number = arguments_word(
			value->state, "--columns", STATS_OPS_WORDS, word);
		grouping->ops_view.columns |=
			number == STATS_OPS_COLUMN_COUNT
				? (1U << STATS_OPS_COLUMN_COUNT) - 1
				: 1U << number;
		if (number == STATS_OPS_MEMORY_EACH)
			grouping->ops_view.columns |= 1U << STATS_OPS_MEMORY;
		if (text[size] != ',')
			return;
		text += size + 1;
	}
}

/* Some keys exist only in some tables. */
static error_t check(void *structure, const struct argp_state *state)
{
	const struct grouping *grouping = structure;

	if (grouping->has_ops)
		return 0;
	if (grouping->has_ops_option)
		argp_error(state, "--columns, --top-level and the widths need "
				  "--group by name, site, shape, stack, cat or "
				  "module");
	if (grouping->key == NULL)
		return 0;
	if ((grouping->key->when & (STATS_NEEDS_MEMORY | STATS_NEEDS_FLOPS)) !=
		0)
		argp_error(state, "--sort: memory and flops need --group by "
				  "name, site, shape, stack, cat or module");
	if (grouping->has_group && (grouping->key->when & STATS_NEEDS) != 0)
		argp_error(state, "--sort: compilers use no device");
	return 0;
}

/* clang-format off */
#define FOR_OPS ARGUMENT_GIVEN(struct grouping, has_ops_option)
#define OF(member) ARGUMENT_OF(struct grouping, member)
static const struct argument options[] = {
	{"sort", 's', "KEY", ARGUMENT_CALL,
		"order by one of these (default: tottime in text, cumtime in "
		"JSON, CSV and for compilers; memory and flops are for "
		"operations, and memory:cuda:1 and self-memory:cuda:1 for one "
		"device)", GROUP_MAIN, .call = read_key,
		.table = &stats_table},
	{"group", 0, "GROUP", ARGUMENT_CALL,
		"sum operations by name, site (name, file and line), shape "
		"(name and input shapes), stack (name and 5 functions around "
		"it; stack:N), cat (category) or module; show the time of each "
		"thread; or sum compiler work in "
		"traces of clang and nvcc by name, phase, unit, header, "
		"template, template-set, function, or all of these (the "
		"default for a directory)", GROUP_MAIN, .call = read_group,
		.words = GROUPING_WORDS},
	{"columns", 0, "LIST", ARGUMENT_CALL,
		"columns of operations in text: cpu, device, memory, flops, "
		"memory-each (of each device), all (default: cpu,device); "
		"without cpu, rows are sorted by what is shown", GROUP_MAIN,
		FOR_OPS, .call = read_columns, .words = STATS_OPS_WORDS},
	{"top-level", 0, NULL, ARGUMENT_FLAG,
		"show only operations without a calling operation", GROUP_MAIN,
		OF(ops_view.top_level), FOR_OPS},
	{"name-width", 0, "N", ARGUMENT_COUNT,
		"shorten names of operations in text to N characters if shapes "
		"are shown (default: 55)", GROUP_MAIN, OF(ops_view.name_width),
		FOR_OPS},
	{"details-width", 0, "N", ARGUMENT_COUNT,
		"shorten shapes and lines of stacks in text to N characters "
		"(default: 80)", GROUP_MAIN, OF(ops_view.details_width),
		FOR_OPS},
};
/* clang-format on */

const struct arguments grouping_arguments = {
	ARGUMENTS(options), .check = check};

/* SPDX-License-Identifier: MIT */
#include "stats/grouping.h"

#include <string.h>

#include "cli/arguments.h"

/* Keys of options without a short form. */
enum {
	KEY_COLUMNS = KEY_OWN,
	KEY_TOP_LEVEL,
	KEY_NAME_WIDTH,
	KEY_DETAILS_WIDTH,
};

#define KEY_SIZE 32
#define DEFAULT_NAME_WIDTH 55
#define DEFAULT_DETAILS_WIDTH 80

/* In the order of GROUPING_WORDS, after those of compilers. */
static const enum averages_group averages_groups[] = {AVERAGES_SITE,
	AVERAGES_SHAPE, AVERAGES_STACK, AVERAGES_CATEGORY, AVERAGES_MODULE};

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
	if (word > BUILD_GROUP_COUNT) {
		grouping->ops.group =
			averages_groups[word - BUILD_GROUP_COUNT - 1];
		return;
	}
	grouping->build = stats_build_groups(word);
	grouping->ops.group = AVERAGES_NAME;
	grouping->has_ops = word == BUILD_NAME;
}

static void read_group(struct grouping *grouping, const char *text,
	const struct argp_state *state)
{
	set_group(grouping, text, state);
	grouping->ops_view.group = grouping->ops.group;
}

/* Accepts underscores, as in other tools' keys. */
static void read_key(struct grouping *grouping, const char *text,
	const struct argp_state *state)
{
	char key[KEY_SIZE];
	const char *owner = strchr(text, ':');
	size_t size = owner == NULL ? strlen(text) : (size_t)(owner - text);

	if (size < sizeof(key)) {
		for (size_t i = 0; i < size; i++)
			key[i] = text[i] == '_' ? '-' : text[i];
		key[size] = '\0';
		text = key;
	}
	grouping->key =
		stats_key_of(arguments_word(state, "--sort", STATS_KEYS, text));
	grouping->key_owner = owner == NULL ? NULL : owner + 1;
	grouping->has_key = true;
	if (owner != NULL && grouping->key != STATS_MEMORY &&
		grouping->key != STATS_SELF_MEMORY)
		argp_error(state,
			"--sort: for a device, use memory:%s or self-memory:%s",
			owner + 1, owner + 1);
	if (owner != NULL && owner[1] == '\0')
		argp_error(state, "--sort: no device after '%s:'", text);
}

static void read_columns(struct grouping *grouping, const char *text,
	const struct argp_state *state)
{
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
			state, "--columns", STATS_OPS_COLUMNS, word);
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
static void check_key(
	const struct grouping *grouping, const struct argp_state *state)
{
	if (grouping->has_ops)
		return;
	if (grouping->key >= STATS_MEMORY)
		argp_error(state, "--sort: memory and flops need --group by "
				  "name, site, shape, stack, cat or module");
	if (grouping->has_group && grouping->key >= STATS_DEVICE)
		argp_error(state, "--sort: compilers use no device");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct grouping *grouping = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		grouping->ops_view.name_width = DEFAULT_NAME_WIDTH;
		grouping->ops_view.details_width = DEFAULT_DETAILS_WIDTH;
		return 0;
	case KEY_GROUP:
		read_group(grouping, arg, state);
		return 0;
	case 's':
		read_key(grouping, arg, state);
		return 0;
	case KEY_COLUMNS:
		read_columns(grouping, arg, state);
		break;
	case KEY_TOP_LEVEL:
		grouping->ops_view.top_level = true;
		break;
	case KEY_NAME_WIDTH:
		grouping->ops_view.name_width =
			arguments_count(state, "--name-width", arg);
		break;
	case KEY_DETAILS_WIDTH:
		grouping->ops_view.details_width =
			arguments_count(state, "--details-width", arg);
		break;
	case ARGP_KEY_END:
		if (grouping->has_ops_option && !grouping->has_ops)
			argp_error(state, "--columns, --top-level and the "
					  "widths need --group by name, site, "
					  "shape, stack, cat or module");
		check_key(grouping, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	grouping->has_ops_option = true;
	return 0;
}

/* clang-format off */
static const struct argp_option options[] = {
	{"sort", 's', "KEY", 0,
		"order: tottime (the default in text), cumtime (the default "
		"in JSON, CSV and for compilers), ncalls, pcalls, "
		"percall, name, device, self-device; for operations also cpu, "
		"self-cpu, count, device-percall, memory, self-memory, "
		"device-memory, self-device-memory, flops; for one device "
		"memory:cuda:1 and self-memory:cuda:1", GROUP_MAIN},
	{"group", KEY_GROUP, "GROUP", 0,
		"sum operations by name, site (name, file and line), shape "
		"(name and input shapes), stack (name and 5 functions around "
		"it; stack:N), cat (category) or module; or compiler work in "
		"traces of clang and nvcc by name, phase, unit, header, "
		"template, template-set, function, or all of these (the "
		"default for a directory)", GROUP_MAIN},
	{"columns", KEY_COLUMNS, "LIST", 0,
		"columns of operations in text: cpu, device, memory, flops, "
		"memory-each (of each device), all (default: "
		"cpu,device); without cpu, rows are sorted by what is "
		"shown", GROUP_MAIN},
	{"top-level", KEY_TOP_LEVEL, NULL, 0,
		"show only operations without a calling operation", GROUP_MAIN},
	{"name-width", KEY_NAME_WIDTH, "N", 0,
		"shorten names of operations in text to N characters if shapes "
		"are shown (default: 55)", GROUP_MAIN},
	{"details-width", KEY_DETAILS_WIDTH, "N", 0,
		"shorten shapes and lines of stacks in text to N characters "
		"(default: 80)", GROUP_MAIN},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

const struct argp grouping_argp = {.options = options, .parser = parse};

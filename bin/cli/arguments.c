/* SPDX-License-Identifier: MIT */
/*
 * argp's own help parser is off: it has -? but no -h, and it exits with status
 * 0 even if the disk is full. argp_help() is not used either: if glibc's buffer
 * of 200 bytes is full when it indents a line, the blanks are misplaced,
 * depending on the length of all previous text.
 */
#include "cli/arguments.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "base/utf8.h"

#define WIDTH 79
#define TEXT_COLUMN 29 /* column of the options' descriptions */

/* Size of the text up to the last space that fits, or to the end of a word that
 * is too long. */
static size_t line_size(const char *text, size_t size, size_t room)
{
	if (size <= room)
		return size;
	for (size_t at = room; at > 0; at--)
		if (text[at] == ' ')
			return at;
	while (room < size && text[room] != ' ')
		room++;
	return room;
}

/* Prints a paragraph whose lines begin at a column. */
static void put_paragraph(const char *text, size_t size, size_t column)
{
	for (;;) {
		size_t used = line_size(text, size, WIDTH - column);

		printf("%.*s\n", (int)used, text);
		if (used == size)
			return;
		text += used + 1;
		size -= used + 1;
		printf("%*s", (int)column, "");
	}
}

/* Each line is a paragraph; `end` is the end of the last. */
static void put_paragraphs(const char *text, const char *end)
{
	while (text < end) {
		size_t size = strcspn(text, "\n\v");

		put_paragraph(text, size, 0);
		text += size + 1;
	}
}

const char *argument_help(
	const struct argument *option, char text[ARGUMENT_HELP_MAX])
{
	char words[COLUMNS_WORDS_MAX];
	int size;

	if (option->table == NULL)
		return option->help;
	columns_sort_words(option->table, words);
	size = snprintf(text, ARGUMENT_HELP_MAX, "%s: ", option->help);
	for (const char *at = words;
		*at != '\0' && size < ARGUMENT_HELP_MAX - 3; at++)
		size += snprintf(text + size, 3, *at == '|' ? ", " : "%c", *at);
	return text;
}

static void put_option(const struct argument *option, void *user)
{
	char text[ARGUMENT_HELP_MAX];
	const char *help = argument_help(option, text);
	enum option_group *group = user;
	int column;

	if (option->group != *group)
		putchar('\n');
	*group = option->group;
	if (option->name == NULL) {
		printf(" %s\n", option->help);
		return;
	}
	if (option->letter != 0)
		column = printf("  -%c, --%s", option->letter, option->name);
	else
		column = printf("      --%s", option->name);
	if (option->value != NULL)
		column += printf(
			option->optional ? "[=%s]" : "=%s", option->value);
	if (column >= TEXT_COLUMN) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", TEXT_COLUMN - column, "");
	put_paragraph(help, strlen(help), TEXT_COLUMN);
}

static void print_usage(const struct command *command, const char *name)
{
	const char *words = command->usage == NULL ? "" : command->usage;
	const char *before = "Usage:";

	for (;;) {
		size_t size = strcspn(words, "\n");

		printf("%s %s [OPTION...]%s%.*s\n", before, name,
			size == 0 ? "" : " ", (int)size, words);
		if (words[size] == '\0')
			return;
		words += size + 1;
		before = "  or: ";
	}
}

static void print_help(const struct command *command, const char *name)
{
	const char *rest = strchrnul(command->help, '\v');
	enum option_group group = 0;

	print_usage(command, name);
	put_paragraphs(command->help, rest);
	arguments_visit(command, put_option, &group);
	if (*rest == '\0')
		return;
	putchar('\n');
	put_paragraphs(rest + 1, strchr(rest, '\0'));
}

static void finish(const struct argument_value *value)
{
	const struct command *command = *(const struct command **)value->member;
	const char *name = value->state->name;

	if (value->argument->letter == 'h')
		print_help(command, name);
	else if (value->argument->letter == 'V')
		command_print_version();
	else
		print_usage(command, name);
	exit(output_finish_stdout());
}

/* The structure is the command's address. clang-format off */
static const struct argument help_items[] = {
	{"help", 'h', NULL, ARGUMENT_CALL, "print this help", GROUP_OTHER,
		.call = finish},
	{"version", 'V', NULL, ARGUMENT_CALL, "print the version", GROUP_OTHER,
		.call = finish},
	/* argp's error messages mention it. */
	{"usage", 0, NULL, ARGUMENT_CALL, NULL, GROUP_OTHER, .call = finish},
};
/* clang-format on */

static const struct arguments help_arguments = {ARGUMENTS(help_items)};

/* Escapes arguments that argp and getopt print, since a terminal must not
 * interpret them. A line comes in pieces; only the last ends with '\n'. */
static ssize_t write_escaped(void *cookie, const char *bytes, size_t size)
{
	bool ends = size > 0 && bytes[size - 1] == '\n';
	size_t left = size - ends;
	char escape[UTF8_ESCAPE_TEXT];

	/* Does not allocate, since memory may be exhausted. */
	while (left > 0) {
		size_t used = utf8_safe_prefix(bytes, left);

		(void)fwrite(bytes, 1, used, cookie);
		if (used < left) {
			used += utf8_escape(escape, bytes + used, left - used);
			(void)fputs(escape, cookie);
		}
		bytes += used;
		left -= used;
	}
	if (ends)
		(void)putc('\n', (FILE *)cookie);
	return (ssize_t)size;
}

/* ---- values ---- */

#define OPTION_TEXT 64

void argument_error(const struct argument_value *value, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	argp_error(value->state, "--%s: %s", value->argument->name,
		text == NULL ? "" : text);
	free(text);
}

static const char *option_name(
	const struct argument_value *value, char text[OPTION_TEXT])
{
	(void)snprintf(text, OPTION_TEXT, "--%s", value->argument->name);
	return text;
}

uint32_t arguments_count(
	const struct argp_state *state, const char *option, const char *text)
{
	uint32_t count = 0;

	if (!quantity_read_count(text, &count))
		argp_error(state, "%s: invalid number '%s': must be 1 or more",
			option, text);
	return count;
}

static uint32_t argument_count(const struct argument_value *value)
{
	char option[OPTION_TEXT];

	return arguments_count(
		value->state, option_name(value, option), value->text);
}

const struct column *arguments_sort(const struct argp_state *state,
	const struct columns *columns, const char *text)
{
	const struct column *column = columns_find_sort(columns, text);
	char words[COLUMNS_WORDS_MAX];

	if (column == NULL)
		argp_error(state, "--sort: '%s' is not one of %s", text,
			columns_sort_words(columns, words));
	return column;
}

unsigned arguments_word(const struct argp_state *state, const char *option,
	const char *words, const char *text)
{
	size_t size = strlen(text);
	unsigned number = 0;

	for (const char *at = words;; at++, number++) {
		const char *end = strchrnul(at, '|');

		if ((size_t)(end - at) == size && memcmp(at, text, size) == 0)
			return number;
		if (*end == '\0')
			break;
		at = end;
	}
	argp_error(state, "%s: '%s' is not one of %s", option, text, words);
	return 0;
}

unsigned argument_word(const struct argument_value *value)
{
	const struct argument *argument = value->argument;
	char option[OPTION_TEXT];

	return arguments_word(value->state, option_name(value, option),
		argument->words != NULL ? argument->words : argument->value,
		value->text);
}

uint64_t argument_size(const struct argument_value *value)
{
	uint64_t bytes = 0;

	if (!quantity_read_size(value->text, &bytes))
		argument_error(
			value, "'%s' is not a size (64K, 8M, 1G)", value->text);
	return bytes;
}

void argument_part_size(const struct argument_value *value)
{
	uint64_t bytes = argument_size(value);

	if (bytes == 0)
		argument_error(value, "size must be greater than 0");
	*(uint64_t *)value->member = bytes;
}

void argument_min(const struct argument_value *value, uint32_t *share_ppm,
	uint64_t *time_ns)
{
	if (!quantity_read_share(value->text, share_ppm) &&
		!quantity_read_time(value->text, time_ns))
		argument_error(value,
			"'%s' is neither a share (0.5%%) nor a time (100us)",
			value->text);
}

/* ---- parsing ---- */

#define OPTIONS_MAX 96
#define TABLES_MAX 12
#define KEY_LONG 256 /* keys of options without a letter begin here */

/* All tables of a command in one, since argp would want a parser for each. */
struct parser {
	struct argp_option options[OPTIONS_MAX + 1];
	const struct argument *arguments[OPTIONS_MAX];
	void *structures[OPTIONS_MAX]; /* of each argument */
	size_t count;
	const struct arguments *tables[TABLES_MAX];
	void *table_structures[TABLES_MAX];
	size_t table_count;
};

static void add_table(
	struct parser *parser, const struct arguments *table, void *structure)
{
	assert(parser->table_count < TABLES_MAX);
	parser->table_structures[parser->table_count] = structure;
	parser->tables[parser->table_count++] = table;
	for (size_t i = 0; i < table->count; i++) {
		const struct argument *item = &table->items[i];
		size_t at = parser->count;

		if (item->type == ARGUMENT_CHILD)
			add_table(parser, item->child,
				(char *)structure + item->offset);
		if (item->name == NULL)
			continue;
		assert(at < OPTIONS_MAX);
		parser->arguments[at] = item;
		parser->structures[at] = structure;
		parser->options[at] = (struct argp_option){.name = item->name,
			.key = item->letter != 0 ? item->letter
						 : KEY_LONG + (int)at,
			.arg = item->value,
			.flags = item->optional ? OPTION_ARG_OPTIONAL : 0};
		parser->count++;
	}
}

static error_t store(const struct argument_value *value)
{
	void *member = value->member;

	switch (value->argument->type) {
	case ARGUMENT_FLAG:
		*(bool *)member = true;
		break;
	case ARGUMENT_OUTPUT:
		if (*value->text == '\0')
			argument_error(value, "the name is empty");
		*(const char **)member = value->text;
		break;
	case ARGUMENT_INPUT:
	case ARGUMENT_TEXT:
		*(const char **)member = value->text;
		return value->argument->type == ARGUMENT_TEXT ||
				       output_protect(value->text)
			       ? 0
			       : ENOMEM;
	case ARGUMENT_COUNT:
		*(uint32_t *)member = argument_count(value);
		break;
	case ARGUMENT_TIME:
		if (!quantity_read_time(value->text, member))
			argument_error(value, "'%s' is not a time (%s)",
				value->text, value->argument->detail);
		break;
	case ARGUMENT_WORD:
		*(unsigned *)member = argument_word(value);
		break;
	case ARGUMENT_SORT:
		*(const struct column **)member = arguments_sort(
			value->state, value->argument->table, value->text);
		break;
	default:
		value->argument->call(value);
	}
	return 0;
}

static error_t take_option(struct parser *parser, size_t at, char *text,
	const struct argp_state *state)
{
	const struct argument *argument = parser->arguments[at];
	char *structure = parser->structures[at];

	if (argument->given != 0)
		*(bool *)(structure + argument->given - 1) = true;
	return store(&(struct argument_value){.argument = argument,
		.text = text,
		.member = structure + argument->offset,
		.state = state});
}

static error_t add_argument(
	struct parser *parser, char *text, struct argp_state *state)
{
	error_t status = ARGP_ERR_UNKNOWN;
	bool any = false;

	for (size_t i = 0;
		i < parser->table_count && status == ARGP_ERR_UNKNOWN; i++) {
		const struct arguments *table = parser->tables[i];

		any = any || table->add != NULL;
		if (table->add != NULL)
			status = table->add(
				parser->table_structures[i], text, state);
	}
	if (!any)
		argp_error(state, "takes no file");
	return status;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct parser *parser = state->input;
	error_t status = 0;

	for (size_t i = 0; i < parser->count; i++)
		if (parser->options[i].key == key)
			return take_option(parser, i, text, state);
	if (key == ARGP_KEY_ARG)
		return add_argument(parser, text, state);
	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	for (size_t i = parser->table_count; i-- > 0 && status == 0;)
		if (parser->tables[i]->check != NULL)
			status = parser->tables[i]->check(
				parser->table_structures[i], state);
	return status;
}

void arguments_parse(
	const struct command *command, int argc, char **argv, void *structure)
{
	struct parser parser = {.count = 0};
	const struct argp argp = {.options = parser.options, .parser = parse};
	FILE *plain = stderr;
	FILE *escaped = fopencookie(
		plain, "w", (cookie_io_functions_t){.write = write_escaped});

	/* getopt takes no other stream. Source: the C library's manual,
	 * "Standard Streams". */
	if (escaped != NULL) {
		(void)setvbuf(escaped, NULL, _IONBF, 0);
		stderr = escaped;
	}
	add_table(&parser, &command->arguments, structure);
	add_table(&parser, &help_arguments, &command);
	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, command->flags | ARGP_NO_HELP, NULL,
		    &parser) != 0) {
		diag_no_memory(NULL); /* the only possible failure */
		exit(EXIT_LIMIT);
	}
	stderr = plain;
	if (escaped != NULL)
		(void)fclose(escaped);
}

/* Visits either only the headings of a group or everything else. */
static void visit_group(const struct arguments *table, enum option_group group,
	bool headings,
	void (*visit)(const struct argument *argument, void *user), void *user)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct argument *item = &table->items[i];

		if (item->type == ARGUMENT_CHILD)
			visit_group(item->child, group, headings, visit, user);
		else if (item->group == group && item->help != NULL &&
			 (item->name == NULL) == headings)
			visit(item, user);
	}
}

/* Headings first, since they may belong to another table than the options
 * below. */
void arguments_visit(const struct command *command,
	void (*visit)(const struct argument *argument, void *user), void *user)
{
	for (enum option_group group = GROUP_MAIN; group <= GROUP_OTHER;
		group++)
		for (int headings = 1; headings >= 0; headings--) {
			visit_group(&command->arguments, group, headings != 0,
				visit, user);
			visit_group(&help_arguments, group, headings != 0,
				visit, user);
		}
}

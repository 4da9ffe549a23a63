/* SPDX-License-Identifier: MIT */
#include "input/format_names.h"

#include <stdio.h>
#include <string.h>

#include "cli/suggestion.h"

static const struct {
	const char *alias;
	const char *name;
} aliases[] = {
	{"ctp", "log"},
	/* pstats is the most complete format that gprof2dot reads: exact times,
	 * call counts, files and lines. */
	{"gprof2dot", "pstats"},
};

#define ALIASES (sizeof(aliases) / sizeof(aliases[0]))

const struct format *format_names_find(const char *name)
{
	for (size_t i = 0; i < ALIASES; i++)
		if (strcmp(name, aliases[i].alias) == 0)
			return format_find(aliases[i].name);
	return format_find(name);
}

const char *format_names_nearest(const char *name)
{
	struct suggestion suggestion = {.word = name};

	for (const struct format *const *at = formats; *at != NULL; at++)
		suggestion_add(&suggestion, (*at)->name);
	for (size_t i = 0; i < ALIASES; i++)
		suggestion_add(&suggestion, aliases[i].alias);
	return suggestion.nearest;
}

void format_names_read(const struct argument_value *value)
{
	const char *name = value->text;
	const struct format *format = format_names_find(name);
	const char *nearest =
		format == NULL ? format_names_nearest(name) : NULL;

	if (nearest != NULL)
		argument_error(value, "unknown format '%s'; did you mean '%s'?",
			name, nearest);
	else if (format == NULL)
		argument_error(value,
			"unknown format '%s'; see 'ctprof formats'", name);
	*(const struct format **)value->member = format;
}

void format_names_read_to(const struct argument_value *value)
{
	const struct format **to = value->member;

	format_names_read(value);
	if (*to != NULL && !format_names_can_write(*to))
		argument_error(value, "format %s is read-only", (*to)->name);
}

bool format_names_can_write(const struct format *format)
{
	return format->new_timeline != NULL || format->write_profile != NULL;
}

bool format_names_split_converter(
	const char *name, const struct format **from, const struct format **to)
{
	char first[FORMAT_NAMES_BYTES];

	if (strlen(name) >= sizeof(first))
		return false;
	/* A format name may contain a 2: ctp2gprof2dot. */
	for (const char *at = strchr(name, '2'); at != NULL;
		at = strchr(at + 1, '2')) {
		const struct format *left;
		const struct format *right = format_names_find(at + 1);

		memcpy(first, name, (size_t)(at - name));
		first[at - name] = '\0';
		left = format_names_find(first);
		if (left == NULL || right == NULL || !format_can_read(left) ||
			!format_names_can_write(right))
			continue;
		*from = left;
		*to = right;
		return true;
	}
	return false;
}

static void visit_name(const char *to, void (*visit)(const char *name))
{
	char name[FORMAT_NAMES_BYTES];

	(void)snprintf(name, sizeof(name), "ctp2%s", to);
	visit(name);
}

void format_names_each_converter(void (*visit)(const char *name))
{
	for (const struct format *const *to = formats; *to != NULL; to++)
		if (*to != &log_format && format_names_can_write(*to))
			visit_name((*to)->name, visit);
	for (size_t i = 0; i < ALIASES; i++) {
		const struct format *to = format_find(aliases[i].name);

		if (to != &log_format && format_names_can_write(to))
			visit_name(aliases[i].alias, visit);
	}
}

/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *alias;
	const char *name;
} aliases[] = {
	{"ctp", "log"},
	/* Of what gprof2dot reads, pstats keeps the most: exact times, call
	 * counts, files and lines. */
	{"gprof2dot", "pstats"},
};

#define ALIASES (sizeof(aliases) / sizeof(aliases[0]))

const struct format *names_format(const char *name)
{
	for (size_t i = 0; i < ALIASES; i++)
		if (strcmp(name, aliases[i].alias) == 0)
			return format_find(aliases[i].name);
	return format_find(name);
}

bool names_can_read(const struct format *format)
{
	return format->open_events != NULL;
}

bool names_can_write(const struct format *format)
{
	return format->new_timeline != NULL || format->write_profile != NULL;
}

bool names_split(
	const char *name, const struct format **from, const struct format **to)
{
	char first[NAMES_BYTES];

	if (strlen(name) >= sizeof(first))
		return false;
	/* Names may have a 2 of their own: ctp2gprof2dot. */
	for (const char *at = strchr(name, '2'); at != NULL;
		at = strchr(at + 1, '2')) {
		const struct format *left;
		const struct format *right = names_format(at + 1);

		memcpy(first, name, (size_t)(at - name));
		first[at - name] = '\0';
		left = names_format(first);
		if (left == NULL || right == NULL || !names_can_read(left) ||
			!names_can_write(right))
			continue;
		*from = left;
		*to = right;
		return true;
	}
	return false;
}

/* The log is "ctp" in names of converters: what it is a log of. */
static const char *short_name(const struct format *format)
{
	for (size_t i = 0; i < ALIASES; i++)
		if (strcmp(format->name, aliases[i].name) == 0 &&
			names_can_read(format))
			return aliases[i].alias;
	return format->name;
}

static void visit_pair(
	const char *from, const char *to, void (*visit)(const char *name))
{
	char name[NAMES_BYTES];

	(void)snprintf(name, sizeof(name), "%s2%s", from, to);
	visit(name);
}

static void visit_all_from(
	const struct format *from, void (*visit)(const char *name))
{
	for (const struct format *const *to = formats; *to != NULL; to++)
		if (*to != from && names_can_write(*to))
			visit_pair(short_name(from), (*to)->name, visit);
	for (size_t i = 0; i < ALIASES; i++) {
		const struct format *to = format_find(aliases[i].name);

		if (to != NULL && to != from && names_can_write(to))
			visit_pair(short_name(from), aliases[i].alias, visit);
	}
}

void names_each_converter(void (*visit)(const char *name))
{
	for (const struct format *const *from = formats; *from != NULL; from++)
		if (names_can_read(*from))
			visit_all_from(*from, visit);
}

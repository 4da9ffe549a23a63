/* SPDX-License-Identifier: MIT */
#include "compilations/graph_break.h"

#include <string.h>

#include "json/json_value.h"

/* The position of `word` in a part, NULL if it is not there. */
static const char *find(struct graph_break_part part, const char *word)
{
	return part.size == 0
		       ? NULL
		       : memmem(part.text, part.size, word, strlen(word));
}

/* The part behind `word`; nothing if it is not there. */
static struct graph_break_part behind(
	struct graph_break_part part, const char *word)
{
	const char *at = find(part, word);

	if (at == NULL)
		return (struct graph_break_part){part.text, 0};
	at += strlen(word);
	return (struct graph_break_part){
		at, part.size - (size_t)(at - part.text)};
}

/* The part before `word`; all of it if that is not there. */
static struct graph_break_part before(
	struct graph_break_part part, const char *word)
{
	const char *at = find(part, word);

	if (at != NULL)
		part.size = (size_t)(at - part.text);
	while (part.size > 0 && (part.text[part.size - 1] == '\n' ||
					part.text[part.size - 1] == ' '))
		part.size--;
	return part;
}

/* Splits "FILE:LINE". */
static void read_place(
	struct graph_break_text *to, struct graph_break_part place)
{
	const char *colon =
		place.size == 0 ? NULL : memrchr(place.text, ':', place.size);
	int64_t line;

	to->file = place;
	if (colon == NULL ||
		!json_value_scaled(colon + 1,
			place.size - (size_t)(colon + 1 - place.text), 0,
			&line) ||
		line <= 0 || line > INT32_MAX)
		return;
	to->file.size = (size_t)(colon - place.text);
	to->line = (uint32_t)line;
}

/* The first line with the reason itself. Newer versions have a line before it
 * that ends with a colon: "Encountered graph break when attempting to trace:".
 */
static struct graph_break_part headline(struct graph_break_part details)
{
	struct graph_break_part line = before(details, "\n");

	if (line.size > 0 && line.text[line.size - 1] == ':') {
		struct graph_break_part rest = behind(details, ":\n");

		while (rest.size > 0 && *rest.text == '\n') {
			rest.text++;
			rest.size--;
		}
		if (rest.size > 0)
			return before(rest, "\n");
	}
	return line;
}

void graph_break_read(
	struct graph_break_text *to, const char *text, size_t size)
{
	const struct graph_break_part all = {text, size};

	*to = (struct graph_break_text){0};
	read_place(
		to, before(behind(all, "Graph break in user code at "), "\n"));
	to->stack = before(
		behind(all, "User code traceback:\n"), "\nTraceback (most");
	to->details = before(behind(all, "Reason: "), "\nUser code traceback:");
	if (to->details.size == 0)
		to->details = before(all, "\nUser code traceback:");
	to->reason = headline(to->details);
}

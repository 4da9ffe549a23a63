/* SPDX-License-Identifier: MIT */
#include "flamegraph/flame_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "names/function_name.h"

/* At most two bytes per column, and the next character. */
#define MOST_BYTES (2 * FLAME_PLACES + 4)

#define ELLIPSIS "\xe2\x80\xa6"

const char *flame_time(char text[FLAME_TIME_TEXT], uint64_t time_ns)
{
	static const struct {
		const char *name;
		uint64_t size_ns;
		uint64_t from_ns; /* shorter times use the unit below */
	} units[] = {{"s", 1000000000, 999995000}, {"ms", 1000000, 999995},
		{"\xc2\xb5s", 1000, 1000}};

	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t step = units[i].size_ns / 100;
		uint64_t hundredths = time_ns / step;

		if (time_ns < units[i].from_ns)
			continue;
		hundredths += time_ns % step >= step - step / 2;
		(void)snprintf(text, FLAME_TIME_TEXT,
			"%" PRIu64 ".%02" PRIu64 " %s", hundredths / 100,
			hundredths % 100, units[i].name);
		return text;
	}
	(void)snprintf(text, FLAME_TIME_TEXT, "%" PRIu64 " ns", time_ns);
	return text;
}

static bool is_inner(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

void flame_add_text(struct buffer *out, const char *text)
{
	size_t start = out->used;
	size_t size = strnlen(text, MOST_BYTES);
	size_t kept;
	bool cut;

	/* Do not split a character. */
	for (unsigned i = 0; i < 3 && size > 0 && is_inner(text[size]); i++)
		size--;
	utf8_add_printable(out, text, size);
	if (out->failed || out->used == start)
		return;
	kept = function_name_fit((char *)out->bytes + start, out->used - start,
		FLAME_PLACES, &cut);
	if (!cut && text[size] == '\0')
		return;
	out->used = start + kept;
	buffer_add_text(out, ELLIPSIS);
}

void flame_add_place(
	struct buffer *out, const struct profile_function *function)
{
	char line[32];

	if (strcmp(function->file, "~") != 0)
		flame_add_text(out, function->file);
	if (function->line == 0)
		return;
	(void)snprintf(line, sizeof(line), ":%" PRIu32, function->line);
	buffer_add_text(out, line);
}

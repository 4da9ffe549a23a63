/* SPDX-License-Identifier: MIT */
#include "flamegraph/flame_text.h"

#include <inttypes.h>
#include <string.h>

#include "names/function_name.h"
#include "base/utf8.h"

/* Places have two bytes each at most; and the next character. */
#define MOST_BYTES (2 * FLAME_PLACES + 4)

#define ELLIPSIS "\xe2\x80\xa6"

const char *flame_time(char text[FLAME_TIME_TEXT], uint64_t time_ns)
{
	static const struct {
		const char *name;
		uint64_t size_ns;
		uint64_t
			from_ns; /* less is rounded to less in the unit below */
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

	/* Not through the middle of a character. */
	for (unsigned i = 0; i < 3 && size > 0 && is_inner(text[size]); i++)
		size--;
	utf8_add_printable(out, text, size);
	if (out->failed || out->used == start)
		return;
	kept = flame_fit((char *)out->bytes + start, out->used - start,
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

/* Source: Unicode's blocks: from Hebrew on letters may be wider than Latin
 * ones in a fixed-width font, or are not in it. U+0590 is D6 90. */
static unsigned places_of(unsigned char first)
{
	return first < 0xd6 ? 1 : 2;
}

size_t flame_fit(const char *text, size_t size, unsigned places, bool *cut)
{
	size_t last = 0; /* the end of what has room before an ellipsis */
	unsigned used = 0;

	*cut = false;
	for (size_t i = 0; i < size;) {
		size_t next = i + 1;

		while (next < size &&
			((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		used += places_of((unsigned char)text[i]);
		if (used > places) {
			*cut = true;
			return last;
		}
		if (used < places)
			last = next;
		i = next;
	}
	return size;
}

/* Of a short name. */
static void add_inner(
	struct buffer *out, const char *name, const char *end, unsigned places)
{
	const char *front = "";
	const char *inner;
	size_t kept;
	bool cut;

	for (;;) {
		unsigned room = places - (*front != '\0');

		/* Of thousands of scopes most are not looked at twice. */
		kept = 0;
		cut = (size_t)(end - name) > 2 * (size_t)room + 4;
		if (!cut)
			kept = flame_fit(
				name, (size_t)(end - name), room, &cut);
		inner = cut ? function_name_inner(name, end) : NULL;
		if (inner == NULL)
			break;
		name = inner;
		front = ELLIPSIS;
	}
	if (cut) {
		kept = flame_fit(name, (size_t)(end - name), places, &cut);
		front = "";
	}
	buffer_add_text(out, front);
	buffer_add(out, name, kept);
	if (cut)
		buffer_add_text(out, ELLIPSIS);
}

void flame_add_name(struct buffer *out, const char *name, unsigned places)
{
	struct buffer brief = BUFFER_INIT;
	size_t size = strlen(name);
	bool cut;
	size_t kept = flame_fit(name, size, places, &cut);

	if (cut && places > 0 && function_name_has_scopes(name, size)) {
		function_name_add_short(&brief, name, size);
		if (brief.failed)
			out->failed = true;
		else
			add_inner(out, (const char *)brief.bytes,
				(const char *)brief.bytes + brief.used, places);
		buffer_clear(&brief);
		return;
	}
	buffer_add(out, name, kept);
	if (cut)
		buffer_add_text(out, ELLIPSIS);
}

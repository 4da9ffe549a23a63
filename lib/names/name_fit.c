/* SPDX-License-Identifier: MIT */
#include "names/name_fit.h"

#include <string.h>

#include "names/function_name.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* Source: Unicode's blocks: from Hebrew on letters may be wider than Latin
 * ones in a fixed-width font, or are not in it. U+0590 is D6 90. */
static unsigned columns_of(unsigned char first)
{
	return first < 0xd6 ? 1 : 2;
}

size_t name_fit(const char *text, size_t size, unsigned columns, bool *cut)
{
	size_t last = 0; /* end of the prefix with room for an ellipsis */
	unsigned used = 0;

	*cut = false;
	for (size_t i = 0; i < size;) {
		size_t next = i + 1;

		while (next < size &&
			((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		used += columns_of((unsigned char)text[i]);
		if (used > columns) {
			*cut = true;
			return last;
		}
		if (used < columns)
			last = next;
		i = next;
	}
	return size;
}

/* Appends a short name: it loses scopes first, then it is cut. */
static void add_inner(
	struct buffer *out, const char *name, const char *end, unsigned columns)
{
	const char *front = "";
	const char *inner;
	size_t kept;
	bool cut;

	for (;;) {
		unsigned room = columns - (*front != '\0');

		/* Of thousands of scopes most are not looked at twice. */
		kept = 0;
		cut = (size_t)(end - name) > 2 * (size_t)room + 4;
		if (!cut)
			kept = name_fit(name, (size_t)(end - name), room, &cut);
		inner = cut ? function_name_inner(name, end) : NULL;
		if (inner == NULL)
			break;
		name = inner;
		front = ELLIPSIS;
	}
	if (cut) {
		kept = name_fit(name, (size_t)(end - name), columns, &cut);
		front = "";
	}
	buffer_add_text(out, front);
	buffer_add(out, name, kept);
	if (cut)
		buffer_add_text(out, ELLIPSIS);
}

void name_fit_add(struct buffer *out, const char *name, unsigned columns)
{
	struct buffer brief = BUFFER_INIT;
	size_t size = strlen(name);
	bool cut;
	size_t kept = name_fit(name, size, columns, &cut);

	if (cut && columns > 0 && function_name_has_scopes(name, size)) {
		function_name_add_short(&brief, name, size);
		if (brief.failed)
			out->failed = true;
		else
			add_inner(out, (const char *)brief.bytes,
				(const char *)brief.bytes + brief.used,
				columns);
		buffer_clear(&brief);
		return;
	}
	buffer_add(out, name, kept);
	if (cut)
		buffer_add_text(out, ELLIPSIS);
}

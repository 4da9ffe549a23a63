/* SPDX-License-Identifier: MIT */
/* The table of formats, made from FORMATS, and the three lookups in it. */
#include "format.h"

#include <string.h>

#define FORMAT_ADDRESS(name) &name##_format,

const struct format *const formats[] = {FORMATS(FORMAT_ADDRESS) NULL};

const struct format *format_find(const char *name)
{
	for (const struct format *const *at = formats; *at != NULL; at++)
		if (strcmp((*at)->name, name) == 0)
			return *at;
	return NULL;
}

static bool ends_with(const char *path, const char *suffix)
{
	size_t path_size = strlen(path);
	size_t suffix_size = strlen(suffix);

	return path_size >= suffix_size &&
	       strcmp(path + path_size - suffix_size, suffix) == 0;
}

const struct format *format_of_path(const char *path)
{
	const struct format *best = NULL;

	for (const struct format *const *at = formats; *at != NULL; at++) {
		if ((*at)->suffix == NULL || !ends_with(path, (*at)->suffix))
			continue;
		if (best == NULL ||
			strlen((*at)->suffix) > strlen(best->suffix))
			best = *at;
	}
	return best;
}

const struct format *format_probe(const void *bytes, size_t size)
{
	const struct format *best = NULL;
	unsigned best_bits = 0;

	for (const struct format *const *at = formats; *at != NULL; at++) {
		unsigned bits = 0;

		if ((*at)->probe != NULL && (*at)->open_events != NULL)
			bits = (*at)->probe(bytes, size);
		if (bits > best_bits) {
			best = *at;
			best_bits = bits;
		}
	}
	return best;
}

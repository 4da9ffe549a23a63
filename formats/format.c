/* SPDX-License-Identifier: MIT */
/* The table of formats, made from FORMATS, and the lookups in it. */
#include "format.h"

#include <string.h>

#include "profiles/profile_source.h"

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

		if ((*at)->probe != NULL && format_can_read(*at))
			bits = (*at)->probe(bytes, size);
		if (bits > best_bits) {
			best = *at;
			best_bits = bits;
		}
	}
	return best;
}

bool format_can_read(const struct format *format)
{
	return format->open_events != NULL || format->read_profile != NULL;
}

enum ctp_status format_open(const struct format *format, FILE *in,
	const void *head, size_t head_size, const struct read_request *request,
	struct event_source **out, struct ctp_error *err)
{
	if (format->open_events != NULL)
		return format->open_events(
			in, head, head_size, request, out, err);
	return profile_source_open(
		(struct profile_source_input){in, head, head_size, request},
		format->read_profile, out, err);
}

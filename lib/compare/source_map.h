/* SPDX-License-Identifier: MIT */
/*
 * Maps the directories of the base side's source files to those of the new
 * side, for a program that was unpacked and built in another directory. Files
 * match by the ends of their paths.
 */
#ifndef SOURCE_MAP_H
#define SOURCE_MAP_H

#include "compare/diff.h"
#include "base/error.h"
#include "profile/profile.h"

/* A directory of the base side, and the one of the new side that replaces
 * it. */
struct source_map_root {
	const char *base;
	const char *changed;
	uint32_t file_count;
};

struct source_map {
	struct strtab *text;
	struct source_map_root *roots;
	uint32_t count;
	uint32_t room;
};

/*
 * Changes the files of base functions to those of the new side if the new side
 * lacks them. The first `base_count` profiles are the base. A directory is
 * mapped if at least two files, or most of the missing ones, have the same
 * relative path in the new directory.
 *
 * Errors: CTP_ERR_NOMEM. Call source_map_clear() in any case.
 * Ownership: the names are borrowed from the new side's profiles.
 */
enum ctp_status source_map_join(struct source_map *map,
	struct profile *const *profiles, size_t count, size_t base_count,
	struct ctp_error *err);
void source_map_clear(struct source_map *map);

#endif

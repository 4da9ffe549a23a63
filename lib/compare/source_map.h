/* SPDX-License-Identifier: MIT */
/*
 * Maps the directories of the base side's source files to those of the new
 * side, for a program that was unpacked and built in another directory. Files
 * match by the ends of their paths.
 */
#ifndef SOURCE_MAP_H
#define SOURCE_MAP_H

#include <stdbool.h>
#include <stdint.h>

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

struct source_map_matcher;

struct source_map {
	struct strtab *text;
	struct source_map_root *roots;
	uint32_t count;
	uint32_t room;
	struct source_map_matcher *matcher; /* private */
};

/* An empty map; false if out of memory. Call source_map_clear() in any case. */
bool source_map_init(struct source_map *map);
void source_map_clear(struct source_map *map);

/* Adds the files of a run; those of the base come first. Memory: files.
 * Errors: CTP_ERR_NOMEM. */
enum ctp_status source_map_add(struct source_map *map,
	const struct profile *profile, enum diff_side side,
	struct ctp_error *err);

/*
 * Finds the directories, after the last run. A directory is mapped if at least
 * two files, or most of the missing ones, have the same relative path in the new
 * directory.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status source_map_finish(
	struct source_map *map, struct ctp_error *err);

/* The new side's file in place of a base file, which is as it is or normalized;
 * NULL if it stays. Borrowed from the map. Errors: CTP_ERR_NOMEM. */
enum ctp_status source_map_find(const struct source_map *map, const char *file,
	const char **found, struct ctp_error *err);

/* Changes the files of a base profile's functions. Errors: CTP_ERR_NOMEM. */
enum ctp_status source_map_rename(const struct source_map *map,
	struct profile *profile, struct ctp_error *err);

#endif

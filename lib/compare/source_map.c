/* SPDX-License-Identifier: MIT */
/*
 * Files are compared after symbol_normalize.h. Files of only one side are paired by
 * the longest path suffix that is unambiguous. The prefixes before it are a
 * pair of directories; a pair with enough files is accepted. Files without a
 * partner in an accepted pair, such as one of several "main.c", are then
 * searched for in these directories.
 */
#include "compare/source_map.h"

#include <string.h>

#include "base/memory.h"
#include "names/symbol_normalize.h"
#include "base/strtab.h"

#define COMPONENTS_MAX 32 /* longest suffix compared */
#define SURE_FILES 2      /* this many do not agree by chance */
#define FOLLOWED_MAX 64u  /* directories searched for the other files */

/* By the strtab number of its normalized path. */
struct file {
	const char *as_is[DIFF_SIDES]; /* in the first run; from map->text */
	uint32_t partner;              /* file of the other side; 0: none */
	uint32_t root;                 /* directory pair of a base file */
};

/* A path suffix, and the files of each side that have it. */
struct path_suffix {
	uint32_t count[DIFF_SIDES];
	uint32_t file[DIFF_SIDES];
};

/* A pair of directories, by the strtab number of both as one text. */
struct directory_pair {
	uint32_t file_count;
	bool elected;
};

struct source_map_matcher {
	struct strtab *paths;
	struct file *files;
	uint32_t room;
	struct strtab *pairs;
	struct directory_pair *directory_pairs;
	uint32_t directory_pair_room;
	struct buffer text;
	uint8_t *seen; /* by text of the map: bits of the sides with the file */
	uint32_t seen_room;
};

/* Returns the file's number, added if new; STRTAB_NONE if out of memory. */
static uint32_t find_file(struct source_map_matcher *matcher, const char *path)
{
	uint32_t number;

	matcher->text.used = 0;
	symbol_normalize_file(&matcher->text, path, strlen(path));
	if (matcher->text.failed)
		return STRTAB_NONE;
	number = strtab_add(matcher->paths, (const char *)matcher->text.bytes,
		matcher->text.used);
	return number != STRTAB_NONE &&
			       array_ensure_index(&matcher->files, number,
				       &matcher->room, sizeof(*matcher->files))
		       ? number
		       : STRTAB_NONE;
}

static bool has_file(const struct profile_function *function)
{
	return function->device.kind == PROFILE_HOST &&
	       function->file[0] != '\0';
}

/* Adds a file; false if out of memory. */
static bool add_file(
	struct source_map *map, const char *path, enum diff_side side)
{
	struct source_map_matcher *matcher = map->matcher;
	uint32_t text = strtab_add(map->text, path, strlen(path));
	uint32_t number;

	if (text == STRTAB_NONE ||
		!array_ensure_index(&matcher->seen, text, &matcher->seen_room,
			sizeof(*matcher->seen)))
		return false;
	if ((matcher->seen[text] & 1u << side) != 0)
		return true;
	number = find_file(matcher, path);
	if (number == STRTAB_NONE)
		return false;
	if (matcher->files[number].as_is[side] == NULL)
		matcher->files[number].as_is[side] =
			strtab_text(map->text, text, NULL);
	matcher->seen[text] |= (uint8_t)(1u << side);
	return true;
}

/* Whether the file is only on this side and has no partner. */
static bool is_free(const struct file *file, enum diff_side side)
{
	return file->as_is[side] != NULL && file->as_is[!side] == NULL &&
	       file->partner == 0;
}

/* Start of the last `count` components; NULL if there are fewer. */
static const char *suffix_of(const char *path, size_t size, uint32_t count)
{
	const char *at = path + size;

	while (count > 0) {
		const char *slash = memrchr(path, '/', (size_t)(at - path));

		if (slash == NULL)
			return count == 1 ? path : NULL;
		at = slash;
		count--;
	}
	return at + 1;
}

/* Adds the file's suffix of `count` components, if it has that many. */
static bool add_suffix(const struct source_map_matcher *matcher,
	uint32_t number, uint32_t count, struct strtab *texts,
	struct path_suffix *suffixes)
{
	enum diff_side side = matcher->files[number].as_is[DIFF_BASE] == NULL;
	size_t size;
	const char *path = strtab_text(matcher->paths, number, &size);
	const char *from = suffix_of(path, size, count);
	struct path_suffix *suffix;
	uint32_t place;

	if (from == NULL)
		return true;
	place = strtab_add(texts, from, size - (size_t)(from - path));
	if (place == STRTAB_NONE)
		return false;
	suffix = &suffixes[place];
	suffix->count[side]++;
	suffix->file[side] = number;
	return true;
}

/* Appends the directory before the last `count` components. */
static void add_directory(const struct source_map_matcher *matcher,
	uint32_t number, uint32_t count, struct buffer *out)
{
	size_t size;
	const char *path = strtab_text(matcher->paths, number, &size);
	const char *from = suffix_of(path, size, count);

	if (from == path)
		buffer_add_text(out, ".");
	else if (from - path == 1)
		buffer_add_text(out, "/");
	else
		buffer_add(out, path, (size_t)(from - path) - 1);
}

/* Makes the two files partners and directory_pairs for their directories. */
static bool pair(struct source_map_matcher *matcher,
	const struct path_suffix *suffix, uint32_t count)
{
	uint32_t base = suffix->file[DIFF_BASE];
	uint32_t changed = suffix->file[DIFF_NEW];
	uint32_t number;

	matcher->text.used = 0;
	add_directory(matcher, base, count, &matcher->text);
	buffer_add_byte(&matcher->text, '\0');
	add_directory(matcher, changed, count, &matcher->text);
	if (matcher->text.failed)
		return false;
	number = strtab_add(matcher->pairs, (const char *)matcher->text.bytes,
		matcher->text.used);
	if (number == STRTAB_NONE ||
		!array_ensure_index(&matcher->directory_pairs, number,
			&matcher->directory_pair_room,
			sizeof(*matcher->directory_pairs)))
		return false;
	matcher->directory_pairs[number].file_count++;
	matcher->files[base].root = number;
	matcher->files[base].partner = changed;
	matcher->files[changed].partner = base;
	return true;
}

/* Pairs files whose suffix of `count` components is unique on both sides. */
static bool pair_suffixes(struct source_map_matcher *matcher, uint32_t count)
{
	uint32_t file_count = strtab_count(matcher->paths);
	struct strtab *texts = strtab_new();
	struct path_suffix *suffixes =
		memory_new_zeroed((size_t)file_count + 1, sizeof(*suffixes));
	bool ok = texts != NULL && suffixes != NULL;

	for (uint32_t i = 0; ok && i < file_count; i++)
		if (is_free(&matcher->files[i], DIFF_BASE) ||
			is_free(&matcher->files[i], DIFF_NEW))
			ok = add_suffix(matcher, i, count, texts, suffixes);
	for (uint32_t i = 0; ok && i < strtab_count(texts); i++)
		if (suffixes[i].count[DIFF_BASE] == 1 &&
			suffixes[i].count[DIFF_NEW] == 1)
			ok = pair(matcher, &suffixes[i], count);
	strtab_free(texts);
	memory_free(suffixes);
	return ok;
}

static uint32_t count_free(
	const struct source_map_matcher *matcher, enum diff_side side)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < strtab_count(matcher->paths); i++)
		count += is_free(&matcher->files[i], side);
	return count;
}

static bool add_root(struct source_map *map,
	const struct source_map_matcher *matcher, uint32_t number)
{
	const char *base = strtab_text(matcher->pairs, number, NULL);
	const char *changed = base + strlen(base) + 1;
	uint32_t from = strtab_add(map->text, base, strlen(base));
	uint32_t to = strtab_add(map->text, changed, strlen(changed));

	if (from == STRTAB_NONE || to == STRTAB_NONE ||
		!array_reserve32(&map->roots, map->count, &map->room,
			sizeof(*map->roots)))
		return false;
	map->roots[map->count++] = (struct source_map_root){
		.base = strtab_text(map->text, from, NULL),
		.changed = strtab_text(map->text, to, NULL),
		.file_count = matcher->directory_pairs[number].file_count,
	};
	return true;
}

/* Selects the pairs of directories; `gone` is the number of base files missing
 * in the new side. */
static bool elect(struct source_map *map, struct source_map_matcher *matcher,
	uint32_t gone)
{
	for (uint32_t i = 1; i < strtab_count(matcher->pairs); i++) {
		struct directory_pair *directories =
			&matcher->directory_pairs[i];

		directories->elected = directories->file_count >= SURE_FILES ||
				       directories->file_count > gone / 2;
		if (directories->elected && !add_root(map, matcher, i))
			return false;
	}
	return true;
}

/* Removes the partners of files whose directories were not selected. */
static void unpair(struct source_map_matcher *matcher)
{
	for (uint32_t i = 0; i < strtab_count(matcher->paths); i++) {
		struct file *file = &matcher->files[i];

		if (file->as_is[DIFF_BASE] == NULL || file->partner == 0 ||
			matcher->directory_pairs[file->root].elected)
			continue;
		matcher->files[file->partner].partner = 0;
		file->partner = 0;
	}
}

/* The path relative to the directory; NULL if it is outside. */
static const char *behind(const char *path, const char *directory)
{
	size_t size = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

	if (strcmp(directory, ".") == 0)
		return *path == '/' ? NULL : path;
	return strncmp(path, directory, size) == 0 && path[size] == '/'
		       ? path + size + 1
		       : NULL;
}

/* The innermost mapped directory of the path, and the path relative to it; NULL
 * if there is none. */
static struct source_map_root *root_of(
	struct source_map *map, const char *path, const char **rest)
{
	struct source_map_root *found = NULL;

	for (uint32_t i = 0; i < map->count && i < FOLLOWED_MAX; i++) {
		const char *from = behind(path, map->roots[i].base);

		if (from == NULL || (found != NULL && from <= *rest))
			continue;
		found = &map->roots[i];
		*rest = from;
	}
	return found;
}

/* Searches for a missing base file in its mapped directory, among the first
 * `file_count` files. False if out of memory. */
static bool follow_rename(struct source_map *map,
	struct source_map_matcher *matcher, uint32_t number,
	uint32_t file_count)
{
	const char *rest = NULL;
	struct source_map_root *root =
		root_of(map, strtab_text(matcher->paths, number, NULL), &rest);
	struct buffer *text = &matcher->text;
	uint32_t found;

	if (root == NULL)
		return true;
	text->used = 0;
	if (strcmp(root->changed, ".") != 0) {
		buffer_add_text(text, root->changed);
		if (strcmp(root->changed, "/") != 0)
			buffer_add_byte(text, '/');
	}
	buffer_add_text(text, rest);
	if (text->failed)
		return false;
	found = strtab_add(
		matcher->paths, (const char *)text->bytes, text->used);
	if (found < file_count && is_free(&matcher->files[found], DIFF_NEW)) {
		matcher->files[number].partner = found;
		matcher->files[found].partner = number;
		root->file_count++;
	}
	return found != STRTAB_NONE;
}

static bool follow_renames(
	struct source_map *map, struct source_map_matcher *matcher)
{
	uint32_t file_count = strtab_count(matcher->paths);

	for (uint32_t i = 0; i < file_count; i++)
		if (is_free(&matcher->files[i], DIFF_BASE) &&
			!follow_rename(map, matcher, i, file_count))
			return false;
	return true;
}

/* ---- the map ---- */

bool source_map_init(struct source_map *map)
{
	struct source_map_matcher *matcher;

	*map = (struct source_map){.text = strtab_new(),
		.matcher = memory_new_zeroed(1, sizeof(*matcher))};
	matcher = map->matcher;
	if (map->text == NULL || matcher == NULL)
		return false;
	matcher->paths = strtab_new();
	matcher->pairs = strtab_new();
	return matcher->paths != NULL && matcher->pairs != NULL &&
	       array_ensure_index(&matcher->files, 0, &matcher->room,
		       sizeof(*matcher->files));
}

void source_map_clear(struct source_map *map)
{
	struct source_map_matcher *matcher = map->matcher;

	if (matcher != NULL) {
		strtab_free(matcher->paths);
		strtab_free(matcher->pairs);
		memory_free(matcher->files);
		memory_free(matcher->directory_pairs);
		memory_free(matcher->seen);
		buffer_clear(&matcher->text);
		memory_free(matcher);
	}
	strtab_free(map->text);
	memory_free(map->roots);
	*map = (struct source_map){0};
}

enum ctp_status source_map_add(struct source_map *map,
	const struct profile *profile, enum diff_side side,
	struct ctp_error *err)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (has_file(function) && !add_file(map, function->file, side))
			return ctp_no_memory(err);
	}
	return CTP_OK;
}

enum ctp_status source_map_finish(struct source_map *map, struct ctp_error *err)
{
	struct source_map_matcher *matcher = map->matcher;
	uint32_t gone = count_free(matcher, DIFF_BASE);
	bool ok = true;

	if (gone == 0 || count_free(matcher, DIFF_NEW) == 0)
		return CTP_OK;
	for (uint32_t i = COMPONENTS_MAX; ok && i > 0; i--)
		ok = pair_suffixes(matcher, i);
	ok = ok && elect(map, matcher, gone);
	if (ok && map->count != 0) {
		unpair(matcher);
		ok = follow_renames(map, matcher);
	}
	return ok ? CTP_OK : ctp_no_memory(err);
}

enum ctp_status source_map_find(const struct source_map *map, const char *file,
	const char **found, struct ctp_error *err)
{
	struct source_map_matcher *matcher = map->matcher;
	uint32_t number;
	uint32_t partner;

	*found = NULL;
	if (map->count == 0)
		return CTP_OK;
	number = find_file(matcher, file);
	if (number == STRTAB_NONE)
		return ctp_no_memory(err);
	partner = matcher->files[number].partner;
	if (partner != 0)
		*found = matcher->files[partner].as_is[DIFF_NEW];
	return CTP_OK;
}

enum ctp_status source_map_rename(const struct source_map *map,
	struct profile *profile, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; status == CTP_OK && i < profile->function_count;
		i++) {
		struct profile_function *function = &profile->functions[i];
		const char *found = NULL;

		if (has_file(function))
			status = source_map_find(
				map, function->file, &found, err);
		if (found != NULL)
			function->file = found;
	}
	return status;
}

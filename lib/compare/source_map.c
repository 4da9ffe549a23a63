/* SPDX-License-Identifier: MIT */
/*
 * Files are compared after normalize.h. Files of only one side are paired by
 * the longest path suffix that is unambiguous. The prefixes before it are a
 * pair of directories; a pair with enough files is accepted. Files without a
 * partner in an accepted pair, such as one of several "main.c", are then
 * searched for in these directories.
 */
#include "compare/source_map.h"

#include <string.h>

#include "base/memory.h"
#include "names/normalize.h"
#include "base/strtab.h"

#define COMPONENTS_MAX 32 /* longest suffix compared */
#define SURE_FILES 2      /* this many do not agree by chance */
#define FOLLOWED_MAX 64u  /* directories searched for the other files */

/* By the strtab number of its normalized path. */
struct file {
	const char *as_is[DIFF_SIDES]; /* from the first run that has it */
	uint32_t partner;              /* file of the other side; 0: none */
	uint32_t root;                 /* directory pair of a base file */
};

/* A path suffix, and the files of each side that have it. */
struct ending {
	uint32_t count[DIFF_SIDES];
	uint32_t file[DIFF_SIDES];
};

/* A pair of directories, by the strtab number of both as one text. */
struct vote {
	uint32_t file_count;
	bool elected;
};

struct move {
	struct strtab *paths;
	struct file *files;
	uint32_t room;
	struct strtab *pairs;
	struct vote *votes;
	uint32_t vote_room;
	struct buffer text;
};

/* Returns the file's number, added if new; STRTAB_NONE if out of memory. */
static uint32_t find_file(struct move *move, const char *path)
{
	uint32_t number;

	move->text.used = 0;
	normalize_file(&move->text, path, strlen(path));
	if (move->text.failed)
		return STRTAB_NONE;
	number = strtab_add(
		move->paths, (const char *)move->text.bytes, move->text.used);
	return number != STRTAB_NONE &&
			       array_ensure_index(&move->files, number,
				       &move->room, sizeof(*move->files))
		       ? number
		       : STRTAB_NONE;
}

static bool has_file(const struct profile_function *function)
{
	return function->device.kind == PROFILE_HOST &&
	       function->file[0] != '\0';
}

static bool collect(
	struct move *move, const struct profile *profile, enum diff_side side)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		uint32_t number;

		if (!has_file(function))
			continue;
		number = find_file(move, function->file);
		if (number == STRTAB_NONE)
			return false;
		if (move->files[number].as_is[side] == NULL)
			move->files[number].as_is[side] = function->file;
	}
	return true;
}

/* Whether the file is only on this side and has no partner. */
static bool is_free(const struct file *file, enum diff_side side)
{
	return file->as_is[side] != NULL && file->as_is[!side] == NULL &&
	       file->partner == 0;
}

/* Start of the last `count` components; NULL if there are fewer. */
static const char *ending_of(const char *path, size_t size, uint32_t count)
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
static bool add_ending(const struct move *move, uint32_t number, uint32_t count,
	struct strtab *texts, struct ending *endings)
{
	enum diff_side side = move->files[number].as_is[DIFF_BASE] == NULL;
	size_t size;
	const char *path = strtab_text(move->paths, number, &size);
	const char *from = ending_of(path, size, count);
	struct ending *ending;
	uint32_t place;

	if (from == NULL)
		return true;
	place = strtab_add(texts, from, size - (size_t)(from - path));
	if (place == STRTAB_NONE)
		return false;
	ending = &endings[place];
	ending->count[side]++;
	ending->file[side] = number;
	return true;
}

/* Appends the directory before the last `count` components. */
static void add_directory(const struct move *move, uint32_t number,
	uint32_t count, struct buffer *out)
{
	size_t size;
	const char *path = strtab_text(move->paths, number, &size);
	const char *from = ending_of(path, size, count);

	if (from == path)
		buffer_add_text(out, ".");
	else if (from - path == 1)
		buffer_add_text(out, "/");
	else
		buffer_add(out, path, (size_t)(from - path) - 1);
}

/* Makes the two files partners and votes for their directories. */
static bool pair(struct move *move, const struct ending *ending, uint32_t count)
{
	uint32_t base = ending->file[DIFF_BASE];
	uint32_t changed = ending->file[DIFF_NEW];
	uint32_t number;

	move->text.used = 0;
	add_directory(move, base, count, &move->text);
	buffer_add_byte(&move->text, '\0');
	add_directory(move, changed, count, &move->text);
	if (move->text.failed)
		return false;
	number = strtab_add(
		move->pairs, (const char *)move->text.bytes, move->text.used);
	if (number == STRTAB_NONE ||
		!array_ensure_index(&move->votes, number, &move->vote_room,
			sizeof(*move->votes)))
		return false;
	move->votes[number].file_count++;
	move->files[base].root = number;
	move->files[base].partner = changed;
	move->files[changed].partner = base;
	return true;
}

/* Pairs files whose suffix of `count` components is unique on both sides. */
static bool pair_endings(struct move *move, uint32_t count)
{
	uint32_t file_count = strtab_count(move->paths);
	struct strtab *texts = strtab_new();
	struct ending *endings =
		memory_new_zeroed((size_t)file_count + 1, sizeof(*endings));
	bool ok = texts != NULL && endings != NULL;

	for (uint32_t i = 0; ok && i < file_count; i++)
		if (is_free(&move->files[i], DIFF_BASE) ||
			is_free(&move->files[i], DIFF_NEW))
			ok = add_ending(move, i, count, texts, endings);
	for (uint32_t i = 0; ok && i < strtab_count(texts); i++)
		if (endings[i].count[DIFF_BASE] == 1 &&
			endings[i].count[DIFF_NEW] == 1)
			ok = pair(move, &endings[i], count);
	strtab_free(texts);
	memory_free(endings);
	return ok;
}

static uint32_t count_free(const struct move *move, enum diff_side side)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < strtab_count(move->paths); i++)
		count += is_free(&move->files[i], side);
	return count;
}

static bool add_root(
	struct source_map *map, const struct move *move, uint32_t number)
{
	const char *base = strtab_text(move->pairs, number, NULL);
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
		.file_count = move->votes[number].file_count,
	};
	return true;
}

/* Selects the pairs of directories; `gone` is the number of base files missing
 * in the new side. */
static bool elect(struct source_map *map, struct move *move, uint32_t gone)
{
	for (uint32_t i = 1; i < strtab_count(move->pairs); i++) {
		struct vote *vote = &move->votes[i];

		vote->elected = vote->file_count >= SURE_FILES ||
				vote->file_count > gone / 2;
		if (vote->elected && !add_root(map, move, i))
			return false;
	}
	return true;
}

/* Removes the partners of files whose directories were not selected. */
static void unpair(struct move *move)
{
	for (uint32_t i = 0; i < strtab_count(move->paths); i++) {
		struct file *file = &move->files[i];

		if (file->as_is[DIFF_BASE] == NULL || file->partner == 0 ||
			move->votes[file->root].elected)
			continue;
		move->files[file->partner].partner = 0;
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
static bool follow_rename(struct source_map *map, struct move *move,
	uint32_t number, uint32_t file_count)
{
	const char *rest = NULL;
	struct source_map_root *root =
		root_of(map, strtab_text(move->paths, number, NULL), &rest);
	struct buffer *text = &move->text;
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
	found = strtab_add(move->paths, (const char *)text->bytes, text->used);
	if (found < file_count && is_free(&move->files[found], DIFF_NEW)) {
		move->files[number].partner = found;
		move->files[found].partner = number;
		root->file_count++;
	}
	return found != STRTAB_NONE;
}

static bool follow_renames(struct source_map *map, struct move *move)
{
	uint32_t file_count = strtab_count(move->paths);

	for (uint32_t i = 0; i < file_count; i++)
		if (is_free(&move->files[i], DIFF_BASE) &&
			!follow_rename(map, move, i, file_count))
			return false;
	return true;
}

static bool rename_files(struct move *move, struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct profile_function *function = &profile->functions[i];
		const struct file *file;
		uint32_t number;

		if (!has_file(function))
			continue;
		number = find_file(move, function->file);
		if (number == STRTAB_NONE)
			return false;
		file = &move->files[number];
		if (file->partner != 0)
			function->file =
				move->files[file->partner].as_is[DIFF_NEW];
	}
	return true;
}

static bool join(struct source_map *map, struct move *move,
	struct profile *const *profiles, size_t count, size_t base_count)
{
	bool ok = array_ensure_index(
		&move->files, 0, &move->room, sizeof(*move->files));
	uint32_t gone;

	for (size_t i = 0; ok && i < count; i++)
		ok = collect(move, profiles[i],
			i < base_count ? DIFF_BASE : DIFF_NEW);
	if (!ok)
		return false;
	gone = count_free(move, DIFF_BASE);
	if (gone == 0 || count_free(move, DIFF_NEW) == 0)
		return true;
	for (uint32_t i = COMPONENTS_MAX; ok && i > 0; i--)
		ok = pair_endings(move, i);
	ok = ok && elect(map, move, gone);
	if (ok && map->count != 0) {
		unpair(move);
		ok = follow_renames(map, move);
	}
	for (size_t i = 0; ok && map->count != 0 && i < base_count; i++)
		ok = rename_files(move, profiles[i]);
	return ok;
}

enum ctp_status source_map_join(struct source_map *map,
	struct profile *const *profiles, size_t count, size_t base_count,
	struct ctp_error *err)
{
	struct move move = {.paths = strtab_new(), .pairs = strtab_new()};
	bool ok;

	*map = (struct source_map){.text = strtab_new()};
	ok = move.paths != NULL && move.pairs != NULL && map->text != NULL &&
	     join(map, &move, profiles, count, base_count);
	strtab_free(move.paths);
	strtab_free(move.pairs);
	memory_free(move.files);
	memory_free(move.votes);
	buffer_clear(&move.text);
	return ok ? CTP_OK : ctp_no_memory(err);
}

void source_map_clear(struct source_map *map)
{
	strtab_free(map->text);
	memory_free(map->roots);
	*map = (struct source_map){0};
}

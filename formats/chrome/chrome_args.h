/* SPDX-License-Identifier: MIT */
/*
 * Arguments of one event of a Chrome trace, in the order in which they were
 * last set. Each key stands there once, since JSON readers differ on what a
 * repeated one means: the last wins.
 */
#ifndef CHROME_ARGS_H
#define CHROME_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "chrome/chrome_text.h"
#include "trace/event.h"
#include "json/json.h"

struct chrome_args {
	struct chrome_args *next; /* of those to be used again */
	struct chrome_arg *items;
	uint32_t count;
	uint32_t room;
	uint32_t *index;   /* of many: numbers of items + 1, by their keys */
	size_t index_size; /* a power of two; 0: they are few */
	size_t gone_bytes; /* of text that counts no more */
	bool has_beside;   /* members that are no arguments */
	uint64_t keys;     /* a bit for each, by their numbers modulo 64 */
	struct json text;  /* `"key":value,` one after the other */
};

/* clang-format off */
#define CHROME_ARGS_INIT {.items = NULL}
/* clang-format on */

void chrome_args_clear(struct chrome_args *args);

/* Forgets the arguments, keeps the memory. */
void chrome_args_reset(struct chrome_args *args);

/* Empty ones, for chrome_args_give(): those of ranges that have ended are used
 * again. NULL if out of memory. */
struct chrome_args *chrome_args_take(struct chrome_text *text);

/* Gives them back; NULL is allowed. */
void chrome_args_give(struct chrome_text *text, struct chrome_args *args);

/* For chrome_text_clear(). */
void chrome_args_free_spare(struct chrome_text *text);

/* Sets what the event carries. False if out of memory. */
bool chrome_args_add(struct chrome_args *args, struct chrome_text *text,
	const struct event *event);

/* Sets one of the writer's own keys, CHROME_KEY_…; likewise. */
bool chrome_args_add_int(struct chrome_args *args, struct chrome_text *text,
	uint32_t key, int64_t value);
bool chrome_args_add_double(struct chrome_args *args, struct chrome_text *text,
	uint32_t key, double value);

/* Is this one of the writer's own keys set, perhaps by the trace itself? */
bool chrome_args_has(const struct chrome_args *args, uint32_t key);

/* Sets "category" to that of `site`, if it has one. */
bool chrome_args_add_category(
	struct chrome_args *args, struct chrome_text *text, uint32_t site);

/* Sets "open":true, unless the program has an argument of that name. */
bool chrome_args_add_open(struct chrome_args *args, struct chrome_text *text);

/* The phase that the event had in a trace that was read, if it is not what its
 * kind says: taken out. 0: there is none. */
char chrome_args_take_phase(struct chrome_args *args);

/*
 * Writes ,"args":{...} with the place of `site` and with `args`, either of
 * which may be NULL; nothing if there is nothing. An argument called "file" or
 * "line" stands instead of the site's. Those called "event.tts" and the like
 * are no arguments, but stand behind, as ,"tts":...; null stands for none.
 */
void chrome_args_write(struct json *json, const struct chrome_site *site,
	const struct chrome_args *args);

/* Writes only those that stand behind, and takes them out. `args` may be NULL.
 */
void chrome_args_move_beside(struct json *json, struct chrome_args *args);

/* Writes them as an object, an item of `json`. */
void chrome_args_write_object(
	struct json *json, const struct chrome_args *args);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Arguments of one event as members of a JSON object, in the order in which
 * they were last set; and the names of its site as JSON. A site's name is
 * escaped once, not once an event; so is an argument's key. Each key stands
 * there once, since JSON readers differ on what a repeated one means: the last
 * wins.
 */
#ifndef JSON_ARGS_H
#define JSON_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"
#include "trace/event.h"
#include "trace/trace.h"

/* Prefix of an argument's key that stands for a member of the event, beside the
 * arguments: "event.tts"; and for one of the event that ended it: "end.tts". */
#define TRACE_MEMBER "event."
#define TRACE_MEMBER_OF_END "end."

/*
 * ,"name":"f","cat":"range","args":{"file":"a.c","line":3,"call_line":7
 * The braces are not closed, since an event's own arguments may follow. With
 * neither file nor line it ends at cat_size.
 */
struct json_site {
	char *bytes; /* NULL: not made yet */
	size_t size;
	size_t name_size; /* up to the name */
	size_t cat_size;  /* up to the category */
	size_t file_at;   /* "file":"a.c" */
	size_t file_size;
	size_t line_at; /* "line":3,"call_line":7 */
	size_t line_size;
};

/* The category that is written for a site without one: viewers want one. */
#define JSON_ARGS_NO_CATEGORY "range"

/* `"key":` */
struct json_arg_key {
	const char *bytes; /* in json_names.keys */
	size_t size;
	uint32_t number; /* there */
	/* It is no argument's, but that of a member beside them. */
	bool is_beside;
};

struct json_names {
	const struct trace *trace;
	struct json scratch;     /* in memory, for text in the making */
	struct json_site *sites; /* by site number */
	uint32_t site_count;
	struct strtab *keys;       /* of `"key":`, so that equal ones are one */
	struct json_arg_key *made; /* by number there */
	uint32_t made_room;
	uint32_t *key_of_text; /* by strtab number of the trace; 0: new */
	uint32_t key_room;
	struct json_args *spare; /* see json_args_acquire() */
	uint32_t spare_count;
	/* strtab numbers in the trace */
	uint32_t runtime_category;
	uint32_t driver_category;
};

/* Keys that the writer itself uses, in every json_names.keys. */
enum {
	JSON_ARGS_KEY_FILE = 1,
	JSON_ARGS_KEY_LINE,
	JSON_ARGS_KEY_OPEN,
	JSON_ARGS_KEY_EXTERNAL_ID,
	JSON_ARGS_KEY_CORRELATION,
	JSON_ARGS_KEY_CATEGORY,
	JSON_ARGS_KEY_DEVICE,
	JSON_ARGS_KEY_CONTEXT,
	JSON_ARGS_KEY_STREAM,
	JSON_ARGS_KEY_BYTES,
	JSON_ARGS_KEY_BANDWIDTH,
	JSON_ARGS_KEY_QUEUED,
	JSON_ARGS_KEY_BLOCKS,
	JSON_ARGS_KEY_WARPS,
	JSON_ARGS_KEY_OCCUPANCY,
	JSON_ARGS_KEY_ID,
	JSON_ARGS_KEY_PID,
	/* What stood beside the arguments: see json_args_write(). */
	JSON_ARGS_KEY_MEMBER_PHASE,
	JSON_ARGS_KEY_MEMBER_ID,
	JSON_ARGS_KEY_MEMBER_ID2,
	JSON_ARGS_KEY_MEMBER_SCOPE,
	JSON_ARGS_KEY_MEMBER_REACH,
	JSON_ARGS_KEY_MEMBER_BIND,
	JSON_ARGS_KEYS
};

/* False if out of memory. `trace` is borrowed. json_names_clear() must be
 * called in either case. */
bool json_names_init(struct json_names *names, const struct trace *trace);
void json_names_clear(struct json_names *names);

/* The site's text; borrowed until the next call. NULL if out of memory. */
const struct json_site *json_names_make_site(
	struct json_names *names, uint32_t site);

static inline const struct json_site *json_names_site(
	struct json_names *names, uint32_t site)
{
	if (__builtin_expect(site < names->site_count &&
				     names->sites[site].bytes != NULL,
		    1))
		return &names->sites[site];
	return json_names_make_site(names, site);
}

/* Is it a function of a device's API? */
bool json_names_is_call(const struct json_names *names, uint32_t site);

/* The key that this strtab number of the trace is; borrowed until the next call.
 * NULL if out of memory. */
const struct json_arg_key *json_names_make_key(
	struct json_names *names, uint32_t number);

static inline const struct json_arg_key *json_names_key(
	struct json_names *names, uint32_t number)
{
	if (__builtin_expect(
		    number < names->key_room && names->key_of_text[number] != 0,
		    1))
		return &names->made[names->key_of_text[number]];
	return json_names_make_key(names, number);
}

/* The scratch, empty; borrowed until the next call of anything here. */
struct json *json_names_scratch(struct json_names *names);

struct json_args {
	struct json_args *next; /* of those to be used again */
	struct json_args_item *items;
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
#define JSON_ARGS_INIT {.items = NULL}
/* clang-format on */

void json_args_clear(struct json_args *args);

/* Forgets the arguments, keeps the memory. */
void json_args_reset(struct json_args *args);

/* Empty ones, for json_args_release(): those of ranges that have ended are used
 * again. NULL if out of memory. */
struct json_args *json_args_acquire(struct json_names *names);

/* Gives them back; NULL is allowed. */
void json_args_release(struct json_names *names, struct json_args *args);

/* Sets what the event carries. False if out of memory. */
bool json_args_add(struct json_args *args, struct json_names *names,
	const struct event *event);

/* Sets one of the writer's own keys, JSON_ARGS_KEY_…; likewise. */
bool json_args_add_int(struct json_args *args, struct json_names *names,
	uint32_t key, int64_t value);
bool json_args_add_double(struct json_args *args, struct json_names *names,
	uint32_t key, double value);

/* Is this one of the writer's own keys set, perhaps by the trace itself? */
bool json_args_has(const struct json_args *args, uint32_t key);

/* Sets "category" to that of `site`, if it has one. */
bool json_args_add_category(
	struct json_args *args, struct json_names *names, uint32_t site);

/* Sets "open":true, unless the program has an argument of that name. */
bool json_args_add_open(struct json_args *args, struct json_names *names);

/* The phase that the event had in a trace that was read, if it is not what its
 * kind says: taken out. 0: there is none. */
char json_args_remove_phase(struct json_args *args);

/*
 * Writes ,"args":{...} with the place of `site` and with `args`, either of
 * which may be NULL; nothing if there is nothing. An argument called "file" or
 * "line" stands instead of the site's. Those called "event.tts" and the like
 * are no arguments, but stand behind, as ,"tts":...; null stands for none.
 */
void json_args_write(struct json *json, const struct json_site *site,
	const struct json_args *args);

/* Writes only those that stand behind, and takes them out. `args` may be NULL.
 */
void json_args_move_beside(struct json *json, struct json_args *args);

/* Writes them as an object, an item of `json`. */
void json_args_write_object(struct json *json, const struct json_args *args);

#endif

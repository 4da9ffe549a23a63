/* SPDX-License-Identifier: MIT */
/*
 * Arguments of one event as members of a JSON object, in the order in which
 * they were last set; and the names of its site as JSON. A site's name and an
 * argument's key are escaped once, not for each event. Each key is written
 * once, because JSON readers differ on repeated keys; the last value wins.
 */
#ifndef JSON_ARGS_H
#define JSON_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "json/json.h"
#include "trace/event.h"
#include "trace/trace.h"

/* Key prefixes of arguments that stand for a member of the event beside the
 * arguments, "event.tts", and for a member of its end event, "end.tts". */
#define TRACE_MEMBER "event."
#define TRACE_MEMBER_OF_END "end."

/*
 * ,"name":"f","cat":"range","args":{"file":"a.c","line":3,"call_line":7 The
 * braces are not closed, because the event's own arguments may follow. Without
 * file and line it ends at cat_size.
 */
struct json_site {
	char *bytes; /* NULL: not made */
	size_t size;
	size_t name_size; /* size up to the name */
	size_t cat_size;  /* size up to the category */
	size_t file_at;   /* "file":"a.c" */
	size_t file_size;
	size_t line_at; /* "line":3,"call_line":7 */
	size_t line_size;
};

/* The category of a site without one: viewers need one. */
#define JSON_ARGS_NO_CATEGORY "range"

/* `"key":` */
struct json_arg_key {
	const char *bytes; /* in json_names.keys */
	size_t size;
	uint32_t number; /* there */
	/* The key of a member beside the arguments. */
	bool is_beside;
};

struct json_names {
	const struct trace *trace;
	struct json scratch;     /* in memory, for text being composed */
	struct json_site *sites; /* by site number */
	uint32_t site_count;
	struct strtab *keys;       /* `"key":`, to merge equal ones */
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

/* The writer's own keys, in every json_names.keys. */
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
	/* Members beside the arguments: see json_args_write(). */
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

/* Is it a device API function? */
bool json_names_is_call(const struct json_names *names, uint32_t site);

/* The key with this strtab number of the trace; borrowed until the next call.
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

/* The scratch buffer, emptied; borrowed until the next call of any function
 * here. */
struct json *json_names_scratch(struct json_names *names);

struct json_args {
	struct json_args *next; /* next in the list of spares */
	struct json_args_item *items;
	uint32_t count;
	uint32_t room;
	struct index index; /* over items, by key; empty for few items */
	size_t gone_bytes;  /* of obsolete text */
	bool has_beside;    /* has members beside arguments */
	uint64_t keys;      /* one bit per key number modulo 64 */
	struct json text;   /* sequence of `"key":value,` */
};

/* clang-format off */
#define JSON_ARGS_INIT {.items = NULL}
/* clang-format on */

void json_args_clear(struct json_args *args);

/* Removes the arguments but keeps the memory. */
void json_args_reset(struct json_args *args);

/* Returns empty arguments, reused from ended ranges if possible; give them back
 * with json_args_release(), or free them with json_args_free(). NULL if out of
 * memory. */
struct json_args *json_args_acquire(struct json_names *names);

/* Returns them for reuse; NULL is allowed. */
void json_args_release(struct json_names *names, struct json_args *args);
void json_args_free(struct json_args *args);

/* Adds the event's arguments. False if out of memory. */
bool json_args_add(struct json_args *args, struct json_names *names,
	const struct event *event);

/* Sets one of the writer's own keys, JSON_ARGS_KEY_…; likewise. */
bool json_args_add_int(struct json_args *args, struct json_names *names,
	uint32_t key, int64_t value);
bool json_args_add_double(struct json_args *args, struct json_names *names,
	uint32_t key, double value);

/* Is this writer's own key set, perhaps by the trace itself? */
bool json_args_has(const struct json_args *args, uint32_t key);

/* Sets "category" to the category of `site`, if any. */
bool json_args_add_category(
	struct json_args *args, struct json_names *names, uint32_t site);

/* Sets "open":true, unless the program has an argument of that name. */
bool json_args_add_open(struct json_args *args, struct json_names *names);

/* Removes and returns the event's phase in the input trace, if it differs from
 * its kind's. 0: none. */
char json_args_remove_phase(struct json_args *args);

/*
 * Writes ,"args":{...} with the location of `site` and with `args`, either of
 * which may be NULL; nothing if both are empty. An argument called "file" or
 * "line" replaces the site's. Arguments called "event.tts" and the like are
 * written after the arguments, as ,"tts":...; null means that there are none.
 */
void json_args_write(struct json *json, const struct json_site *site,
	const struct json_args *args);

/* Writes only the members beside the arguments, and removes them. `args` may be
 * NULL. */
void json_args_move_beside(struct json *json, struct json_args *args);

/* Writes them as an object item of `json`. */
void json_args_write_object(struct json *json, const struct json_args *args);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Names as they stand in a Chrome trace. A site's name is escaped once, not
 * once an event; so is an argument's key.
 */
#ifndef CHROME_TEXT_H
#define CHROME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"
#include "trace/trace.h"

/* What a member's key begins with that stands beside the arguments. For those
 * who include trace_members.h. */
#define CHROME_MEMBER "\"" TRACE_MEMBER
#define CHROME_MEMBER_SIZE (sizeof(CHROME_MEMBER) - 1)

/*
 * ,"name":"f","cat":"range","args":{"file":"a.c","line":3,"call_line":7
 * The braces are not closed, since an event's own arguments may follow. With
 * neither file nor line it ends at cat_size.
 */
struct chrome_site {
	char *bytes; /* NULL: not made yet */
	size_t size;
	size_t name_size; /* up to the name */
	size_t cat_size;  /* up to the category */
	size_t file_at;   /* "file":"a.c" */
	size_t file_size;
	size_t line_at; /* "line":3,"call_line":7 */
	size_t line_size;
};

/* `"key":` */
struct chrome_key {
	const char *bytes; /* in chrome_text.keys */
	size_t size;
	uint32_t number; /* there */
	/* It is no argument's, but that of a member beside them. */
	bool is_beside;
};

struct chrome_args;

struct chrome_text {
	const struct trace *trace;
	struct json scratch;       /* in memory, for text in the making */
	struct chrome_site *sites; /* by site number */
	uint32_t site_count;
	struct strtab *keys;     /* of `"key":`, so that equal ones are one */
	struct chrome_key *made; /* by number there */
	uint32_t made_room;
	uint32_t *key_of_text; /* by strtab number of the trace; 0: new */
	uint32_t key_room;
	struct chrome_args *spare; /* see chrome_args_take() */
	uint32_t spare_count;
	/* strtab numbers in the trace */
	uint32_t runtime_category;
	uint32_t driver_category;
};

/* Keys that the writer itself uses, in every chrome_text.keys. */
enum {
	CHROME_KEY_FILE = 1,
	CHROME_KEY_LINE,
	CHROME_KEY_OPEN,
	CHROME_KEY_EXTERNAL_ID,
	CHROME_KEY_CORRELATION,
	CHROME_KEY_CATEGORY,
	CHROME_KEY_DEVICE,
	CHROME_KEY_CONTEXT,
	CHROME_KEY_STREAM,
	CHROME_KEY_BYTES,
	CHROME_KEY_BANDWIDTH,
	CHROME_KEY_QUEUED,
	CHROME_KEY_BLOCKS,
	CHROME_KEY_WARPS,
	CHROME_KEY_OCCUPANCY,
	CHROME_KEY_ID,
	CHROME_KEY_PID,
	/* What stood beside the arguments: see chrome_args_write(). */
	CHROME_KEY_MEMBER_PHASE,
	CHROME_KEY_MEMBER_ID,
	CHROME_KEY_MEMBER_ID2,
	CHROME_KEY_MEMBER_SCOPE,
	CHROME_KEY_MEMBER_REACH,
	CHROME_KEY_MEMBER_BIND,
	CHROME_KEYS
};

/* False if out of memory. `trace` is borrowed. chrome_text_clear() must be
 * called in either case. */
bool chrome_text_init(struct chrome_text *text, const struct trace *trace);
void chrome_text_clear(struct chrome_text *text);

/* The site's text; borrowed until the next call. NULL if out of memory. */
const struct chrome_site *chrome_text_make_site(
	struct chrome_text *text, uint32_t site);

static inline const struct chrome_site *chrome_text_site(
	struct chrome_text *text, uint32_t site)
{
	if (__builtin_expect(
		    site < text->site_count && text->sites[site].bytes != NULL,
		    1))
		return &text->sites[site];
	return chrome_text_make_site(text, site);
}

/* Is it a function of a device's API? */
bool chrome_text_is_call(const struct chrome_text *text, uint32_t site);

/* The key that this strtab number of the trace is; borrowed until the next call.
 * NULL if out of memory. */
const struct chrome_key *chrome_text_make_key(
	struct chrome_text *text, uint32_t number);

static inline const struct chrome_key *chrome_text_key(
	struct chrome_text *text, uint32_t number)
{
	if (__builtin_expect(
		    number < text->key_room && text->key_of_text[number] != 0,
		    1))
		return &text->made[text->key_of_text[number]];
	return chrome_text_make_key(text, number);
}

/* The scratch, empty; borrowed until the next call of anything here. */
struct json *chrome_text_scratch(struct chrome_text *text);

#endif

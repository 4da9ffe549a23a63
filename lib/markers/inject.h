/* SPDX-License-Identifier: MIT */
/*
 * The common part of NVTX and ITT: domains, names, and each thread's open
 * ranges, which become ranges of libctprof.
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof.h"
#include "recorder/record_args.h"

/* A domain of names; the category of their sites. Never freed. */
struct inject_domain {
	const char *name;
	struct inject_domain *next;
	struct inject_label *_Atomic labels; /* of the domain's categories */
};

/* A name of a domain. Never freed: programs keep pointers to it. */
struct inject_name {
	struct ctp_site *site;
	const struct inject_domain *domain;
	const char *text; /* a copy */
	uint64_t hash;
	struct inject_name *next;
	uint32_t number;
	bool is_other; /* represents names for which there is no room */
};

/* Most arguments of a range or mark. */
#define INJECT_ARGS_MAX 4

/* The properties of a range or a mark besides its name. */
struct inject_args {
	uint32_t count; /* 0 at first, with the rest unset */
	struct record_arg items[INJECT_ARGS_MAX];
	char texts[2][24]; /* for numbers shown as text */
};

/* Add an argument; `key` and `text` are borrowed as long as the arguments. At
 * most INJECT_ARGS_MAX - 1 may be added. */
void inject_arg_int(struct inject_args *args, const char *key, int64_t value);
void inject_arg_float(struct inject_args *args, const char *key, double value);
void inject_arg_text(
	struct inject_args *args, const char *key, const char *text);

/* Two numbers that identify a range in the program; both 0: none. */
struct inject_id {
	uint64_t low;
	uint64_t high;
};

/* The domain of this name, copied; equal names have the same domain. NULL if
 * out of memory. Any thread. */
struct inject_domain *inject_domain(const char *name);

/*
 * The name in the domain. After more names than any program has without
 * generating them, one name represents all others.
 *
 * Errors: NULL if out of memory.
 * Threads: any, without a lock unless the name is new.
 */
const struct inject_name *inject_name(
	const struct inject_domain *domain, const char *text);

/* The same for text at an address that is likely to be reused. */
const struct inject_name *inject_literal(
	const struct inject_domain *domain, const char *text);

/* Finds a name by number; The name of a category; NULL if there is none. */
const struct inject_name *inject_numbered(uint64_t number);

/* Names one of the domain's categories; copied. */
void inject_label(
	struct inject_domain *domain, uint32_t category, const char *name);

/* NULL if there is none. */
const char *inject_label_of(
	const struct inject_domain *domain, uint32_t category);

/* The argument with the real name, if there is no room for the name. */
#define INJECT_OTHER_KEY "name"

/* A name, and its text in case the name is unknown. */
struct inject_message {
	const struct inject_name *name; /* NULL: out of memory */
	const char *text;
};

/* Opens a range on the calling thread. Returns how many ranges of the domain
 * were open on it; -1 if out of memory, which a NULL name indicates. If the
 * name represents others, the real name is added to the arguments, which may be
 * NULL. */
int inject_push(struct inject_message message, struct inject_id id,
	struct inject_args *args);

/* The same for a range that is not recorded, but whose end will come. */
int inject_push_unseen(const struct inject_domain *domain, struct inject_id id);

/* Records a mark, or the begin of a range that may end in another thread; see
 * struct record_event. Does nothing without a name. Arguments as above. */
void inject_event(enum chunk_long kind, struct inject_message message,
	uint64_t id, struct inject_args *args);

/* Closes the domain's innermost range on the calling thread. Returns the same
 * as its inject_push(); -1 if none was open, which is counted. */
int inject_pop(const struct inject_domain *domain);

/* Whether this is the innermost range of the calling thread, so that its
 * metadata become arguments of that range. No id matches any. */
bool inject_is_innermost(
	const struct inject_domain *domain, struct inject_id id);

/* Most bytes of UTF-8 stored for wide text. */
#define INJECT_WIDE 4096

/* Converts wide text to UTF-8, truncated if too long. Returns `out`. */
const char *inject_wide(char out[static INJECT_WIDE], const wchar_t *text);

#endif

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

/* Where names come from; the category of their sites. Never freed. */
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
	bool is_other; /* stands for names that there is no room for */
};

/* No range or mark has more. */
#define INJECT_ARGS_MAX 4

/* The properties of a range or a mark besides its name. */
struct inject_args {
	uint32_t count; /* 0 at first, when the rest is not set */
	struct record_arg items[INJECT_ARGS_MAX];
	char texts[2][24]; /* of numbers that are shown as text */
};

/* Adds one; `key` and `text` are borrowed as long as the arguments are. One less
 * than INJECT_ARGS_MAX may be added. */
void inject_arg_int(struct inject_args *args, const char *key, int64_t value);
void inject_arg_float(struct inject_args *args, const char *key, double value);
void inject_arg_text(
	struct inject_args *args, const char *key, const char *text);

/* Two numbers that a program knows a range by; both 0: none. */
struct inject_id {
	uint64_t low;
	uint64_t high;
};

/* The domain of this name, the same one for equal names, whose text is copied;
 * NULL if out of memory. Any thread. */
struct inject_domain *inject_domain(const char *name);

/*
 * The name of the domain. Beyond a number of names that no program has that
 * does not make them up, one that stands for all others.
 *
 * Errors: NULL if out of memory.
 * Threads: any, without a lock unless the name is new.
 */
const struct inject_name *inject_name(
	const struct inject_domain *domain, const char *text);

/* The same for text at an address that is likely to be used again. */
const struct inject_name *inject_literal(
	const struct inject_domain *domain, const char *text);

/* By its number; NULL if there is none. */
const struct inject_name *inject_numbered(uint64_t number);

/* A name for one of the domain's categories, by number; copied. */
void inject_label(
	struct inject_domain *domain, uint32_t category, const char *name);

/* NULL if there is none. */
const char *inject_label_of(
	const struct inject_domain *domain, uint32_t category);

/* The argument that is the name, where there is no room for that. */
#define INJECT_OTHER_KEY "name"

/* A name, and its text in case that is not known. */
struct inject_message {
	const struct inject_name *name; /* NULL: out of memory */
	const char *text;
};

/* Opens a range on the calling thread. Returns how many ranges of the domain
 * were open on it; -1 if out of memory, which a NULL name indicates. If the
 * name is the one that stands for others, the real name is added to the
 * arguments, which may be NULL. */
int inject_push(struct inject_message message, struct inject_id id,
	struct inject_args *args);

/* The same of a range that is not to be recorded, but whose end will come. */
int inject_push_unseen(const struct inject_domain *domain, struct inject_id id);

/* Records a mark, or the begin of a range that may end in another thread; see
 * struct record_event. Does nothing without a name. Arguments likewise. */
void inject_event(enum chunk_long kind, struct inject_message message,
	uint64_t id, struct inject_args *args);

/* Closes the domain's innermost range on the calling thread. Returns what
 * inject_push() did; -1 if none was open, which is counted. */
int inject_pop(const struct inject_domain *domain);

/* Is this the innermost range of the calling thread? Then its metadata is an
 * argument of that range. No id stands for any. */
bool inject_is_innermost(
	const struct inject_domain *domain, struct inject_id id);

/* Bytes of UTF-8 that are stored of wide text. */
#define INJECT_WIDE 4096

/* The wide text as UTF-8, cut where it does not fit. Returns `out`. */
const char *inject_wide(char out[static INJECT_WIDE], const wchar_t *text);

#endif

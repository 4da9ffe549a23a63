/* SPDX-License-Identifier: MIT */
/*
 * Matches functions of a profile with equal names and equal other fields of the
 * key. A comparison counts them as one function; if they call one another, only
 * the time of the outermost call counts, as in a recursion.
 */
#ifndef FUNCTION_MATCH_H
#define FUNCTION_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/strtab.h"
#include "profile/profile.h"

/* The fields that must be equal. */
enum match_key {
	MATCH_KEY_FILE,  /* normalized name and file */
	MATCH_KEY_NAME,  /* only the name */
	MATCH_KEY_LINE,  /* name, file and line */
	MATCH_KEY_EXACT, /* likewise, not normalized */
};

struct function_match {
	enum match_key key;
	struct strtab *keys;
	uint32_t *first; /* by key: its first function */
	uint32_t count;
	uint32_t room;
	struct buffer name;
	struct buffer file;
};

/* False if out of memory; call function_match_clear() in any case. */
bool function_match_init(struct function_match *match, enum match_key key);
void function_match_clear(struct function_match *match);

/* Appends the name and the file of a function's key. The key also has its kind
 * and, from MATCH_KEY_LINE on, its line. */
void function_match_name(enum match_key key,
	const struct profile_function *function, struct buffer *name,
	struct buffer *file);

/* Returns the first function passed that has the same key; all must be of one
 * profile. PROFILE_NONE if out of memory. */
uint32_t function_match_find(struct function_match *match,
	const struct profile *profile, uint32_t function);

/*
 * Joins the host functions of a profile that was read, not replayed: the first
 * of each group gets all counts and times. With a tree the time is exact.
 * Otherwise it is estimated from the longest function and the calls from
 * outside the group, so that time which returns through other functions may
 * count twice. Edges and the tree stay.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status function_match_join(
	struct profile *profile, enum match_key key, struct ctp_error *err);

#endif

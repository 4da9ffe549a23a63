/* SPDX-License-Identifier: MIT */
/*
 * Functions of a profile that match: their names, and what else the key asks
 * for, are equal. A comparison counts them as one function; where they call one
 * another, only the outermost call's time counts, as in a recursion.
 */
#ifndef FUNCTION_MATCH_H
#define FUNCTION_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/strtab.h"
#include "profile/profile.h"

/* What must be equal for two functions to be one. */
enum match_key {
	MATCH_KEY_FILE,  /* normalised name and file */
	MATCH_KEY_NAME,  /* the name alone */
	MATCH_KEY_LINE,  /* and the line, too */
	MATCH_KEY_EXACT, /* the same, of names and files as they are */
};

struct function_match {
	enum match_key key;
	struct strtab *keys;
	uint32_t *first; /* of each key, the function that was met first */
	uint32_t count;
	uint32_t room;
	struct buffer name;
	struct buffer file;
};

/* False if out of memory; function_match_clear() is due in any case. */
bool function_match_init(struct function_match *match, enum match_key key);
void function_match_clear(struct function_match *match);

/* Appends the name and the file that a function is joined by; besides these
 * there are its kind, and with MATCH_KEY_LINE and beyond its line. */
void function_match_name(enum match_key key,
	const struct profile_function *function, struct buffer *name,
	struct buffer *file);

/* The function that stands for this one, in the one profile that all are of:
 * the first that was asked for. PROFILE_NONE if out of memory. */
uint32_t function_match_find(struct function_match *match,
	const struct profile *profile, uint32_t function);

/*
 * Joins the host's functions of a profile that is read, not replayed: one has
 * the counts and times, and the others have none. With a tree the time is
 * exact; else it is between that of the longest and what their callers from
 * outside of them have, so that what comes back through other functions may
 * count twice. Edges and the tree stay.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status function_match_join(
	struct profile *profile, enum match_key key, struct ctp_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* Functions of one profile that a comparison joins are one function: where they
 * call one another, the time counts once, for the outermost, as it does in a
 * recursion. */
#ifndef SAME_H
#define SAME_H

#include "compare/diff.h"

struct same {
	enum diff_match match;
	struct strtab *keys;
	uint32_t *first; /* of each key, the function that was met first */
	uint32_t count;
	uint32_t room;
	struct buffer name;
	struct buffer file;
};

/* False if out of memory; same_clear() is due in any case. */
bool same_init(struct same *same, enum diff_match match);
void same_clear(struct same *same);

/* The function that stands for this one, in the one profile that all are of:
 * the first that was asked for. PROFILE_NONE if out of memory. */
uint32_t same_find(
	struct same *same, const struct profile *profile, uint32_t function);

/*
 * Joins the host's functions of a profile that is read, not replayed: one has
 * the counts and times, and the others have none. With a tree the time is
 * exact; else it is between that of the longest and what their callers from
 * outside of them have, so that what comes back through other functions may
 * count twice. Edges and the tree stay.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status same_join(
	struct profile *profile, enum diff_match match, struct ctp_error *err);

#endif

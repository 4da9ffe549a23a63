/* SPDX-License-Identifier: MIT */
/*
 * Files that lie elsewhere on the other side of a comparison, as those of a
 * program do that was unpacked and built in another directory: they are told by
 * the ends of their paths.
 */
#ifndef MOVED_H
#define MOVED_H

#include "compare/diff.h"
#include "base/error.h"
#include "profile/profile.h"

/* A directory of the base side, and that of the new side in its place. */
struct moved_root {
	const char *base;
	const char *changed;
	uint32_t file_count;
};

struct moved {
	struct strtab *text;
	struct moved_root *roots;
	uint32_t count;
	uint32_t room;
};

/*
 * Gives the functions of the base side, whose runs are the first `base_count`
 * profiles, the files that they have on the new side, where that does not have
 * theirs: if two files or more, or most of those that it lacks, lie in the one
 * directory there as in the other here.
 *
 * Errors: CTP_ERR_NOMEM. moved_clear() is due in any case.
 * Ownership: the names are borrowed from the new side's profiles.
 */
enum ctp_status moved_join(struct moved *moved, struct profile *const *profiles,
	size_t count, size_t base_count, struct ctp_error *err);
void moved_clear(struct moved *moved);

#endif

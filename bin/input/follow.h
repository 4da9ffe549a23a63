/* SPDX-License-Identifier: MIT */
/* Reads an input while it is being written, and shows what is in it so far,
 * again and again. */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "input/inputs.h"
#include "profile/profile.h"
#include "profile/replay.h"

struct follow {
	const char *path; /* need not be there yet */
	const struct inputs *inputs;
	struct replay_options options;
	uint64_t interval_ns; /* between two looks at the file */
	/* Shows the profile so far, which is sorted here; `losses` are those of
	 * the input. Returns an exit status. */
	int (*show)(void *user, struct profile *profile,
		const uint64_t losses[LOSS_KINDS]);
	void *user;
};

/*
 * Shows the input each time that it has grown, until it is whole or SIGINT
 * comes. Where another file takes its place, that is read from its beginning.
 *
 * Errors: said; returns an exit status.
 */
int follow_run(const struct follow *follow);

#endif

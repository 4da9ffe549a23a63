/* SPDX-License-Identifier: MIT */
/* Reads an input while it is being written, and repeatedly shows the profile so
 * far. */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "input/inputs.h"
#include "profile/profile.h"
#include "profile/replay.h"

struct follow {
	const char *path; /* need not exist yet */
	const struct inputs *inputs;
	struct replay_options options;
	uint64_t interval_ns; /* between updates */
	/* Shows the profile so far, which it may sort; `losses` are those of
	 * the input. Returns an exit status. */
	int (*show)(void *user, struct profile *profile,
		const uint64_t losses[LOSS_KINDS]);
	void *user;
};

/*
 * Shows the input whenever it has grown, until it is complete or SIGINT comes.
 * If the file is replaced, the new one is read from its beginning.
 *
 * Errors: reported; returns an exit status.
 */
int follow_run(const struct follow *follow);

#endif

/* SPDX-License-Identifier: MIT */
/* A running Python process, and its interpreter, which makes it execute a
 * script by sys.remote_exec(). */
#ifndef ATTACH_TARGET_H
#define ATTACH_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_target {
	uint32_t pid;
	int pidfd; /* readable when the process has ended */
	int exe;   /* the interpreter's file */
	uid_t uid; /* of the process */
	gid_t gid;
	char path[PATH_MAX]; /* the interpreter's */
	/* Variables of the process that its interpreter may need: "NAME=VALUE";
	 * NULL: not set. */
	char *library_path;
	char *home;
};

/*
 * Checks that this is a process of a Python interpreter in our mount namespace
 * and of our user, or of any user if we are root.
 *
 * Errors: reported; returns an exit status. Call attach_target_close() in any
 * case.
 */
int attach_target_open(struct attach_target *target, uint32_t pid);
void attach_target_close(struct attach_target *target);

bool attach_target_has_ended(const struct attach_target *target);

/*
 * Has the process execute the script when its main thread runs Python code the
 * next time, instead of a script that still waits for that. The interpreter's
 * file is run as the user of the process, never with more rights.
 *
 * Errors: reported; returns an exit status.
 */
int attach_target_execute(
	const struct attach_target *target, const char *script);

#endif

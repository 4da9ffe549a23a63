/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a descriptor or path still refers to the same file. Programs
 * close descriptors that are not theirs and then get our number for another
 * file.
 */
#ifndef FILE_ID_H
#define FILE_ID_H

#include <stdbool.h>
#include <sys/types.h>

struct file_id {
	dev_t device;
	ino_t inode; /* 0: none */
};

/* The identity of an open file; empty if it is not open. */
struct file_id file_id_of(int fd);

/* Whether `fd` is this file. */
bool file_id_is(const struct file_id *id, int fd);

/* Whether this file is still at `path`. */
bool file_id_is_at(const struct file_id *id, const char *path);

/* Closes `fd` if it is this file. */
void file_id_close(const struct file_id *id, int fd);

/*
 * Gives the calling thread its own, empty descriptor table. Files that it opens
 * do not take numbers from the program, which may be opening files
 * concurrently, and the program cannot close them. False if the system does not
 * support it.
 */
bool file_id_leave_program(void);

/*
 * Reopens a file whose descriptor the program has closed, and locks it. For a
 * thread with its own descriptor table. -1 if the file is gone or locked by
 * another process.
 */
int file_id_open(const struct file_id *id, const char *path);

#endif

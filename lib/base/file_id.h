/* SPDX-License-Identifier: MIT */
/*
 * Is a descriptor or a path still the file that it was? Programs close
 * descriptors that are not theirs, and what they open next has our number.
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

/* Is `fd` this file? */
bool file_id_is(const struct file_id *id, int fd);

/* Is this file still found there? */
bool file_id_is_at(const struct file_id *id, const char *path);

/* Closes `fd` if it is this file. */
void file_id_close(const struct file_id *id, int fd);

/*
 * Gives the calling thread an empty table of descriptors of its own. Files that
 * it opens then take no number from the program, which may be opening and
 * closing at this moment, and the program does not close them. False if the
 * system cannot.
 */
bool file_id_leave_program(void);

/*
 * Opens a file of which the program has closed the descriptor, and locks it.
 * For a thread that has left the program. -1 if it is not there any more, or
 * somebody else has it.
 */
int file_id_open(const struct file_id *id, const char *path);

#endif

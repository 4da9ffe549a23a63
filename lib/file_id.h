/* SPDX-License-Identifier: MIT */
/*
 * Is a descriptor still the file that it was? Programs close descriptors that
 * are not theirs, and what they open next has our number.
 */
#ifndef FILE_ID_H
#define FILE_ID_H

#include <stdbool.h>
#include <sys/types.h>

struct file_id {
	dev_t device;
	ino_t inode; /* 0: none */
};

/* Of an open file; none if it is not open. */
struct file_id file_id_of(int fd);

/* Is `fd` this file? */
bool file_id_is(const struct file_id *id, int fd);

/* Closes `fd` if it is this file. */
void file_id_close(const struct file_id *id, int fd);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Reads several inputs at a time, each in a thread, and hands over their results
 * in the order of the inputs. Messages are printed in that order, too.
 */
#ifndef INPUT_MAP_H
#define INPUT_MAP_H

#include <stddef.h>

#include "input/inputs.h"

struct input_map {
	size_t count;
	unsigned jobs; /* threads, from input_map_jobs() */
	/* Reads an input; returns an exit status. The result belongs to the
	 * caller. Threads: any. */
	int (*read)(void *user, size_t index);
	/* Takes the result of each input, also of one that could not be read.
	 * Returns a status, at least that of reading. NULL: nothing to take.
	 * Threads: that of input_map_run(). */
	int (*take)(void *user, size_t index, int status);
	/* Frees a result that is not taken, since its input will be read again:
	 * without memory, all inputs from there on are read one by one. */
	void (*drop)(void *user, size_t index);
	void *user;
	enum when progress; /* of files */
};

/* Number of threads for the inputs; `jobs` 0 is one per processor. Inputs that
 * cannot be read again, such as pipes, are read one by one. */
unsigned input_map_jobs(const struct inputs *inputs, unsigned jobs);

/* Reads all; returns the worst status. Memory: results of some inputs per
 * thread. */
int input_map_run(const struct input_map *map);

#endif

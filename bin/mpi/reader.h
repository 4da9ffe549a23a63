/* SPDX-License-Identifier: MIT */
/* A process of its own reads the inputs, so that an input that crashes it, or
 * for which the system ends it, costs only itself. */
#ifndef READER_H
#define READER_H

#include "base/buffer.h"
#include "input/aggregate.h"

/* For each reader: the list of inputs, and the machine that it shares. */
struct reader_list {
	const struct input_tree *tree;
	unsigned processes; /* on this machine */
};

/* Inputs to be read. Functions get `user`. */
struct reading {
	struct aggregate *sums;
	const struct aggregate_options *options;
	struct input_tree *tree;
	uint64_t round_ns; /* inputs are read for this long before they are
			    * added to `sums` */
	size_t (*next)(void *user); /* an input; tree->count at the end */
	/* Called after each `wait_ms` of waiting; may be NULL. */
	void (*wait)(void *user);
	int wait_ms;
	/* The bytes of part_sums.h that were added; may be NULL. */
	void (*keep)(void *user, const struct buffer *part);
	void *user;
};

/* Starts the process that forks readers. They run `run`, the command with these
 * arguments, whose sums stop them. Call it before anything that a forked process
 * may not inherit. Errors: reported; returns an exit status. */
int reader_start(int argc, char **argv, int (*run)(int argc, char **argv));

/* Errors: reported; returns an exit status. */
int reader_set_list(const struct reader_list *list);

/* Reads all inputs; those that crash even alone are left out. Errors: reported;
 * returns an exit status. */
int reader_run(const struct reading *reading);

void reader_end(void);

/* Prevents that a process repeats the output of another one: standard streams
 * and outputs lead nowhere. */
void reader_mute(void);

#endif

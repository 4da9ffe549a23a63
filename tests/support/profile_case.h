/* SPDX-License-Identifier: MIT */
/* A hand-made profile and its written form, for the tests of profile
 * formats. */
#ifndef PROFILE_CASE_H
#define PROFILE_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"

extern struct profile *profile_case_profile;
extern char *profile_case_bytes; /* the last output; ends with a zero byte */
extern size_t profile_case_size;

/* Before and after each test. */
void profile_case_set_up(void);
void profile_case_tear_down(void);

/* A function on line 7, with costs; an edge with costs; a node of the tree. */
uint32_t profile_case_function(
	const char *name, const char *file, struct profile_cost cost);
void profile_case_edge(
	uint32_t caller, uint32_t callee, struct profile_cost cost);
uint32_t profile_case_node(
	uint32_t parent, uint32_t function, uint64_t self_ns);

/* A root function that was called once, for 10 ns. */
void profile_case_lone(const char *name, const char *file);

/*
 * f(6): f and g call each other, f four times and g three times. Each call of f
 * takes 110 itself, each of g 55. cProfile's counts for it, on four versions of
 * Python, are f (1, 4) called by g (3, 1), and g (1, 3) called by f (3, 1).
 */
void profile_case_recursion(void);

/* Sorts and writes the profile; fails the test if that fails. */
void profile_case_write(const struct format *format);

/* Is this a part of the output? */
bool profile_case_wrote(const void *part, size_t part_size);

#define CASE_HAS(text) \
	ck_assert_msg(profile_case_wrote(text, sizeof(text) - 1), \
		"no %s in %s", text, profile_case_bytes)
#define CASE_LACKS(text) \
	ck_assert_msg(!profile_case_wrote(text, sizeof(text) - 1), "%s in %s", \
		text, profile_case_bytes)

#endif

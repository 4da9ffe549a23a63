/* SPDX-License-Identifier: MIT */
/* Reads the fake CUDA's record of its work: see fake/fake.h. */
#ifndef CUPTI_TRUTH_H
#define CUPTI_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#define TRUTH_TEXT 64

struct truth_activity {
	int kind; /* CUPTI's number */
	char trouble[12];
	char name[TRUTH_TEXT];     /* of a kernel */
	char range[TRUTH_TEXT];    /* the open range; "" if none */
	char captured[TRUTH_TEXT]; /* the same, for a graph's node */
	int64_t instance;
	bool recorded; /* CUPTI has a record of it */
	bool prompt;   /* it starts in the call that causes it */
	int64_t dur_ns;
	int64_t device, context, stream, correlation, node, graph;
	int64_t bytes, value, cbid, thread;
	int grid[3], block[3], cluster[3];
	int registers, static_shared, dynamic_shared;
	bool matched;  /* set by the reader: it is in the log */
	uint32_t next; /* private: in the same bucket */
};

struct truth {
	struct truth_activity *activities;
	uint32_t count;
	uint32_t dropped, unknown, unfinished; /* as CUPTI reported */
	uint32_t *buckets;                     /* private */
};

/* Reads the file; false, after a line on stderr, if it cannot. */
bool truth_read(const char *path, struct truth *truth);
void truth_clear(struct truth *truth);

/* The next after `last` (NULL: the first) of this correlation id. */
struct truth_activity *truth_find(const struct truth *truth,
	int64_t correlation, const struct truth_activity *last);

/* Does a category belong to this kind of CUPTI's? */
bool truth_is_kind(const char *category, int kind);

#endif

/* SPDX-License-Identifier: MIT */
/* Between shares.c, shares_args.c and shares_split.c. */
#ifndef SHARES_PRIVATE_H
#define SHARES_PRIVATE_H

#include "base/buffer.h"
#include "trace/device_join.h"
#include "roofline/shares.h"

#define SHARES_NONE UINT32_MAX

/* So many kernels of an operator wait before those that have one ticket become
 * one: a program that is one operator must not be kept whole. */
#define SHARES_MERGE 4096

/* What a kernel is by its name. */
enum shares_role {
	SHARES_MAIN, /* a product, a convolution, attention */
	SHARES_OTHER,
	SHARES_BESIDE, /* what is done before and after these */
};

struct shares_site {
	bool known;
	bool launches; /* a call that launches one kernel */
	enum shares_role role;
};

/* A range that is open. */
struct shares_range {
	uint32_t site;
	uint32_t nearest; /* the innermost op up to here, plus 1; 0: none */
	uint64_t op;      /* its number among those that launched; 0: none */
	struct flops_work work;
	bool taken;  /* by shares_take_op() */
	bool unread; /* the work is not known before its arguments are read */
	/* How much of what the track keeps is of those around it. */
	uint32_t first_arg;
	size_t text_at;
};

struct shares_track {
	struct shares_range *ranges;
	uint32_t depth;
	uint32_t room;
	/* Of operators that are open, each behind the one around it. */
	struct event_arg *args;
	uint32_t arg_count;
	uint32_t arg_room;
	struct buffer texts;
};

/* Kernels of one ticket that wait for the others of their operator. */
struct shares_kernel {
	uint64_t ticket;
	uint64_t dur_ns; /* of all of them */
	enum shares_role role;
	uint32_t next; /* SHARES_NONE: the last */
	struct flops_work own;
};

/* An operator that launched kernels which are still to come. */
struct shares_op {
	uint64_t number; /* 0: free */
	uint64_t last_id;
	struct flops_work work;
	uint32_t launched; /* calls */
	uint32_t came;     /* kernels */
	uint32_t waiting;  /* entries of these */
	uint32_t merge_at; /* this many are made fewer */
	bool ended;
	bool any_number; /* how many kernels there will be is not known */
	uint32_t first;  /* of the kernels that came, the last first */
	/* The last one in this place that was divided before all came; stays
	 * when the place is free again. 0: none. */
	uint64_t cut;
};

struct shares {
	const struct trace *trace;
	struct flops *flops;
	struct device_join *join; /* the operator's number; NULL: none yet */
	struct shares_site *sites;
	uint32_t site_count;
	struct shares_track *tracks;
	uint32_t track_count;
	struct shares_op *ops; /* by number, modulo the room */
	uint32_t op_room;
	uint64_t op_last;   /* the latest number */
	uint64_t op_oldest; /* none before it waits */
	uint64_t late;      /* kernels of operators that were cut */
	struct shares_kernel *kernels;
	uint32_t kernel_count;
	uint32_t kernel_room;
	uint32_t kernel_free; /* SHARES_NONE: none */
	struct share *done;
	uint32_t done_count;
	uint32_t done_taken;
	uint32_t done_room;
};

enum shares_role shares_role_of(const char *name);

/* Keeps what an operator says that has just begun. False if out of memory. */
bool shares_args_keep(struct shares_track *track, struct shares_range *range,
	const struct event *event);

/* Makes the work of an open operator known. */
void shares_args_read(struct shares *shares, struct shares_track *track,
	struct shares_range *range);

/* Divides the work of an operator among its kernels, and forgets it. */
bool shares_settle(struct shares *shares, struct shares_op *op);

/* Makes one of those of an operator's kernels that have one ticket. False if
 * out of memory. */
bool shares_merge(struct shares *shares, struct shares_op *op);

/* A kernel's share is known. */
bool shares_finish(struct shares *shares, const struct share *share);

#endif

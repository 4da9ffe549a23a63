/* SPDX-License-Identifier: MIT */
/* What ops.c and ops_key.c share. */
#ifndef OPS_PRIVATE_H
#define OPS_PRIVATE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "roofline/flops.h"
#include "operators/ops.h"

/* Arguments that are looked at. */
enum ops_arg {
	OPS_ARG_DIMS,
	OPS_ARG_OLD_DIMS, /* of the first Kineto traces */
	OPS_ARG_STACK,    /* of old ones: "f.py(3): g;f.py(9): h" */
	OPS_ARG_MODULE,
	OPS_ARG_BYTES,
	OPS_ARG_DEVICE_TYPE,
	OPS_ARG_DEVICE_ID,
	OPS_ARGS
};

/* An open range, whatever becomes of it. */
struct ops_frame {
	uint32_t site;
	uint32_t key; /* the site that it became */
	/* The functions that a range in this one is in: a strtab number;
	 * STRTAB_NONE: nobody asked yet. */
	uint32_t stack;
	uint32_t module; /* strtab number of the module it is in; 0: none */
	bool kept;
	bool has_flops; /* itself */
	bool in_flops;  /* or one around it */
};

struct ops_track {
	struct ops_frame *frames;
	uint32_t depth;
	uint32_t room;
	uint32_t kept; /* of these */
};

/* What a site became the last time, with these details. */
struct ops_site {
	uint32_t details; /* a strtab number */
	uint32_t site;
	bool known;
};

struct ops {
	struct trace *trace;
	struct ops_options options;
	struct replay *replay;
	struct ops_track *tracks;
	uint32_t track_count;
	struct ops_site *sites; /* by site */
	uint32_t site_room;
	struct flops *flops;
	uint64_t flops_sum; /* of operations that are in no other with any */
	uint32_t keys[OPS_ARGS]; /* strtab numbers */
	uint32_t memory;         /* names' strtab numbers */
	uint32_t out_of_memory;
	struct buffer text;
};

/* The event's argument; NULL: it has none. */
const struct event_arg *ops_find_arg(
	const struct ops *ops, const struct event *event, enum ops_arg arg);

/* What the range or activity becomes a call of: a site; TRACE_NONE if out of
 * memory. `track` has what is open around it; NULL for a device's. */
uint32_t ops_key(struct ops *ops, const struct event *event,
	const struct ops_track *track);

/* Is the range a call of a module? Then that has this name; 0: it is none. */
uint32_t ops_module(struct ops *ops, const struct event *event);

/* The site of a name alone; TRACE_NONE if out of memory. */
uint32_t ops_named(struct ops *ops, const char *name);

#endif

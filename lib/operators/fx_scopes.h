/* SPDX-License-Identifier: MIT */
/*
 * Which markers of code that torch.fx has made are open on a thread: of files,
 * and of nodes, which are looked up apart.
 *
 * One that lies in others and has others in it is open until its range ends.
 * One that overlaps something comes with its length, and is open until that is
 * over, whatever else ends before. So scopes do not end in the order in which
 * they began: one that is over is taken out when it is the innermost, or when
 * room is needed.
 */
#ifndef FX_SCOPES_H
#define FX_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

enum fx_scope_kind { FX_SCOPE_FILE, FX_SCOPE_NODE, FX_SCOPE_KINDS };

struct fx_scopes {
	struct fx_scope *items;
	uint32_t count;
	uint32_t room;
};

/* A range that is open, whether a marker or not. */
struct fx_range {
	bool has_trace; /* it got one from its node */
	bool has_name;
	bool is_scope;
	enum fx_scope_kind kind;
	uint32_t scope;
};

/* All zero is a thread on which nothing is open. */
struct fx_track {
	struct fx_scopes scopes[FX_SCOPE_KINDS];
	struct fx_range *ranges;
	uint32_t depth;
	uint32_t room;
};

void fx_track_clear(struct fx_track *track);

/* A range more is open, until the next begins; NULL if out of memory. */
struct fx_range *fx_track_push(struct fx_track *track);

/* Ends the innermost range, if there is one. */
void fx_track_pop(struct fx_track *track);

/* The event, which opened the innermost range or comes with its length, opens
 * a scope of this number. False if out of memory. */
bool fx_track_open(struct fx_track *track, const struct event *event,
	enum fx_scope_kind kind, uint32_t number);

/* The number of the innermost scope of a kind; false: none is open. */
bool fx_track_innermost(struct fx_track *track, enum fx_scope_kind kind,
	int64_t time_ns, uint32_t *number);

#endif

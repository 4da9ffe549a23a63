/* SPDX-License-Identifier: MIT */
/* What the two halves of combining share: order in combine.c, tables in
 * combine_table.c. For combine*.c only. */
#ifndef COMBINE_PRIVATE_H
#define COMBINE_PRIVATE_H

#include "transform/combine.h"
#include "base/strtab.h"

/* Numbers of a source's table, and what they are here; 0: not met yet. */
struct combine_map {
	uint32_t *numbers; /* + 1 */
	uint32_t room;
};

struct combine_member {
	struct event_source *source;
	struct combine_place place;
	uint32_t index;     /* as it was added */
	uint32_t number;    /* by its place's order */
	struct event event; /* the next one, as the source has it */
	bool has_event;
	bool had_event;
	int64_t key_ns; /* never goes back */
	struct combine_map texts;
	struct combine_map sites;
	struct combine_map tracks;
	uint32_t device_count; /* taken over */
};

/* Arguments that are ids. */
#define COMBINE_ID_KEYS 4

struct combine {
	struct event_source source; /* first: it is what callers hold */
	struct trace *trace;
	struct combine_member *members;
	uint32_t count;
	uint32_t room;
	struct combine_member **heap; /* the next event is at [0] */
	uint32_t heap_count;
	bool begun;
	bool taken; /* the event of heap[0] was given out */
	bool finished;
	uint32_t failed;
	uint64_t lost[LOSS_KINDS];
	uint32_t id_keys[COMBINE_ID_KEYS];
	struct strtab *processes; /* member and pid, as bytes */
	int64_t *pids;            /* by those numbers: the pid here */
	uint32_t pid_room;
	struct strtab *taken_pids; /* as bytes */
	int64_t next_pid;
	struct event_arg *args; /* of the event that was given out */
	uint32_t arg_room;
};

/* Makes what the trace needs beforehand; false if out of memory, like all
 * below. */
bool combine_table_init(struct combine *combine);
void combine_table_clear(struct combine *combine);
void combine_member_clear(struct combine_member *member);

/* Takes over what is known of the member before its first event. */
bool combine_open_member(
	struct combine *combine, struct combine_member *member);

/* The member's event as one of the combined trace. */
bool combine_translate(struct combine *combine, struct combine_member *member,
	struct event *event);

/* The member has come to its end: what is known only now. */
bool combine_close_member(
	struct combine *combine, struct combine_member *member);

/* `time_ns + shift_ns`, or the last moment there is. */
int64_t combine_time(int64_t time_ns, int64_t shift_ns);

/* A moment of the member's track in the combined trace. */
int64_t combine_track_time(
	const struct combine_member *member, uint32_t track, int64_t time_ns);

#endif

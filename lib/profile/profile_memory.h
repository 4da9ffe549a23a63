/* SPDX-License-Identifier: MIT */
/*
 * Whose memory functions took and gave back: for each function a list of the
 * devices that it had to do with, the host being one of them. There are as many
 * entries as functions have devices, not as there are records.
 */
#ifndef PROFILE_MEMORY_H
#define PROFILE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* So many devices are told apart, as they are met; what others there are is
 * one, and so is what has no number: a trace may have any. */
#define PROFILE_DEVICES_MAX 256

#define PROFILE_OWNERS_MAX (PROFILE_DEVICES_MAX + 2)

/* The number of the host, and of all that are not the host together. */
#define PROFILE_MEMORY_HOST 0
#define PROFILE_MEMORY_DEVICES UINT32_MAX

#define PROFILE_OWNER_TEXT 64

enum profile_owner_kind {
	PROFILE_OF_HOST,
	PROFILE_OF_DEVICE,
	PROFILE_OF_OTHER
};

/* Whose it is. */
struct profile_owner {
	enum profile_owner_kind kind;
	int64_t type;   /* of a device: see trace.h */
	int64_t number; /* likewise; -1: it has none */
};

/* Writes "host", "cuda:1", "xpu" (without a number), "type 77:3" or "other".
 * Returns `text`. */
const char *profile_owner_text(
	char text[PROFILE_OWNER_TEXT], const struct profile_owner *owner);

/* Is `left` before `right`? The host is the first of all, "other" the last. */
bool profile_owner_is_before(
	const struct profile_owner *left, const struct profile_owner *right);

/* Memory taken less what was given back; sums of what an input says, which may
 * be anything, wrap. */
struct profile_amount {
	int64_t self_bytes;
	int64_t total_bytes; /* with callees; of what is in a recursion once */
	uint64_t failed;     /* how often there was none, with callees */
};

struct profile_memory_owner {
	struct profile_owner owner;
	uint64_t records; /* of memory that was taken or given back */
};

struct profile_memory_part {
	uint32_t owner; /* index into owners; the parts of a list go up */
	uint32_t next;  /* index into parts + 1; 0: the last */
	struct profile_amount amount;
};

/* Lists are the number of their first part + 1; 0: nothing. */
struct profile_memory {
	struct profile_memory_owner *owners; /* [0] is the host */
	uint32_t owner_count;
	struct profile_memory_part *parts;
	uint32_t part_count;
	uint32_t all; /* the list of what all functions took */

	uint32_t owner_room, part_room; /* private */
	uint32_t unused;                /* a list of parts to use again */
	bool failed;
};

/* NULL if out of memory. */
struct profile_memory *profile_memory_new(void);
void profile_memory_free(struct profile_memory *memory); /* NULL is allowed */

/* The number of an owner; that of "other" where there are too many. UINT32_MAX
 * if out of memory. */
uint32_t profile_memory_find(
	struct profile_memory *memory, struct profile_owner owner);

/* Adds to the owner's part of a list. What finds no room is not counted and
 * sets `failed`. */
void profile_memory_add(struct profile_memory *memory, uint32_t *list,
	uint32_t owner, struct profile_amount amount);

/* Adds a list to another one; gives back its parts, for which there is room
 * then. */
void profile_memory_add_list(
	struct profile_memory *memory, uint32_t *list, uint32_t from);
void profile_memory_release(struct profile_memory *memory, uint32_t list);

/* An owner's part of a list; NULL: it has none. */
const struct profile_memory_part *profile_memory_part(
	const struct profile_memory *memory, uint32_t list, uint32_t owner);

/* What an owner's part of a list is, or that of PROFILE_MEMORY_DEVICES.
 * `memory` may be NULL, with a list that is empty. */
struct profile_amount profile_memory_of(
	const struct profile_memory *memory, uint32_t list, uint32_t owner);

/* The first part of a list, or the one behind `part`; NULL: there is none. */
const struct profile_memory_part *profile_memory_first(
	const struct profile_memory *memory, uint32_t list);
const struct profile_memory_part *profile_memory_next(
	const struct profile_memory *memory,
	const struct profile_memory_part *part);

/* How many records there are of all owners. `memory` may be NULL. */
uint64_t profile_memory_records(const struct profile_memory *memory);

/* Of another profile's owners, which ones they are here: map[] has room for
 * all. Their records are added, too. False if out of memory. */
bool profile_memory_map(struct profile_memory *memory,
	const struct profile_memory *from, uint32_t *map);

/* Adds a list of `from`, whose owners map[] names. */
void profile_memory_add_mapped(struct profile_memory *memory, uint32_t *list,
	const struct profile_memory *from, uint32_t other, const uint32_t *map);

#endif

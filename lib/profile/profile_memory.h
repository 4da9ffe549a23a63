/* SPDX-License-Identifier: MIT */
/*
 * The memory that functions allocated and freed: for each function a list of
 * its devices, including the host. The number of entries depends on functions
 * and devices, not on records.
 */
#ifndef PROFILE_MEMORY_H
#define PROFILE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Limit of distinct devices, in order of appearance, since a trace may have any
 * number. All others count as one, as do invalid ones. */
#define PROFILE_DEVICES_MAX 256

#define PROFILE_OWNERS_MAX (PROFILE_DEVICES_MAX + 2)

/* Owner numbers: the host, and the sum of all others. */
#define PROFILE_MEMORY_HOST 0
#define PROFILE_MEMORY_DEVICES UINT32_MAX

#define PROFILE_OWNER_TEXT 64

enum profile_owner_kind {
	PROFILE_OF_HOST,
	PROFILE_OF_DEVICE,
	PROFILE_OF_OTHER
};

/* The owner of memory. */
struct profile_owner {
	enum profile_owner_kind kind;
	int64_t type;   /* device type: see trace.h */
	int64_t number; /* device number; -1: none */
};

/* Writes "host", "cuda:1", "xpu" (without a number), "type 77:3" or "other".
 * Returns `text`. */
const char *profile_owner_text(
	char text[PROFILE_OWNER_TEXT], const struct profile_owner *owner);

/* Whether `left` sorts before `right`: the host is first, "other" last. */
bool profile_owner_is_before(
	const struct profile_owner *left, const struct profile_owner *right);

/* Bytes allocated minus bytes freed. Sums may wrap, since the input may contain
 * any values. */
struct profile_amount {
	int64_t self_bytes;
	int64_t total_bytes; /* with callees; recursive calls count once */
	uint64_t failed;     /* failed allocations, with callees */
};

struct profile_memory_owner {
	struct profile_owner owner;
	uint64_t records; /* allocations and frees */
};

struct profile_memory_part {
	uint32_t owner; /* index into owners; increases along a list */
	uint32_t next;  /* index into parts + 1; 0: last */
	struct profile_amount amount;
};

/* A list is the number of its first part + 1; 0: empty. */
struct profile_memory {
	struct profile_memory_owner *owners; /* [0] is the host */
	uint32_t owner_count;
	struct profile_memory_part *parts;
	uint32_t part_count;
	uint32_t all; /* list of the sum over all functions */

	uint32_t owner_room, part_room; /* private */
	uint32_t unused;                /* list of free parts */
	bool failed;
};

/* NULL if out of memory. */
struct profile_memory *profile_memory_new(void);
void profile_memory_free(struct profile_memory *memory); /* NULL is allowed */

/* Returns the number of an owner; that of "other" if there are too many.
 * UINT32_MAX if out of memory. */
uint32_t profile_memory_find(
	struct profile_memory *memory, struct profile_owner owner);

/* Adds to the owner's part of a list. If out of memory, counts nothing and sets
 * `failed`. */
void profile_memory_add(struct profile_memory *memory, uint32_t *list,
	uint32_t owner, struct profile_amount amount);

/* The first adds a list to another one; the second releases a list's parts for
 * reuse. */
void profile_memory_add_list(
	struct profile_memory *memory, uint32_t *list, uint32_t from);
void profile_memory_release(struct profile_memory *memory, uint32_t list);

/* An owner's part of a list; NULL if there is none. */
const struct profile_memory_part *profile_memory_part(
	const struct profile_memory *memory, uint32_t list, uint32_t owner);

/* The amount of an owner in a list, or of PROFILE_MEMORY_DEVICES. `memory` may
 * be NULL if the list is empty. */
struct profile_amount profile_memory_of(
	const struct profile_memory *memory, uint32_t list, uint32_t owner);

/* The first part of a list, or the one after `part`; NULL at the end. */
const struct profile_memory_part *profile_memory_first(
	const struct profile_memory *memory, uint32_t list);
const struct profile_memory_part *profile_memory_next(
	const struct profile_memory *memory,
	const struct profile_memory_part *part);

/* Number of records of all owners. `memory` may be NULL. */
uint64_t profile_memory_records(const struct profile_memory *memory);

/* Fills map[], which has room for all, with the numbers here of another
 * profile's owners, and adds their records. False if out of memory. */
bool profile_memory_map(struct profile_memory *memory,
	const struct profile_memory *from, uint32_t *map);

/* Adds a list of `from`; map[] translates owner numbers. */
void profile_memory_add_mapped(struct profile_memory *memory, uint32_t *list,
	const struct profile_memory *from, uint32_t other, const uint32_t *map);

#endif

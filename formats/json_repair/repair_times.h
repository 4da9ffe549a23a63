/* SPDX-License-Identifier: MIT */
/* Times of an event that has been written, and may have to be written anew. For
 * repair_*.c only. */
#ifndef REPAIR_TIMES_H
#define REPAIR_TIMES_H

#include "json_repair/repair_value.h"

#define REPAIR_TIMES_MAX 8

struct repair_times {
	struct {
		enum repair_key_kind member;
		size_t at; /* in what was written */
		size_t size;
	} all[REPAIR_TIMES_MAX];
	unsigned count;
};

/* Those beyond REPAIR_TIMES_MAX, which are repeated members, stay as they are.
 */
void repair_times_add(struct repair_times *times, enum repair_key_kind member,
	size_t at, size_t size);

/* Makes numbers of those that are text, and of a time that nobody knows the
 * last one; `offset` is where the event ends. */
void repair_times_finish(struct repair_times *times, struct repair_value *value,
	uint64_t offset);

/* Replaces a piece of what was written. */
void repair_times_replace(struct buffer *out, size_t at, size_t size,
	const void *bytes, size_t new_size);

#endif

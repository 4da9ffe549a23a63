/* SPDX-License-Identifier: MIT */
#include "trace_late.h"

#include <string.h>

#include "memory.h"

void trace_late_clear(struct trace_late *late)
{
	for (uint32_t i = 0; i < late->count; i++)
		memory_free((void *)(uintptr_t)late->records[i].bytes);
	memory_free(late->records);
	memory_free(late->taken);
}

bool trace_late_add(struct trace_late *late, const struct spill_record *record,
	void **bytes)
{
	uint32_t at = late->count;
	void *copy;

	if (!memory_grow32(&late->records, late->count, &late->room,
		    sizeof(*late->records)))
		return false;
	copy = memory_new(record->size);
	if (copy == NULL)
		return false;
	memcpy(copy, record->bytes, record->size);
	while (at > 0 && late->records[at - 1].time_ns <= record->time_ns)
		at--;
	memmove(&late->records[at + 1], &late->records[at],
		(late->count - at) * sizeof(*late->records));
	late->records[at] = *record;
	late->records[at].bytes = copy;
	late->count++;
	late->bytes += record->size;
	*bytes = copy;
	return true;
}

struct spill_record trace_late_take(struct trace_late *late)
{
	struct spill_record record = late->records[--late->count];

	memory_free(late->taken);
	late->bytes -= record.size;
	late->taken = (void *)(uintptr_t)record.bytes;
	return record;
}

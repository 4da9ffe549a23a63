/* SPDX-License-Identifier: MIT */
#include "chrome_read/trace_late.h"

#include <string.h>

#include "base/memory.h"

void trace_late_clear(struct trace_late *late)
{
	for (uint32_t i = 0; i < late->count; i++)
		memory_free((void *)(uintptr_t)late->records[i].bytes);
	memory_free(late->records);
	memory_free(late->taken);
}

void *trace_late_add(
	struct trace_late *late, const struct extsort_record *record)
{
	uint32_t at = late->count;
	void *bytes;

	if (!memory_grow32(&late->records, late->count, &late->room,
		    sizeof(*late->records)))
		return NULL;
	bytes = memory_new(record->size);
	if (bytes == NULL)
		return NULL;
	while (at > 0 && late->records[at - 1].time_ns <= record->time_ns)
		at--;
	memmove(&late->records[at + 1], &late->records[at],
		(late->count - at) * sizeof(*late->records));
	late->records[at] = *record;
	late->records[at].bytes = bytes;
	late->count++;
	late->bytes += record->size;
	return bytes;
}

struct extsort_record trace_late_take(struct trace_late *late)
{
	struct extsort_record record = late->records[--late->count];

	memory_free(late->taken);
	late->bytes -= record.size;
	late->taken = (void *)(uintptr_t)record.bytes;
	return record;
}

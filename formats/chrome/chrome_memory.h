/* SPDX-License-Identifier: MIT */
/*
 * Memory events of a Chrome trace, in the words that PyTorch's profiler uses,
 * and the counter of what each device holds.
 * Source: libkineto/src/output_json.cpp; torch/csrc/profiler/collection.cpp.
 */
#ifndef CHROME_MEMORY_H
#define CHROME_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "chrome/chrome_rows.h"
#include "trace/event.h"
#include "json/json.h"
#include "base/strtab.h"

struct chrome_memory {
	struct strtab *devices; /* numbers are indices into `totals` */
	uint64_t *totals;       /* bytes, modulo 2^64: may go below zero when
				   what is freed was there before */
	uint32_t room;
};

/* False if out of memory; call chrome_memory_clear() in either case. */
bool chrome_memory_init(struct chrome_memory *memory);
void chrome_memory_clear(struct chrome_memory *memory);

/* Writes an EVENT_ALLOC or EVENT_FREE. False if out of memory. */
bool chrome_memory_write(struct chrome_memory *memory, struct json *json,
	const struct chrome_row *row, const struct event *event);

#endif

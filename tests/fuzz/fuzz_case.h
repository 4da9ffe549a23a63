/* SPDX-License-Identifier: MIT */
/* Code shared by the fuzz targets. */
#ifndef FUZZ_CASE_H
#define FUZZ_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* The target, as libFuzzer calls it. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts if the condition is false, which a fuzzer sees. */
void fuzz_require(bool condition);

/*
 * Calls `use` with a log. A block is used only if its CRC is right, which
 * random changes hardly ever achieve. So bytes that do not begin like a gzip
 * file count as unpacked blocks, each after its size in two bytes (little
 * endian), and become a log here.
 */
void fuzz_with_log(const uint8_t *bytes, size_t size,
	void (*use)(const void *log, size_t log_size));

/* Wraps a source, and ends after a number of events: a few bytes may unpack to
 * more than a fuzzer has time for. */
struct fuzz_source {
	struct event_source source;
	struct event_source *inner; /* borrowed */
	uint32_t left;
};

void fuzz_source_init(struct fuzz_source *limited, struct event_source *inner);

/* A limit for the memory of a log, for the same reason. */
#define FUZZ_MEMORY (UINT64_C(256) * 1024 * 1024)

#endif

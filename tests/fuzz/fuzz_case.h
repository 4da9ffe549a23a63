/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. */
#ifndef FUZZ_CASE_H
#define FUZZ_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* The target, as libFuzzer calls it. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts, which is what a fuzzer sees, if it is not so. */
void fuzz_require(bool condition);

/*
 * Calls `use` with a log. A block is used only if its CRC is right, which
 * chance hardly ever hits. So bytes that do not begin like a gzip file count as
 * unpacked blocks, each after its size in two bytes (little endian), and become
 * a log here.
 */
void fuzz_with_log(const uint8_t *bytes, size_t size,
	void (*use)(const void *log, size_t log_size));

/* A source over another that ends after some events, since a few bytes may
 * unpack to more than a fuzzer has time for. */
struct fuzz_source {
	struct event_source source;
	struct event_source *inner; /* borrowed */
	uint32_t left;
};

void fuzz_source_init(struct fuzz_source *limited, struct event_source *inner);

/* Memory that a log may ask for, likewise. */
#define FUZZ_MEMORY (UINT64_C(256) * 1024 * 1024)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the kernels of each device did: how often and how long each ran, and how
 * many floating point operations and bytes that was, where it is known.
 * Source: shared spec 06, "Table"; every launch counts, and each operation
 * once: see attribution.h.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "roofline/dtype.h"
#include "base/error.h"
#include "trace/event.h"
#include "roofline/peaks.h"

/* Work, and the time of those kernels that did it. */
struct kernels_work {
	uint64_t amount;
	uint64_t time_ns;
};

struct kernels_row {
	uint32_t device; /* index into the devices */
	uint32_t name;   /* strtab number */
	uint64_t count;
	uint64_t total_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	struct kernels_work flops[DTYPES]; /* by the type that was computed */
	struct kernels_work bytes;
};

struct kernels_device {
	int64_t pid;
	uint32_t number;
	uint64_t count;
	uint64_t total_ns;
	uint64_t helper_ns; /* for operators whose work others did */
	struct kernels_work flops;
	struct kernels_work bytes;
};

/* By name, in the order of enum kernels_key. */
#define KERNELS_KEY_WORDS "total|mean|min|max|count|flops|bytes|name"

enum kernels_key {
	KERNELS_TOTAL,
	KERNELS_MEAN,
	KERNELS_MIN,
	KERNELS_MAX,
	KERNELS_COUNT,
	KERNELS_FLOPS, /* per second */
	KERNELS_BYTES, /* per second */
	KERNELS_NAME
};

struct kernels;

/* `trace` is borrowed until kernels_free(). NULL if out of memory. */
struct kernels *kernels_new(const struct trace *trace);
void kernels_free(struct kernels *kernels);

/* Takes one event. Memory: that of attribution.h, and the names. Errors:
 * CTP_ERR_NOMEM. */
enum ctp_status kernels_add(struct kernels *kernels, const struct event *event,
	struct ctp_error *err);

/* After the last event, once. Errors: as above. */
enum ctp_status kernels_finish(struct kernels *kernels, struct ctp_error *err);

/* How many came too late to have a part of their operator's work: see
 * attribution_late(). */
uint64_t kernels_late(const struct kernels *kernels);

/* By device, and there by the key: the largest first, names from A. After
 * kernels_finish(). */
void kernels_sort(struct kernels *kernels, enum kernels_key key);

/* Devices by process and number. Borrowed until kernels_free(). */
const struct kernels_device *kernels_devices(
	const struct kernels *kernels, uint32_t *count);
const struct kernels_row *kernels_rows(
	const struct kernels *kernels, uint32_t *count);

/* All of a row's operations, whatever they were computed with. */
struct kernels_work kernels_flops(const struct kernels_row *row);

/* Units of work in a second; false if there is no such number. */
bool kernels_rate(const struct kernels_work *work, uint64_t *per_s);

/*
 * How much of what the device can do at most was achieved while the kernel ran;
 * with `usual` for types that are not known. False if that is not known.
 *
 * Units: hundredths of a percent. More than 10000 says that the kernel did less
 * than what its operator asks for, or with another type.
 */
bool kernels_flops_share(const struct kernels_row *row, const struct peak *peak,
	enum dtype usual, uint64_t *share);
bool kernels_bytes_share(const struct kernels_row *row, const struct peak *peak,
	uint64_t *share);

#endif

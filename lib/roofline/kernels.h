/* SPDX-License-Identifier: MIT */
/*
 * Kernel statistics per device: count, time and, if known, floating-point
 * operations and bytes. Statistics of several traces can be added up by the names
 * of devices and kernels.
 * Source: shared spec 06, "Table"; every launch counts, and each operation
 * counts once: see attribution.h.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "roofline/dtype.h"
#include "base/error.h"
#include "trace/event.h"
#include "roofline/peaks.h"

/* Work, and the time of the kernels that did it. */
struct kernels_work {
	uint64_t amount;
	uint64_t time_ns;
};

struct kernels_row {
	uint32_t device; /* index into the devices */
	uint32_t name;   /* see kernels_name() */
	uint64_t count;
	uint64_t total_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	struct kernels_work flops[DTYPES]; /* by element type */
	struct kernels_work bytes;
	/* Steps of the device's clock for all launches: see
	 * kernels_apply_peak(). */
	uint64_t tolerance_ns;
	/* Operations or bytes exceeded a peak: see kernels_apply_peak(). */
	bool flops_misfit;
	bool bytes_misfit;
};

struct kernels_device {
	int64_t pid;           /* in a sum 0, like the number */
	uint32_t number;       /* within the process */
	uint32_t model;        /* see kernels_model() */
	uint64_t devices;      /* number of devices added up */
	uint64_t memory_bytes; /* of the largest of them; 0: unknown */
	uint64_t count;
	uint64_t total_ns;
	uint64_t helper_ns; /* of kernels without a share of the work */
	struct kernels_work flops;
	struct kernels_work bytes;
	uint64_t flops_misfit_ns; /* of kernels that exceeded a peak */
	uint64_t bytes_misfit_ns;
	/* Step of its clock, at least 1, as far as the durations reveal it. */
	uint32_t clock_ns;
};

struct kernels;

/* `trace` is borrowed until kernels_free(). NULL if out of memory. */
struct kernels *kernels_new(const struct trace *trace);
void kernels_free(struct kernels *kernels);

/*
 * An empty sum, whose devices are those of one name. It takes no events.
 * Integers are added and saturate; the result does not depend on the order.
 */
struct kernels *kernels_new_sum(void);

/* Adds a sum, or the kernels of a trace after kernels_finish(). No peak may have
 * been applied to either. False if out of memory. */
bool kernels_add_all(struct kernels *sum, const struct kernels *from);

/* The parts of kernels_add_all(): add a device with its model's name, "" if
 * unknown, and return its index, UINT32_MAX if out of memory; add a row of that
 * device. */
uint32_t kernels_add_device(struct kernels *sum,
	const struct kernels_device *device, const char *model);
bool kernels_add_row(
	struct kernels *sum, const struct kernels_row *row, const char *name);
void kernels_add_late(struct kernels *sum, uint64_t late);

/* Call it before the first event to have kernels_ops(), too. False if out of
 * memory. */
bool kernels_keep_ops(struct kernels *kernels);

/* Adds an event. Memory: that of attribution.h, and names. Errors:
 * CTP_ERR_NOMEM. */
enum ctp_status kernels_add(
	void *kernels, const struct event *event, struct ctp_error *err);

/* Call it once, after the last event. A sum may be finished again, but nothing
 * is added to it after that. Errors: CTP_ERR_NOMEM. */
enum ctp_status kernels_finish(void *kernels, struct ctp_error *err);

/* Number of kernels of a trace that arrived too late for a share of work: see
 * attribution_late(). */
uint64_t kernels_late(const struct kernels *kernels);

/*
 * Sets the work of a device's rows that exceeds the peak to 0 and marks them:
 * the model of the work does not fit. A row may exceed it by the step of the
 * device's clock per launch, and by KERNELS_BOOST. Operations of a type without
 * a peak are compared with the highest peak of all types. Call it after
 * kernels_finish(), once for each device, and before kernels_sort().
 * Source: the figures of data sheets hold for the boost clock. The highest
 * clock of an H100 SXM is 1980 MHz, 8.2 % above the 1830 MHz of its figures.
 */
#define KERNELS_BOOST 10 /* percent */
void kernels_apply_peak(struct kernels *kernels, uint32_t device,
	const struct peak *peak, enum dtype usual);

/* Sorts by device, then by value, largest first, then by name. Call it after
 * kernels_finish(), which sorts by total time. */
typedef uint64_t kernels_value_fn(
	const struct kernels_row *row, const void *user);
void kernels_sort(
	struct kernels *kernels, kernels_value_fn *value, const void *user);

/* The name of a row, and of a device's model, which is NULL if unknown; `size`
 * may be NULL, as for strtab_text(). Borrowed until kernels_free(). */
const char *kernels_name(
	const struct kernels *kernels, const struct kernels_row *row);
const char *kernels_model(const struct kernels *kernels,
	const struct kernels_device *device, size_t *size);

/* Whether it is from kernels_new_sum(). */
bool kernels_is_sum(const struct kernels *kernels);

/* Devices sorted by process and number; of a sum by model. Borrowed until
 * kernels_free(). */
const struct kernels_device *kernels_devices(
	const struct kernels *kernels, uint32_t *count);
const struct kernels_row *kernels_rows(
	const struct kernels *kernels, uint32_t *count);

/* The work of operators by their names and the shapes of their inputs, most time
 * first. `count` is the number of calls that launched kernels. The shortest and
 * longest time are unknown. kernels_op_name() is as attribution_op_name(). */
const struct kernels_row *kernels_ops(
	const struct kernels *kernels, uint32_t *count);
const char *kernels_op_name(
	const struct kernels *kernels, const struct kernels_row *row);

/* Sum of a row's operations over all types. */
struct kernels_work kernels_flops(const struct kernels_row *row);

/* Units of work per second; false if that cannot be computed. */
bool kernels_rate(const struct kernels_work *work, uint64_t *per_s);

/*
 * Share of the device's peak that the kernel reached; unknown types count as
 * `usual`. False if unknown.
 *
 * Units: hundredths of a percent. More than 10000 is within the tolerance of
 * kernels_apply_peak().
 */
bool kernels_flops_share(const struct kernels_row *row, const struct peak *peak,
	enum dtype usual, uint64_t *share);
bool kernels_bytes_share(const struct kernels_row *row, const struct peak *peak,
	uint64_t *share);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * When devices were idle, and why. A device is busy while any of its kernels,
 * copies or memsets runs, on any stream. The rest of its process's time is
 * idle, and all idle time is charged to one cause each. Until the activity that
 * ends a gap was launched, the cause is the work of the launching thread. After
 * that, the activity waited to start. Source: shared spec 04; this is its
 * robust form, which is correct with graphs, copies and several streams.
 *
 * The gaps of several traces can be added up by the names of devices and places.
 */
#ifndef GAPS_H
#define GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gaps/launch_table.h"
#include "trace/event.h"
#include "trace/trace.h"

/* Why a device is idle. */

enum gap_cause {
	GAP_HOST,    /* the launching thread was busy */
	GAP_SYNC,    /* it waited for the device */
	GAP_COPY,    /* it was in a copying call */
	GAP_DATA,    /* it loaded data */
	GAP_QUEUED,  /* the next activity was launched, but not started */
	GAP_NOTHING, /* nothing more was launched */
	GAP_UNKNOWN, /* the launch of the next activity is unknown */
	GAP_CAUSES
};

/* "host", and "host code". */
const char *gap_cause_name(enum gap_cause cause);
const char *gap_cause_description(enum gap_cause cause);

/* The activity of a thread in a range of this site: GAP_HOST, GAP_SYNC,
 * GAP_COPY or GAP_DATA. */
enum gap_cause gap_cause_of_site(const struct trace *trace, uint32_t site);

/* In ns, with any number of digits that sums need. */
__extension__ typedef unsigned __int128 gaps_area;

/* busy_ns + idle_ns = span_ns; idle_ns is the sum of cause_ns. */
struct gaps_device {
	int64_t pid;      /* in a sum 0, like the next */
	uint32_t number;  /* within the process */
	int64_t start_ns; /* known start of its process */
	uint32_t model;   /* see gaps_model() */
	uint64_t devices; /* number of devices added up */
	uint64_t span_ns;
	uint64_t busy_ns;
	uint64_t kernel_ns; /* a kernel ran */
	/* The same of kernels that compute, of those that communicate
	 * (communication.h), and of copies and memsets. */
	uint64_t compute_ns;
	uint64_t communication_ns;
	uint64_t copy_ns;
	uint64_t idle_ns;
	uint64_t cause_ns[GAP_CAUSES];
	uint64_t gaps;
	uint64_t longest_ns;
	uint64_t activities;
	/* Kernels launched but not started: the maximum, the mean over the
	 * span in thousandths, and the sum over the span. */
	uint64_t queue_max;
	uint64_t queue_mean;
	gaps_area queue_sum;
};

/* Idle time of a device covered by the same code. */
struct gaps_place {
	uint32_t device; /* index into devices */
	enum gap_cause cause;
	uint32_t name; /* for gaps_text(): the innermost range that is not a */
	uint32_t file; /* device API call; 0: none */
	uint32_t line;
	uint32_t call; /* of the API call inside that; 0: none */
	uint64_t idle_ns;
	uint64_t count; /* number of intervals */
	uint64_t longest_ns;
};

/* Whether host code distinguishes this place from others of the same cause. */
static inline bool gaps_place_has_code(const struct gaps_place *place)
{
	return place->cause <= GAP_DATA;
}

/* Communication without computation at the same time: a kernel ran, but none
 * that computes. */
static inline uint64_t gaps_exposed_ns(uint64_t kernel_ns, uint64_t compute_ns)
{
	return kernel_ns - compute_ns;
}

static inline uint64_t gaps_device_exposed_ns(const struct gaps_device *device)
{
	return gaps_exposed_ns(device->kernel_ns, device->compute_ns);
}

struct gaps;

/* The counters over time. */
enum gaps_line {
	GAPS_IDLE,  /* 1: the device is idle; from the start of its span on */
	GAPS_QUEUE, /* kernels launched but not started */
	GAPS_LINES
};

/* The value from this time on. The last of several at one time counts. */
struct gaps_level {
	enum gaps_line line;
	uint32_t device; /* index into devices */
	int64_t time_ns;
	uint64_t value;
};

/* gaps_finish() calls it for every level, in order of time for each line of a
 * device, and returns its errors. */
struct gaps_watch {
	enum ctp_status (*report)(void *user, const struct gaps_level *level,
		struct ctp_error *err);
	void *user;
};

/* `trace` is borrowed until gaps_free(). NULL if out of memory. */
struct gaps *gaps_new(const struct trace *trace);

/* The same, but reports the lines instead of the places of idle time; devices
 * are in any order. */
struct gaps *gaps_new_watched(
	const struct trace *trace, const struct gaps_watch *watch);
void gaps_free(struct gaps *gaps);

/*
 * An empty sum, whose devices are those of one name. It takes no events.
 * Integers are added and saturate, and the longest gap and the highest maximum
 * are kept: the result does not depend on the order.
 */
struct gaps *gaps_new_sum(void);

/* Adds a sum, or the gaps of a trace after gaps_finish(). False if out of
 * memory. */
bool gaps_add_all(struct gaps *sum, const struct gaps *from);

/* The parts of gaps_add_all(): add a device with its model's name, "" if
 * unknown, and return its index, UINT32_MAX if out of memory; add a place of
 * that device. */
struct gaps_place_text {
	const char *name, *file, *call;
};
uint32_t gaps_add_device(
	struct gaps *sum, const struct gaps_device *device, const char *model);
bool gaps_add_place(struct gaps *sum, const struct gaps_place *place,
	const struct gaps_place_text *text);

/*
 * Adds an event. Memory: names, tracks and open ranges; everything else is in
 * temporary files (extsort.h).
 *
 * Errors: CTP_ERR_NOMEM; CTP_ERR_IO for the temporary files.
 */
enum ctp_status gaps_add(
	void *gaps, const struct event *event, struct ctp_error *err);

/* Finds the call that launched an activity, after gaps_add() got it; false if
 * unknown. */
bool gaps_find_launch(const struct gaps *gaps, const struct event *event,
	struct launch *launch);

/* Call it once, after the last event. A sum may be finished again, but nothing
 * is added to it after that. Errors: as above. */
enum ctp_status gaps_finish(void *gaps, struct ctp_error *err);

/* The texts of a place, and the name of a device's model, which is NULL if
 * unknown; `size` may be NULL, as for strtab_text(). Borrowed until
 * gaps_free(). */
const char *gaps_text(const struct gaps *gaps, uint32_t number);
const char *gaps_model(const struct gaps *gaps,
	const struct gaps_device *device, size_t *size);

/* Whether it is from gaps_new_sum(). */
bool gaps_is_sum(const struct gaps *gaps);

/* Devices sorted by process and number, those of a sum by model; places by idle
 * time, longest first. Borrowed until gaps_free(). */
const struct gaps_device *gaps_devices(
	const struct gaps *gaps, uint32_t *count);
const struct gaps_place *gaps_places(const struct gaps *gaps, uint32_t *count);

#endif

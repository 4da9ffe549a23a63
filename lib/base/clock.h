/* SPDX-License-Identifier: MIT */
/* The recorder's clock, its scale to nanoseconds, and its relation to the
 * kernel's clocks. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* One instant on all clocks. */
struct clock_sync {
	uint64_t ticks;
	int64_t raw_ns;      /* CLOCK_MONOTONIC_RAW */
	int64_t realtime_ns; /* CLOCK_REALTIME */
};

/* Ticks to nanoseconds since `start`. */
struct clock_scale {
	uint64_t start;
	uint64_t ns_per_tick; /* 32.32 fixed point */
};

/*
 * Whether there is a counter that runs at one rate on all CPUs: x86-64's
 * time-stamp counter, aarch64's generic timer.
 * Source: CPUID 0x80000007 EDX bit 8, Intel SDM vol. 3 section 18.17.1; AMD APM
 * vol. 3, the same bit. Arm ARM (DDI 0487), "The Generic Timer": always one
 * rate; 1 GHz from Armv8.6 on, a few to 100 MHz before. The kernel's own
 * verdict counts, too, since a hypervisor may advertise an unreliable counter:
 * current_clocksource is "tsc" or "kvm-clock" or "hyperv_clocksource_tsc_page",
 * or "arch_sys_counter"if the counter is trusted.
 */
bool clock_has_tsc(void);

/* The time now: the counter if `tsc`, else CLOCK_MONOTONIC_RAW. */
uint64_t clock_ticks(bool tsc);

/*
 * Makes the system clock count events: only clock_stamp() advances it, by 1,
 * for all threads together. So the times of a recording are reproducible.
 */
void clock_count_events(bool on);

/* The time of an event to be recorded now. */
uint64_t clock_stamp(bool tsc);

/*
 * The cost of recording a range, in picoseconds, from that of reading the clock
 * twice; the least of a few tries. 0 if the clock counts events.
 * Source: doc/BENCHMARKS.md, where a range costs 1.05 to 1.31 times that.
 */
uint32_t clock_range_ps(bool tsc);

/* CLOCK_MONOTONIC_RAW. */
int64_t clock_raw_ns(void);

/* Reads all clocks together; the closest of a few tries. */
struct clock_sync clock_sync_now(bool tsc);

/*
 * The scale between two instants, for ticks counted from `from`. Exactly 1 if
 * not `tsc`. The instants should be at least a millisecond apart.
 */
struct clock_scale clock_scale_between(
	const struct clock_sync *from, const struct clock_sync *to, bool tsc);

/* Nanoseconds since scale->start; negative before it. Inline: the packer does
 * this for every event. */
static inline int64_t clock_ns(const struct clock_scale *scale, uint64_t ticks)
{
	uint64_t rate = scale->ns_per_tick;
	int64_t since = (int64_t)(ticks - scale->start);
	uint64_t size = since < 0 ? 0 - (uint64_t)since : (uint64_t)since;
	uint64_t low = size & UINT32_MAX;
	uint64_t ns = (size >> 32) * rate + low * (rate >> 32) +
		      (low * (rate & UINT32_MAX) >> 32);

	return (int64_t)(since < 0 ? 0 - ns : ns);
}

/*
 * The same for instants of at most 2^63 ticks from an origin, one after the
 * other: from one to the next, clock_ns() grows by one product if they are
 * close.
 */
struct clock_steps {
	struct clock_scale scale;
	uint64_t origin;
	uint64_t rate;
	uint64_t most;     /* ticks to the next instant, if it is close */
	uint64_t last;     /* ticks from the origin to the last instant */
	uint64_t fraction; /* of its nanoseconds, in 2^-32 */
};

#define CLOCK_STEP_MAX UINT16_MAX /* ns */

static inline struct clock_steps clock_steps(
	const struct clock_scale *scale, uint64_t origin)
{
	return (struct clock_steps){
		*scale, origin, scale->ns_per_tick, 0, UINT64_MAX, 0};
}

/* Sets by how many nanoseconds this instant is later than the last, if they are
 * close; else false, and clock_steps_jump() is due. */
static inline bool clock_steps_add(
	struct clock_steps *steps, uint64_t ticks, uint32_t *ns)
{
	const uint64_t elapsed = ticks - steps->last;
	const uint64_t sum = steps->fraction + elapsed * steps->rate;

	if (elapsed > steps->most)
		return false;
	steps->last = ticks;
	steps->fraction = (uint32_t)sum;
	*ns = (uint32_t)(sum >> 32);
	return true;
}

/* clock_ns() of the last instant. */
static inline int64_t clock_steps_ns(const struct clock_steps *steps)
{
	return clock_ns(&steps->scale, steps->origin + steps->last);
}

/* Passes to any instant. Before the scale's start clock_ns() rounds in the other
 * direction, so there are no steps. */
static inline void clock_steps_jump(struct clock_steps *steps, uint64_t ticks)
{
	const uint64_t since = steps->origin + ticks - steps->scale.start;
	const uint64_t most = (uint64_t)CLOCK_STEP_MAX << 32;

	steps->last = ticks;
	steps->fraction = (uint32_t)(since * steps->rate);
	steps->most = since > INT64_MAX  ? 0
		      : steps->rate == 0 ? most
					 : most / steps->rate;
}

#endif

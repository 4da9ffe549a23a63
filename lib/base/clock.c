/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "ctprof.h"

#define SYNC_TRIES 5

/* Ranges for which the clock is read to measure their cost, and picoseconds of
 * a range for each nanosecond of these readings: a fifth more. */
#define RANGE_READS 64
#define RANGE_SCALE 1200

#ifdef CTP_INLINE_TICKS

/* Names of the kernel's clock source if it uses the counter. */
static const char *const trusted[] = {
#if defined(__x86_64__)
	"tsc", "kvm-clock", "hyperv_clocksource_tsc"
#else
	"arch_sys_counter"
#endif
};

/* Whether the kernel itself uses the counter. Without the file (a container
 * without /sys), trust the CPU. */
static bool kernel_trusts_tsc(void)
{
	char name[32] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/"
		      "current_clocksource",
		O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return true;
	got = read(fd, name, sizeof(name) - 1);
	(void)close(fd);
	if (got <= 0)
		return true;
	for (size_t i = 0; i < sizeof(trusted) / sizeof(trusted[0]); i++)
		if (strncmp(name, trusted[i], strlen(trusted[i])) == 0)
			return true;
	return false;
}

#if defined(__x86_64__)
static bool is_invariant(void)
{
	unsigned a, b, c, d;

	if ((unsigned)__get_cpuid_max(0x80000000u, NULL) < 0x80000007u)
		return false;
	__cpuid(0x80000007u, a, b, c, d);
	(void)a;
	(void)b;
	(void)c;
	return (d >> 8 & 1u) != 0;
}
#else
static bool is_invariant(void)
{
	return true;
}
#endif

bool clock_has_tsc(void)
{
	return is_invariant() && kernel_trusts_tsc();
}

static uint64_t tsc_ticks(void)
{
	return CTP_INLINE_TICKS();
}

#else

bool clock_has_tsc(void)
{
	return false;
}

static uint64_t tsc_ticks(void)
{
	return 0;
}

#endif

static int64_t system_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct {
	_Atomic bool on;
	_Atomic uint64_t count;
} events;

void clock_count_events(bool on)
{
	atomic_store(&events.on, on);
}

/* The reference clock of the recording's times. */
static int64_t raw_ns(void)
{
	return atomic_load_explicit(&events.on, memory_order_relaxed)
		       ? (int64_t)atomic_load(&events.count)
		       : system_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t clock_ticks(bool tsc)
{
	return tsc ? tsc_ticks() : (uint64_t)raw_ns();
}

uint64_t clock_stamp(bool tsc)
{
	if (!tsc && atomic_load_explicit(&events.on, memory_order_relaxed))
		return atomic_fetch_add(&events.count, 1) + 1;
	return clock_ticks(tsc);
}

/* Reads the clock for some ranges: two times each. */
static int64_t read_for_ranges(bool tsc)
{
	int64_t start_ns = clock_raw_ns();

	for (int i = 0; i < 2 * RANGE_READS; i++)
		(void)clock_stamp(tsc);
	return clock_raw_ns() - start_ns;
}

uint32_t clock_range_ps(bool tsc)
{
	int64_t least_ns = INT64_MAX;

	if (!tsc && atomic_load(&events.on))
		return 0;
	for (int i = 0; i < SYNC_TRIES; i++) {
		int64_t took_ns = read_for_ranges(tsc);

		least_ns = took_ns < least_ns ? took_ns : least_ns;
	}
	if (least_ns <= 0)
		return 0;
	return least_ns > UINT32_MAX / RANGE_SCALE
		       ? UINT32_MAX
		       : (uint32_t)(least_ns * RANGE_SCALE / RANGE_READS);
}

int64_t clock_raw_ns(void)
{
	return system_ns(CLOCK_MONOTONIC_RAW);
}

struct clock_sync clock_sync_now(bool tsc)
{
	struct clock_sync best = {0, 0, 0};
	uint64_t best_width = UINT64_MAX;

	for (int i = 0; i < SYNC_TRIES; i++) {
		uint64_t before = clock_ticks(tsc);
		int64_t raw = raw_ns();
		uint64_t after = clock_ticks(tsc);
		int64_t realtime_ns = system_ns(CLOCK_REALTIME);

		if (after - before < best_width) {
			best_width = after - before;
			best.ticks = before + best_width / 2;
			best.raw_ns = raw;
			best.realtime_ns = realtime_ns;
		}
	}
	return best;
}

struct clock_scale clock_scale_between(
	const struct clock_sync *from, const struct clock_sync *to, bool tsc)
{
	struct clock_scale scale = {from->ticks, UINT64_C(1) << 32};
	uint64_t ticks = to->ticks - from->ticks;
	int64_t ns = (int64_t)((uint64_t)to->raw_ns - (uint64_t)from->raw_ns);

	if (!tsc || ticks == 0 || ns <= 0)
		return scale;
	/* Long spans would overflow ns << 32; their low bits do not matter. */
	while ((uint64_t)ns >> 31 != 0) {
		ns >>= 1;
		ticks >>= 1;
	}
	if (ticks != 0)
		scale.ns_per_tick = ((uint64_t)ns << 32) / ticks;
	return scale;
}

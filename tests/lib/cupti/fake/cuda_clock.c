/* SPDX-License-Identifier: MIT */
/*
 * The clock of CUPTI's times. FAKE_CUPTI_CLOCK chooses: by default the time of
 * day, as in all known versions; "epoch", a clock with another start; "drift",
 * one that is 200 ppm fast. A program may put each forward.
 */
#include "cuda_clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Atomic int64_t stepped_ns;
static const char *kind;

__attribute__((constructor)) static void choose(void)
{
	kind = getenv("FAKE_CUPTI_CLOCK");
	if (kind != NULL && kind[0] == '\0')
		kind = NULL;
}

static int64_t read_ns(clockid_t id)
{
	struct timespec now;

	(void)clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t cuda_clock_ns(void)
{
	int64_t step = atomic_load(&stepped_ns);
	int64_t now;

	if (kind == NULL)
		return read_ns(CLOCK_REALTIME) + step;
	now = read_ns(CLOCK_MONOTONIC);
	if (strcmp(kind, "drift") == 0)
		now += now / 5000;
	return now + 77000000000000 + step;
}

void cuda_clock_step(int64_t ns)
{
	(void)atomic_fetch_add(&stepped_ns, ns);
}

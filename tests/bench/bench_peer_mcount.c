/* SPDX-License-Identifier: MIT */
/*
 * The dynamic linker chooses the function that the compiler's calls reach.
 * Compiled with -pg and run alone, glibc's mcount counts for gprof; run by
 * `uftrace record`, uftrace's takes its place. Compiled with
 * -finstrument-functions and run alone, glibc's hooks do nothing; run by
 * uftrace, uftrace's take theirs.
 */
#include "bench_plain.h"

static bool start(const char *out)
{
	(void)out;
	return true;
}

static void stop(void)
{
}

const struct peer peer = {"mcount", start, peer_no_reason, stop};

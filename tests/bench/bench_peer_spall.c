/* SPDX-License-Identifier: MIT */
/*
 * spall's native header, as its own example uses it: a buffer of 1 MiB, and the
 * processor's counter, converted by the viewer.
 *
 * Source: spall.h of https://github.com/colrdavidson/spall-web, which is not
 * packaged. Put it into bench-peers/spall.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ctprof.h>
#include <spall.h>

#define BUFFER_BYTES ((size_t)1024 * 1024)
#define NS_PER_TICK 0.4 /* only the viewer needs it */

enum { loop = 64 }; /* the site of peer_loop() */

static SpallProfile profile;
static SpallBuffer buffer;

/* Names have two digits, so that each has the same size. */
static const char names[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "5051525354555657585960616263lo";

#define ENTER(n) \
	(void)spall_buffer_begin( \
		&profile, &buffer, names + 2 * (n), 2, CTP_INLINE_TICKS())
#define LEAVE(n) (void)spall_buffer_end(&profile, &buffer, CTP_INLINE_TICKS())

#include "bench_graph.h"

static bool start(const char *out)
{
	buffer.data = malloc(BUFFER_BYTES);
	buffer.length = BUFFER_BYTES;
	if (buffer.data == NULL)
		return false;
	memset(buffer.data, 1, BUFFER_BYTES);
	return spall_init_file(out, NS_PER_TICK, &profile) &&
	       spall_buffer_init(&profile, &buffer);
}

static void stop(void)
{
	(void)spall_buffer_quit(&profile, &buffer);
	spall_quit(&profile);
	free(buffer.data);
}

static const char *why(void)
{
	return "spall cannot open its file";
}

const struct peer peer = {"spall", start, why, stop};

/* SPDX-License-Identifier: MIT */
/*
 * ctprof on an unmodified program: compiled with -finstrument-functions, and
 * linked with libctprof-instrument, so that the harness can control when
 * recording begins and ends.
 */
#include <ctprof.h>

#include "bench_plain.h"

static __attribute__((no_instrument_function)) bool start(const char *out)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = out;
	return ctp_start(&options) == CTP_OK;
}

static __attribute__((no_instrument_function)) void stop(void)
{
	(void)ctp_stop();
}

const struct peer peer = {"ctprof-instrument", start, ctp_status, stop};

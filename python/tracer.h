/* SPDX-License-Identifier: MIT */
/* Ranges that nest with the frames of the thread. */
#ifndef TRACER_H
#define TRACER_H

#include <stdbool.h>

#include "ctprof.h"

static inline void tracer_begin(struct ctp_site *site, void *identity)
{
	(void)identity;
	ctp_begin(site);
}

static inline bool tracer_end(void *identity)
{
	(void)identity;
	ctp_end();
	return true;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Recording calls that other files of the recorder make. */
#ifndef RECORD_H
#define RECORD_H

#include "ctprof.h"

/* The global step became `step`, `advance` more than it was. */
void record_step(struct ctp_site *requester, int64_t step, int64_t advance);

#endif

/* SPDX-License-Identifier: MIT */
/* Why a device is idle. */
#ifndef GAP_CAUSE_H
#define GAP_CAUSE_H

#include "trace/trace.h"

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

#endif

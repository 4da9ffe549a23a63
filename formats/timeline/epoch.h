/* SPDX-License-Identifier: MIT */
/* The time that a track's times in a file are relative to. */
#ifndef EPOCH_H
#define EPOCH_H

#include <stdint.h>

#include "trace/event.h"
#include "trace/trace.h"

/*
 * The epoch of the track of this event, its first. A timeline has the program's own;
 * where these are of the wall clock, as time.time_ns() of Python is, it stands
 * beside the measured tracks of the same moments.
 */
int64_t epoch_of_track(const struct trace *trace, const struct event *first);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Finds the clock offsets between recordings from events that happened in all
 * of them at the same time: a range of a given name, or the ends of collective
 * operations, which no rank leaves before the last one has entered.
 *
 * Memory: ALIGN_MARKS_MAX collectives per recording.
 */
#ifndef ALIGN_H
#define ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

/* 16 MiB; no clock offset needs more. */
#define ALIGN_MARKS_MAX (UINT32_C(1) << 20)

/* A time that is the same in every recording with this key. */
struct align_mark {
	uint64_t key;
	int64_t time_ns;
};

struct align_marks {
	struct align_mark *marks; /* by key */
	uint32_t count;
	uint32_t room;
};

/* The offset to add to a recording's times. */
struct align_shift {
	bool known;
	int64_t shift_ns;
	uint32_t matched;   /* number of common marks */
	uint64_t spread_ns; /* largest error of nine in ten of them */
};

/* Reads the source to its end and finds the first range, instant or activity of
 * this name. Errors: those of the source. */
enum ctp_status align_find(struct event_source *source, const char *name,
	struct align_marks *marks, struct ctp_error *err);

/*
 * Reads the source to its end and collects the kernels of collectives: NCCL's
 * and RCCL's, identified by the process group, name and number that PyTorch's
 * profiler adds. Without a number they are counted per name and group, and
 * match only between recordings that have equally many. A recording without
 * such kernels has its annotations of collectives instead ("nccl:all_reduce"),
 * and without those its kernels named SendRecv, which make up all-to-alls.
 * Source: torch/csrc/distributed/c10d/ParamCommsUtils.hpp;
 * libkineto/src/CuptiActivity.cpp.
 *
 * Errors: those of the source; CTP_ERR_NOMEM.
 */
enum ctp_status align_collect(struct event_source *source,
	struct align_marks *marks, struct ctp_error *err);

void align_marks_clear(struct align_marks *marks);

/* Computes the shifts to the clock of the first recording: the median over the
 * marks shared with it, or with others whose shift is known by then. False if
 * out of memory. */
bool align_solve(const struct align_marks *marks, uint32_t count,
	struct align_shift *shifts);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * How far the clocks of several recordings are apart, by what happened in all
 * of them at the same moment: a range of some name, or the ends of collective
 * operations, which no rank leaves before the last one has come.
 *
 * Memory: ALIGN_MARKS_MAX collectives of each recording.
 */
#ifndef ALIGN_H
#define ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

/* In 16 MiB; more than these are not needed to know a clock. */
#define ALIGN_MARKS_MAX (UINT32_C(1) << 20)

/* The same moment in every recording that has this key. */
struct align_mark {
	uint64_t key;
	int64_t time_ns;
};

struct align_marks {
	struct align_mark *marks; /* by key */
	uint32_t count;
	uint32_t room;
};

/* What is to be added to a recording's times. */
struct align_shift {
	bool known;
	int64_t shift_ns;
	uint32_t matched;   /* moments that it was found by */
	uint64_t spread_ns; /* how far nine of ten of these are off, at most */
};

/* Reads the source to its end, for the first range, instant or activity of
 * this name. Errors: those of the source. */
enum ctp_status align_find(struct event_source *source, const char *name,
	struct align_marks *marks, struct ctp_error *err);

/*
 * Reads the source to its end, for the kernels of collectives: of NCCL and
 * RCCL, with the process group, name and number that PyTorch's profiler gives
 * them; without a number, the first of this name, the second, and so on, where
 * recordings have equally many.
 * Source: torch/csrc/distributed/c10d/ParamCommsUtils.hpp;
 * libkineto/src/CuptiActivity.cpp.
 *
 * Errors: those of the source; CTP_ERR_NOMEM.
 */
enum ctp_status align_collect(struct event_source *source,
	struct align_marks *marks, struct ctp_error *err);

void align_marks_clear(struct align_marks *marks);

/* The shifts to the clock of the first, by the median of what they share with
 * it, or with others that are known by then. False if out of memory. */
bool align_solve(const struct align_marks *marks, uint32_t count,
	struct align_shift *shifts);

#endif

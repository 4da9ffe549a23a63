/* SPDX-License-Identifier: MIT */
/* Facts in a pprof profile: the values of its samples, the sampling period, and
 * comments. */
#ifndef PPROF_FACTS_H
#define PPROF_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "pprof/pprof_tables.h"
#include "trace/trace.h"

#define PPROF_COMMENTS_MAX 16

/* Numbers of strings. */
struct pprof_type {
	uint32_t type;
	uint32_t unit;
};

/* Zero-initialize. */
struct pprof_facts {
	struct pprof_type *types;
	uint32_t type_count, type_room;
	uint32_t usual_type; /* 0: none */
	struct pprof_type period_type;
	int64_t period;
	uint32_t comments[PPROF_COMMENTS_MAX];
	unsigned comment_count;
	uint64_t bad;
	uint64_t left_out;  /* more comments */
	const char *wanted; /* type of the value to use; NULL: any */
	/* Set by pprof_facts_choose(): index of the value used, index of the
	 * call count (UINT32_MAX: none), and nanoseconds per unit of the
	 * value. */
	uint32_t taken;
	uint32_t calls;
	uint64_t scale;
};

void pprof_facts_clear(struct pprof_facts *facts);

/* Messages and fields of the profile. False if out of memory. */
bool pprof_facts_add_type(struct pprof_facts *facts, struct cursor message);
void pprof_facts_set_period_type(
	struct pprof_facts *facts, struct cursor message);
void pprof_facts_add_comment(struct pprof_facts *facts, uint64_t value);
void pprof_facts_add_comments(struct pprof_facts *facts, struct cursor numbers);

/* Chooses among the values, after all fields have been added. False if there is
 * no value of the type that is wanted. */
bool pprof_facts_choose(
	struct pprof_facts *facts, const struct pprof_tables *tables);

/* Then stores them as facts of the trace. False if out of memory. */
bool pprof_facts_store(const struct pprof_facts *facts,
	const struct pprof_tables *tables, struct trace *trace);

#endif

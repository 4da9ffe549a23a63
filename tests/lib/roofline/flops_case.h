/* SPDX-License-Identifier: MIT */
/* Hand-made operators, and the results of lib/roofline/flops.c for them. */
#ifndef FLOPS_CASE_H
#define FLOPS_CASE_H

#include "roofline/flops.h"

extern struct trace *flops_trace;
extern struct flops *flops_case;

/* Before and after each test. */
void flops_set_up(void);
void flops_tear_down(void);

uint32_t flops_number_of(const char *text);
uint32_t flops_add_op(const char *name, const char *category);
struct event_arg flops_json_arg(const char *key, const char *text);

/* The work of an operator with those of these arguments that are not NULL. */
struct flops_work flops_ask(const char *name, const char *dims,
	const char *types, const char *concrete);

#endif

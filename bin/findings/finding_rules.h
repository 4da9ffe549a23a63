/* SPDX-License-Identifier: MIT */
/* The rules of findings.c: each fills the text, and the share and cure if the
 * rule's own do not apply, and is true if it found something. */
#ifndef FINDING_RULES_H
#define FINDING_RULES_H

#include "findings/findings.h"

#define MILLION 1000000u

typedef bool finding_rule_fn(
	struct finding *finding, const struct findings_facts *facts);

/* The devices and kernels: finding_devices.c. */
finding_rule_fn finding_gpu_idle;
finding_rule_fn finding_exposed_communication;
finding_rule_fn finding_slow_kernels;
finding_rule_fn finding_straggler;

/* The host and its compilers: finding_functions.c. */
finding_rule_fn finding_losses;
finding_rule_fn finding_recording_cost;
finding_rule_fn finding_hot_function;
finding_rule_fn finding_many_calls;
finding_rule_fn finding_headers;
finding_rule_fn finding_templates;
finding_rule_fn finding_recompilations;
finding_rule_fn finding_graph_breaks;

/* Memory over time: finding_memory.c. */
finding_rule_fn finding_allocated_again;
finding_rule_fn finding_memory_growth;

/* The comparison with a base: finding_changes.c. */
finding_rule_fn finding_slower;
finding_rule_fn finding_gpu_slower;
finding_rule_fn finding_grown;
finding_rule_fn finding_added;

/* Sets the share; false if it is below `least_percent`. */
bool finding_set_share(struct finding *finding, uint64_t part, uint64_t whole,
	unsigned least_percent);

/* Write the sentence. */
void finding_set_text(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The share as text, "53 %". Returns `text`. */
#define FINDING_PERCENT 16
const char *finding_percent(char text[FINDING_PERCENT], uint32_t ppm);

/* A name in quotes, as one short printable line. Returns `text`. */
#define FINDING_NAME 96
const char *finding_name(char text[FINDING_NAME], const char *name);

#endif

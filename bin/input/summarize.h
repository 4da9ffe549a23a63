/* SPDX-License-Identifier: MIT */
/* Sums any inputs, also summaries, and writes a summary. */
#ifndef SUMMARIZE_H
#define SUMMARIZE_H

#include "input/aggregate.h"
#include "input/report.h"

/* Errors: reported; returns an exit status. Inputs that cannot be read are in
 * the summary as lost. Nothing is written if inputs are refused. */
int summarize_run(const struct aggregate_options *options,
	const struct output_options *output);

#endif

/* SPDX-License-Identifier: MIT */
#include "findings/findings_of.h"

bool findings_of_data(struct findings *findings, const struct page_data *data,
	const struct trace *trace, const struct compile *compile,
	struct profile *const *groups)
{
	struct ranks *ranks =
		data->summary == NULL ? NULL : data->summary->ranks;
	struct recording_cost cost;

	if (ranks != NULL && !ranks_sort(ranks))
		return false;
	recording_cost_find(&cost, trace, data->profile);
	findings_find(
		findings, &(struct findings_facts){.profile = data->profile,
				  .gaps = data->gaps,
				  .kernels = data->kernels,
				  .ranks = ranks,
				  .compile = compile,
				  .cost = &cost,
				  .losses = trace->losses,
				  .allocations = data->allocations,
				  .trace = trace,
				  .groups = groups});
	return true;
}

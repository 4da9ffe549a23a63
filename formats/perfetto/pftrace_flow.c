/* SPDX-License-Identifier: MIT */
#include "perfetto/pftrace_flow.h"

#include <string.h>

#include "protobuf/protobuf.h"

static void take_out(struct pftrace_flows *flows, uint32_t at)
{
	flows->count--;
	memmove(&flows->flows[at], &flows->flows[at + 1],
		(flows->count - at) * sizeof(flows->flows[0]));
}

bool pftrace_flows_add(struct pftrace_flows *flows, struct pftrace_flow flow,
	struct pftrace_flow *oldest)
{
	bool is_full = flows->count == PFTRACE_FLOWS_MAX;

	if (is_full) {
		*oldest = flows->flows[0];
		take_out(flows, 0);
	}
	flows->flows[flows->count++] = flow;
	return is_full;
}

static bool is_in(int64_t time_ns, const struct event *slice)
{
	return time_ns >= slice->time_ns &&
	       (uint64_t)time_ns - (uint64_t)slice->time_ns <= slice->dur_ns;
}

void pftrace_flows_take(struct pftrace_flows *flows, const struct event *slice,
	struct buffer *out)
{
	uint32_t i = 0;

	while (i < flows->count) {
		const struct pftrace_flow *flow = &flows->flows[i];

		if (is_in(flow->time_ns, slice)) {
			protobuf_add_fixed64(out, flow->field, flow->id);
			take_out(flows, i);
		} else {
			i++;
		}
	}
}

/* SPDX-License-Identifier: MIT */
#include "io/truncation.h"

#include <inttypes.h>
#include <stdio.h>

bool truncation_record(struct trace *trace, const struct ctp_error *error)
{
	char text[sizeof(error->message) + 32];

	trace_lose(trace, LOSS_TRUNCATED, 1);
	(void)snprintf(text, sizeof(text), "byte %" PRIu64 ": %s",
		error->offset, error->message);
	return trace_set_fact(trace, "damage", text);
}

bool truncation_suspect(struct trace *trace, const char *why)
{
	char text[128];

	if (trace_find_fact(trace, "damage") != NULL)
		return true;
	(void)snprintf(text, sizeof(text), "may be cut off: %s", why);
	return trace_set_fact(trace, "damage", text);
}

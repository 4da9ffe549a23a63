/* SPDX-License-Identifier: MIT */
/* The causes of gaps, and which of them a host range is. */
#include <string.h>

#include "gaps/gaps.h"

static const struct {
	const char *name;
	const char *description;
} causes[GAP_CAUSES] = {
	[GAP_HOST] = {"host", "host code before the launch"},
	[GAP_SYNC] = {"synchronization", "the host waited for the device"},
	[GAP_COPY] = {"copies", "the host was in a copy call"},
	[GAP_DATA] = {"data_loading", "the host loaded data"},
	[GAP_QUEUED] = {"queued", "launched but not started"},
	[GAP_NOTHING] = {"nothing_launched", "nothing more was launched"},
	[GAP_UNKNOWN] = {"unknown", "the launch is not in the trace"},
};

const char *gap_cause_name(enum gap_cause cause)
{
	return causes[cause].name;
}

const char *gap_cause_description(enum gap_cause cause)
{
	return causes[cause].description;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* CUDA's and HIP's copies and waits for the device. */
static enum gap_cause cause_of_call(const char *name)
{
	static const char *const waits[] = {"DeviceSynchronize",
		"StreamSynchronize", "EventSynchronize", "CtxSynchronize",
		"ThreadSynchronize"};
	static const char *const prefixes[] = {"cuda", "cu", "hip"};
	size_t i = 0;

	while (i < 3 && !begins_with(name, prefixes[i]))
		i++;
	if (i == 3)
		return GAP_HOST;
	name += strlen(prefixes[i]);
	if (begins_with(name, "Memcpy"))
		return GAP_COPY;
	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (begins_with(name, waits[i]))
			return GAP_SYNC;
	return GAP_HOST;
}

static bool loads_data(const struct trace *trace, uint32_t site)
{
	return strcasestr(trace_site_name(trace, site), "dataloader") != NULL ||
	       strcasestr(trace_site_file(trace, site), "dataloader") != NULL;
}

/* Python's names of waits, if the API call inside is unknown. */
static bool waits(const struct trace *trace, uint32_t site)
{
	const char *name = trace_site_name(trace, site);

	return begins_with(name, "<built-in ") &&
	       strstr(name, "synchronize") != NULL;
}

enum gap_cause gap_cause_of_site(const struct trace *trace, uint32_t site)
{
	if (trace_site_is_api(trace, site))
		return cause_of_call(trace_site_name(trace, site));
	if (waits(trace, site))
		return GAP_SYNC;
	return loads_data(trace, site) ? GAP_DATA : GAP_HOST;
}

/* SPDX-License-Identifier: MIT */
/*
 * What nvprof saves (`nvprof --export-profile FILE`), of any version; the Visual
 * Profiler has the same in some of its .nvvp files. Others are XML, and say
 * only what was to be recorded.
 * Source: torch.autograd.profiler's parse_nvprof_trace(); cupti_activity.h.
 */
#include <string.h>

#include "format.h"
#include "nvidia/sqlite_profile.h"

#define XML "<?xml"
#define SESSION "<session "

static bool is_session(const void *bytes, size_t size)
{
	return size >= sizeof(XML) &&
	       memcmp(bytes, XML, sizeof(XML) - 1) == 0 &&
	       memmem(bytes, size, SESSION, sizeof(SESSION) - 1) != NULL;
}

static unsigned probe(const void *bytes, size_t size)
{
	return is_session(bytes, size) ? 8 * (sizeof(XML) + sizeof(SESSION) - 2)
				       : sqlite_profile_probe(bytes, size);
}

static enum ctp_status open_events(FILE *in, const void *head, size_t head_size,
	struct event_source **out, struct ctp_error *err)
{
	if (is_session(head, head_size))
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"is a session of the Visual Profiler in XML, which "
			"has no events; 'nvprof --export-profile FILE "
			"PROGRAM' writes what ctprof reads");
	return sqlite_profile_open(in, head, head_size, out, err);
}

const struct format nvprof_format = {
	.name = "nvprof",
	.summary = "profile of nvprof or the Visual Profiler (SQLite)",
	.binary = true,
	.probe = probe,
	.open_events = open_events,
};

/* SPDX-License-Identifier: MIT */
/*
 * Reports of Nsight Systems, as `nsys export --type sqlite` writes them. Every
 * table may be missing, and columns differ between versions. Reports in their
 * own form (.nsys-rep, .qdrep) are known, but nobody else can read them.
 * Source: the comments in exported schemas 3.1.2 to 3.25.0.
 */
#include <string.h>

#include "format.h"
#include "nvidia/sqlite_profile.h"

#define REPORT "NVIDIA Tegra Profiler Report"

static bool is_report(const void *bytes, size_t size)
{
	return size >= sizeof(REPORT) - 1 &&
	       memcmp(bytes, REPORT, sizeof(REPORT) - 1) == 0;
}

static unsigned probe(const void *bytes, size_t size)
{
	return is_report(bytes, size) ? 8 * (sizeof(REPORT) - 1)
				      : sqlite_profile_probe(bytes, size);
}

static enum ctp_status open_events(FILE *in, const void *head, size_t head_size,
	struct event_source **out, struct ctp_error *err)
{
	if (is_report(head, head_size))
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"is a report of Nsight Systems in its own form; "
			"'nsys export --type sqlite FILE' makes a database of "
			"it, which ctprof reads");
	return sqlite_profile_open(in, head, head_size, out, err);
}

const struct format nsys_format = {
	.name = "nsys",
	.summary = "report of Nsight Systems, exported to SQLite",
	.binary = true,
	.probe = probe,
	.open_events = open_events,
};

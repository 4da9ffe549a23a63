/* SPDX-License-Identifier: MIT */
/*
 * The formats of NVIDIA's profilers. A build without SQLite recognizes them, too.
 *
 * nsys: reports of Nsight Systems, as `nsys export --type sqlite` writes them.
 * Every table may be missing, and columns differ between versions. Native
 * reports (.nsys-rep, .qdrep) are recognized, but only NVIDIA's tools read
 * them. Source: the comments in exported schemas 3.1.2 to 3.25.0.
 *
 * nvprof: databases of `nvprof --export-profile FILE`, of any version; some
 * .nvvp files of the Visual Profiler are the same. Others are XML and contain
 * only the settings of a session. Source: torch.autograd.profiler's
 * parse_nvprof_trace(); cupti_activity.h.
 */
#include <string.h>

#include "format.h"
#ifdef HAVE_SQLITE
#include "nvidia/nsys_read.h"
#include "nvidia/nvprof_read.h"
#include "nvidia/sqlite_source.h"
#endif

/* Source: "Database File Format", 1.3; https://www.sqlite.org/fileformat2.html
 */
#define MAGIC "SQLite format 3" /* and a zero byte */
#define REPORT "NVIDIA Tegra Profiler Report"
#define XML "<?xml"
#define SESSION "<session "

static unsigned database_probe(const void *bytes, size_t size)
{
	return size >= sizeof(MAGIC) && memcmp(bytes, MAGIC, sizeof(MAGIC)) == 0
		       ? 8 * sizeof(MAGIC)
		       : 0;
}

#ifdef HAVE_SQLITE

static enum ctp_status add_queries(
	struct sqlite_source *source, struct ctp_error *err)
{
	enum ctp_status status = CTP_END;
	enum ctp_status refused;

	if (nvprof_read_probe(&source->input)) {
		source->source.format = "nvprof";
		status = nvprof_read_add_queries(source, err);
	} else if (nsys_read_probe(&source->input)) {
		source->source.format = "nsys";
		status = nsys_read_add_queries(source, err);
	}
	refused = sqlite_input_check(&source->input, err);
	if (refused != CTP_OK)
		return refused;
	if (status != CTP_END)
		return status;
	return ctp_fail(err, CTP_ERR_FORMAT,
		"is an SQLite database, but not of nvprof or Nsight Systems");
}

/* Errors: those of sqlite_input_open(); CTP_ERR_FORMAT if no profiler wrote
 * it. */
static enum ctp_status database_open(FILE *in, const void *head,
	size_t head_size, const struct read_request *request,
	struct event_source **out, struct ctp_error *err)
{
	struct sqlite_source *source;
	enum ctp_status status =
		sqlite_source_open(in, head, head_size, request, &source, err);

	if (status != CTP_OK)
		return status;
	status = add_queries(source, err);
	if (status != CTP_OK) {
		sqlite_source_close(&source->source);
		return status;
	}
	*out = &source->source;
	return CTP_OK;
}

#else

static enum ctp_status database_open(FILE *in, const void *head,
	size_t head_size, const struct read_request *request,
	struct event_source **out, struct ctp_error *err)
{
	(void)in;
	(void)head;
	(void)head_size;
	(void)request;
	(void)out;
	return ctp_fail(err, CTP_ERR_UNSUPPORTED,
		"is an SQLite database, and this ctprof was built without "
		"libsqlite3");
}

#endif

static bool is_report(const void *bytes, size_t size)
{
	return size >= sizeof(REPORT) - 1 &&
	       memcmp(bytes, REPORT, sizeof(REPORT) - 1) == 0;
}

static unsigned nsys_probe(const void *bytes, size_t size)
{
	return is_report(bytes, size) ? 8 * (sizeof(REPORT) - 1)
				      : database_probe(bytes, size);
}

static enum ctp_status nsys_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err)
{
	if (is_report(head, head_size))
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"is a native Nsight Systems report; convert it with "
			"'nsys export --type sqlite FILE' first");
	return database_open(in, head, head_size, request, out, err);
}

const struct format nsys_format = {
	.name = "nsys",
	.summary = "Nsight Systems report, exported to SQLite",
	.binary = true,
	.probe = nsys_probe,
	.open_events = nsys_open,
};

static bool is_session(const void *bytes, size_t size)
{
	return size >= sizeof(XML) &&
	       memcmp(bytes, XML, sizeof(XML) - 1) == 0 &&
	       memmem(bytes, size, SESSION, sizeof(SESSION) - 1) != NULL;
}

static unsigned nvprof_probe(const void *bytes, size_t size)
{
	return is_session(bytes, size) ? 8 * (sizeof(XML) + sizeof(SESSION) - 2)
				       : database_probe(bytes, size);
}

static enum ctp_status nvprof_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err)
{
	if (is_session(head, head_size))
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"is a Visual Profiler session (XML, no events); use "
			"'nvprof --export-profile FILE PROGRAM' instead");
	return database_open(in, head, head_size, request, out, err);
}

const struct format nvprof_format = {
	.name = "nvprof",
	.summary = "nvprof or Visual Profiler profile (SQLite)",
	.binary = true,
	.probe = nvprof_probe,
	.open_events = nvprof_open,
};

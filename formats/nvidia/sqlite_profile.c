/* SPDX-License-Identifier: MIT */
#include "nvidia/sqlite_profile.h"

#include "nvidia/nsys_read.h"
#include "nvidia/nvprof_read.h"
#include "nvidia/sqlite_source.h"

static enum ctp_status ask(struct sqlite_source *source, struct ctp_error *err)
{
	enum ctp_status status = CTP_END;
	enum ctp_status refused;

	if (nvprof_read_knows(&source->input)) {
		source->source.format = "nvprof";
		status = nvprof_read_ask(source, err);
	} else if (nsys_read_knows(&source->input)) {
		source->source.format = "nsys";
		status = nsys_read_ask(source, err);
	}
	refused = sqlite_input_check(&source->input, err);
	if (refused != CTP_OK)
		return refused;
	if (status != CTP_END)
		return status;
	return ctp_fail(err, CTP_ERR_FORMAT,
		"is a database of SQLite, but neither of nvprof nor of Nsight "
		"Systems");
}

enum ctp_status sqlite_profile_open(FILE *in, const void *head,
	size_t head_size, const struct read_request *request,
	struct event_source **out, struct ctp_error *err)
{
	struct sqlite_source *source;
	enum ctp_status status =
		sqlite_source_open(in, head, head_size, request, &source, err);

	if (status != CTP_OK)
		return status;
	status = ask(source, err);
	if (status != CTP_OK) {
		sqlite_source_close(&source->source);
		return status;
	}
	*out = &source->source;
	return CTP_OK;
}

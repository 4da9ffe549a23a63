/* SPDX-License-Identifier: MIT */
#include "report/page_data.h"

#include "cli/command.h"
#include "roofline/flops.h"
#include "profile/replay.h"
#include "input/reporting.h"

/* Who is handed each event. */
struct analyses {
	struct replay *replay;
	struct overview *overview;
	struct gaps *gaps;
	struct kernels *kernels;
};

void page_data_set_request(struct read_request *request)
{
	request->skip_args = true;
	request->kept_args = flops_args;
	request->detailed_names = true;
}

static enum ctp_status add_event(
	void *user, const struct event *event, struct ctp_error *err)
{
	struct analyses *analyses = user;
	enum ctp_status status = replay_add(analyses->replay, event, err);

	if (status == CTP_OK)
		status = overview_add(analyses->overview, event, err);
	if (status == CTP_OK)
		status = gaps_add(analyses->gaps, event, err);
	if (status == CTP_OK)
		status = kernels_add(analyses->kernels, event, err);
	return status;
}

static enum ctp_status read_events(struct page_data *data,
	const struct inputs *inputs, struct input *input, struct ctp_error *err)
{
	struct trace *trace = input->file.source->trace;
	struct analyses analyses = {
		.replay = replay_new(
			trace, (struct replay_options){.tree = true}),
		.overview = data->overview = overview_new(trace),
		.gaps = data->gaps = gaps_new(trace),
		.kernels = data->kernels = kernels_new(trace),
	};
	enum ctp_status status;

	if (analyses.replay == NULL || analyses.overview == NULL ||
		analyses.gaps == NULL || analyses.kernels == NULL)
		status = ctp_no_memory(err);
	else
		status = reporting_read(
			inputs, input, add_event, &analyses, err);
	if (status == CTP_OK)
		status = overview_finish(data->overview, err);
	if (status == CTP_OK)
		status = gaps_finish(data->gaps, err);
	if (status == CTP_OK)
		status = kernels_finish(data->kernels, err);
	if (status == CTP_OK)
		status = replay_finish(analyses.replay, &data->profile, err);
	replay_free(analyses.replay);
	return status;
}

int page_data_read(struct page_data *data, const struct inputs *inputs,
	struct input *input)
{
	struct event_source *source = input->file.source;
	struct ctp_error err = {0};
	enum ctp_status status;

	*data = (struct page_data){0};
	if (source->read_profile != NULL)
		status = source->read_profile(source, &data->profile, &err);
	else
		status = read_events(data, inputs, input, &err);
	if (status == CTP_OK)
		status = profile_sort(data->profile, &err);
	return status == CTP_OK ? EXIT_DONE
				: input_diag_error(input, input->name, &err);
}

void page_data_clear(struct page_data *data)
{
	profile_free(data->profile);
	overview_free(data->overview);
	gaps_free(data->gaps);
	kernels_free(data->kernels);
	*data = (struct page_data){0};
}

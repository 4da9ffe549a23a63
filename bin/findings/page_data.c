/* SPDX-License-Identifier: MIT */
#include "findings/page_data.h"

#include <assert.h>

#include "cli/command.h"
#include "input/report.h"
#include "profile/replay.h"
#include "roofline/flops.h"

/* The receivers of each event. */
struct analyses {
	struct replay *replay;
	struct overview *overview;
	struct gaps *gaps;
	struct kernels *kernels;
	struct compile *compile;
	struct allocations *allocations;
	struct digest *digest; /* NULL: none */
};

/* The arguments of flops.h and allocations.h, and that of events of PyTorch's
 * compiler. */
#define KEPT_MAX 24
static const char *kept_args[KEPT_MAX] = {"compile_id"};

void page_data_set_request(struct read_request *request)
{
	static const char *const *const lists[] = {
		flops_args, allocations_args};
	size_t count = 1;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (size_t j = 0; lists[i][j] != NULL; j++) {
			assert(count + 1 < KEPT_MAX);
			kept_args[count++] = lists[i][j];
		}
	request->skip_args = true;
	request->kept_args = kept_args;
	request->keeps_compilations = true;
	request->detailed_names = true;
}

static enum ctp_status add_to_digest(struct analyses *analyses,
	const struct event *event, struct ctp_error *err)
{
	struct launch launch;
	bool is_known = event->kind == EVENT_ACTIVITY &&
			gaps_find_launch(analyses->gaps, event, &launch);

	return digest_add(
		analyses->digest, event, is_known ? &launch : NULL, err);
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
	if (status == CTP_OK)
		status = compile_add(analyses->compile, event, err);
	if (status == CTP_OK)
		status = allocations_add(analyses->allocations, event, err);
	if (status == CTP_OK && analyses->digest != NULL)
		status = add_to_digest(analyses, event, err);
	return status;
}

/* Finishes the analyses that depend on the time of all events. */
static enum ctp_status finish_times(
	struct page_data *data, struct ctp_error *err)
{
	enum ctp_status status = overview_finish(data->overview, err);
	int64_t first_ns;
	int64_t last_ns;

	if (status != CTP_OK)
		return status;
	overview_span(data->overview, &first_ns, &last_ns);
	if (data->digest != NULL)
		status = digest_finish(data->digest, err);
	if (status != CTP_OK)
		return status;
	return allocations_finish(data->allocations, first_ns, last_ns, err);
}

static enum ctp_status read_events(struct page_data *data,
	const struct page_data_source *from, struct input *input,
	struct ctp_error *err)
{
	struct trace *trace = input->file.source->trace;
	struct analyses analyses = {
		.replay = replay_new(
			trace, (struct replay_options){.tree = true}),
		.overview = data->overview = overview_new(trace),
		.gaps = data->gaps = gaps_new(trace),
		.kernels = data->kernels = kernels_new(trace),
		.compile = from->compile,
		.allocations = data->allocations = allocations_new(trace),
		.digest = data->digest =
			from->slices == 0
				? NULL
				: digest_new(trace, from->slices, from->bins),
	};
	enum ctp_status status;

	if (analyses.replay == NULL || analyses.overview == NULL ||
		analyses.gaps == NULL || analyses.kernels == NULL ||
		analyses.allocations == NULL ||
		(from->slices != 0 && analyses.digest == NULL) ||
		!kernels_keep_ops(data->kernels) ||
		!compile_begin(from->compile, trace, input->name))
		status = ctp_no_memory(err);
	else
		status = report_read(
			from->inputs, input, add_event, &analyses, err);
	if (status == CTP_OK && !compile_end(from->compile))
		status = ctp_no_memory(err);
	if (status == CTP_OK)
		status = finish_times(data, err);
	if (status == CTP_OK)
		status = gaps_finish(data->gaps, err);
	if (status == CTP_OK)
		status = kernels_finish(data->kernels, err);
	if (status == CTP_OK)
		data->late = kernels_late(data->kernels);
	if (status == CTP_OK)
		status = replay_finish(analyses.replay, &data->profile, err);
	replay_free(analyses.replay);
	return status;
}

int page_data_read(struct page_data *data, const struct page_data_source *from,
	struct input *input)
{
	struct event_source *source = input->file.source;
	struct ctp_error err = {0};
	enum ctp_status status;

	*data = (struct page_data){0};
	if (source->read_profile != NULL)
		status = source->read_profile(source, &data->profile, &err);
	else
		status = read_events(data, from, input, &err);
	if (status == CTP_OK)
		status = profile_sort(data->profile, &err);
	return status == CTP_OK ? EXIT_DONE
				: input_diag_error(input, input->name, &err);
}

void page_data_clear(struct page_data *data)
{
	profile_free(data->profile);
	overview_free(data->overview);
	digest_free(data->digest);
	gaps_free(data->gaps);
	kernels_free(data->kernels);
	allocations_free(data->allocations);
	*data = (struct page_data){0};
}

enum ctp_status page_data_of_sum(struct page_data *data,
	const struct aggregate *aggregate, struct ctp_error *err)
{
	struct summary *summary = aggregate->summary;
	enum ctp_status status = CTP_OK;

	*data = (struct page_data){.profile = aggregate->functions,
		.gaps = summary->gaps,
		.kernels = summary->kernels,
		.summary = summary,
		.skipped = aggregate->skipped,
		.files = aggregate->file_count,
		.late = summary_find_count(summary, "", SUMMARY_LATE)};
	if (data->gaps != NULL)
		status = gaps_finish(data->gaps, err);
	if (status == CTP_OK && data->kernels != NULL)
		status = kernels_finish(data->kernels, err);
	return status == CTP_OK ? profile_sort(data->profile, err) : status;
}

/* SPDX-License-Identifier: MIT */
/* One of many inputs, added to the sums of phases. */
#include "input/rollup_file.h"

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

static enum ctp_status add_event(
	void *to, const struct event *event, struct ctp_error *err)
{
	return phases_add(to, event, err);
}

static enum ctp_status read_profile(struct event_source *source,
	struct phases *phases, bool *flat, struct ctp_error *err)
{
	struct profile *profile = NULL;
	enum ctp_status status = source->read_profile(source, &profile, err);

	if (status == CTP_OK) {
		*flat = profile->node_count == 0;
		status = phases_add_profile(phases, profile, err);
	}
	profile_free(profile);
	return status;
}

static enum ctp_status read_all(const struct rollup_work *work,
	struct event_source *source, struct phases *phases, bool *flat,
	struct ctp_error *err)
{
	struct convert_job job = rollup_file_job(work);
	enum ctp_status status;

	if (source->read_profile != NULL)
		return read_profile(source, phases, flat, err);
	source->trace->no_args = true;
	status = convert_each(source, &job, add_event, phases, err);
	return status == CTP_END ? CTP_OK : status;
}

/* Below a directory there may be traces that are of something else. */
static bool is_other(const struct phases *phases, const struct tree_file *file)
{
	const struct phase_times *times = phases_times(phases);

	return file->root_size != 0 &&
	       times->wall_ns == times->unknown_ns + times->idle_ns;
}

static enum ctp_status add_counted(struct rollup *sums,
	const struct phase_totals_input *input, const struct tree_file *file,
	struct ctp_error *err)
{
	if (phases_times(input->phases)->wall_ns == 0 && !input->flat)
		return CTP_END;
	if (is_other(input->phases, file)) {
		sums->skipped[TREE_OTHER_TRACE]++;
		return CTP_OK;
	}
	return phase_totals_add(&sums->phases, input) ? CTP_OK : no_memory(err);
}

enum ctp_status rollup_phases_add(const struct rollup_work *work,
	const struct tree_file *file, struct event_source *source,
	struct ctp_error *err)
{
	struct phases *phases =
		phases_new(source->trace, work->options->phases);
	struct phase_totals_input input = {
		.phases = phases,
		.trace = source->trace,
		.file = (size_t)(file - work->tree->files),
		.path = file->path,
	};
	enum ctp_status status;

	if (phases == NULL)
		return no_memory(err);
	status = read_all(work, source, phases, &input.flat, err);
	if (status == CTP_OK)
		status = phases_finish(phases, err);
	if (status == CTP_OK) {
		phases_count_losses(phases, source->trace);
		status = add_counted(work->sums, &input, file, err);
	}
	phases_free(phases);
	return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * The sums of many inputs, made by `ctprof summarize`: as an input it is a
 * profile of functions. Source: lib/summary/FORMAT.md.
 */
#include "ctpart/ctpart.h"

#include "format.h"
#include "profiles/profile_source.h"

/* Losses of the inputs are shown like those of any other input. */
static void move_losses(struct summary *summary, struct trace *trace)
{
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		trace->losses[loss] += summary_take_count(
			summary, SUMMARY_LOST, trace_loss_name(loss));
}

static enum ctp_status read_summary(struct profile_source *from,
	struct summary **out, struct ctp_error *err)
{
	const struct summary_file file = {
		from->in, from->head.bytes, from->head.used};
	struct trace *trace = from->source.trace;
	enum ctp_status status = summary_read(file, trace, out, err);

	if (status == CTP_OK)
		move_losses(*out, trace);
	return status;
}

enum ctp_status ctpart_read_summary(struct event_source *source,
	struct summary **out, struct ctp_error *err)
{
	return read_summary((struct profile_source *)(void *)source, out, err);
}

static enum ctp_status ctpart_read(
	struct profile_source *from, struct ctp_error *err)
{
	struct summary *summary = NULL;
	enum ctp_status status = read_summary(from, &summary, err);
	struct profile *functions;

	if (status != CTP_OK)
		return status;
	functions = summary_take_profile(summary, SUMMARY_FUNCTIONS);
	summary_free(summary);
	if (functions == NULL)
		return CTP_OK;
	profile_free(from->profile);
	from->profile = functions;
	return CTP_OK;
}

const struct format ctpart_format = {
	.name = "ctpart",
	.suffix = ".ctpart",
	.summary = "sums of many inputs, as ctprof summarize writes them",
	.binary = true,
	.packed = true,
	.probe = summary_probe,
	.read_profile = ctpart_read,
};

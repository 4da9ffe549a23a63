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
		trace_lose(trace, loss,
			summary_take_count(
				summary, SUMMARY_LOST, trace_loss_name(loss)));
}

/* Limit of the facts about lost inputs; more of them are in the file. */
#define LOST_SHOWN 100

static bool add_count(struct trace *trace, const char *key, size_t count)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%zu", count);
	return trace_add_fact(trace, key, text);
}

static size_t count_ranks(const struct summary *summary)
{
	size_t count = 0;

	for (size_t i = 0; i < summary->input_count; i++)
		count += summary->inputs[i].rank >= 0;
	return count;
}

/* Describes the summary for `ctprof info`. */
static bool add_facts(const struct summary *summary, struct trace *trace)
{
	bool done =
		add_count(trace, "inputs", summary->input_count) &&
		add_count(trace, "inputs with a rank", count_ranks(summary)) &&
		add_count(trace, "lost inputs", summary->lost_count);

	for (size_t i = 0; i < summary->option_count && done; i++)
		done = summary->options[i].value[0] == '\0' ||
		       trace_add_fact(trace, summary->options[i].key,
			       summary->options[i].value);
	for (size_t i = 0; i < summary->lost_count && i < LOST_SHOWN && done;
		i++)
		done = trace_add_fact(
			trace, summary->lost[i].path, summary->lost[i].reason);
	return done;
}

static enum ctp_status read_summary(struct profile_source *from,
	struct summary **out, struct ctp_error *err)
{
	const struct summary_file file = {
		from->in, from->head.bytes, from->head.used};
	struct trace *trace = from->source.trace;
	enum ctp_status status = summary_read(file, trace, out, err);

	if (status != CTP_OK)
		return status;
	move_losses(*out, trace);
	if (add_facts(*out, trace))
		return CTP_OK;
	summary_free(*out);
	*out = NULL;
	return ctp_no_memory(err);
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

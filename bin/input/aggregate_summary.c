/* SPDX-License-Identifier: MIT */
#include "input/aggregate_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/saturate.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "profile/function_match.h"

/* Names of counts in a summary. */
#define COUNT_COMPILERS "compilers"
#define COUNT_DIRECTORIES "directories" /* in older files; not used */

static const char *const group_words[] = {
#define AGGREGATE_WORD(group, word, title) word,
	BUILD_GROUPS(AGGREGATE_WORD)
#undef AGGREGATE_WORD
};

/* In the order of their enums. */
static const char *const joins[] = {"auto", "external", "correlation"};
static const char *const names[] = {"full", "short", "mangled", "qualified"};
static const char *const devices[] = {"separate", "host", "device"};

/* The options that change results: only sums with equal ones go together. */
static bool add_options(
	struct summary *summary, const struct aggregate_options *options)
{
	const struct read_request *request = &options->inputs->request;
	const struct replay_options *replay = &options->replay;

	return summary_add_option(summary, "tool", PACKAGE_STRING) &&
	       summary_add_option(summary, "join", joins[request->join]) &&
	       summary_add_option(summary, "names", names[request->names]) &&
	       summary_add_option(summary, "trim-prefix",
		       request->trim_prefix ? "yes" : "no") &&
	       summary_add_option(summary, "events",
		       request->event == NULL ? "" : request->event) &&
	       summary_add_option(summary, "device", devices[replay->device]) &&
	       summary_add_option(summary, "edge-times",
		       replay->all_edge_times ? "all" : "primitive") &&
	       summary_add_option(
		       summary, "paths", replay->tree ? "yes" : "no");
}

bool aggregate_describe(
	struct summary *summary, const struct aggregate_options *options)
{
	const struct averages_options *ops = options->ops;
	char groups[16];
	char stack[16];

	(void)snprintf(groups, sizeof(groups), "%" PRIx32, options->groups);
	(void)snprintf(
		stack, sizeof(stack), "%" PRIu32, ops == NULL ? 0 : ops->stack);
	return add_options(summary, options) &&
	       summary_add_option(summary, "sums",
		       options->whole             ? "all"
		       : options->section != NULL ? options->section
						  : "functions") &&
	       summary_add_option(summary, "groups", groups) &&
	       summary_add_option(summary, "operators",
		       ops == NULL ? "" : averages_group_name(ops->group)) &&
	       summary_add_option(summary, "stack", stack) &&
	       summary_add_option(summary, "joined",
		       options->replay.joined ? "yes" : "no") &&
	       summary_add_option(summary, "strict",
		       options->inputs->strict ? "yes" : "no");
}

enum ctp_status aggregate_set_options(struct aggregate *sums,
	const struct aggregate_options *options, struct ctp_error *err)
{
	struct summary *own = summary_new();
	enum ctp_status status = CTP_ERR_NOMEM;

	if (own == NULL || !add_options(own, options))
		(void)ctp_no_memory(err);
	else
		status = summary_add(sums->summary, own, err);
	sums->refused |= status == CTP_ERR_UNSUPPORTED;
	summary_free(own);
	return status;
}

static bool add_group(struct aggregate *sums, unsigned i, struct profile *group)
{
	bool done;

	if (group == NULL)
		return true;
	if (sums->groups[i] == NULL) {
		sums->groups[i] = group;
		return true;
	}
	done = profile_add(sums->groups[i], group);
	profile_free(group);
	return done;
}

bool aggregate_add_groups(struct aggregate *to, struct aggregate *from)
{
	bool done = true;

	for (unsigned i = 0; i < BUILD_GROUP_COUNT && done; i++) {
		struct profile *group = from->groups[i];

		from->groups[i] = NULL;
		done = add_group(to, i, group);
	}
	return done;
}

static void add(uint64_t *to, uint64_t count)
{
	*to = saturate_sum(*to, count);
}

void aggregate_add_counts(struct aggregate *to, const struct aggregate *from)
{
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		add(&to->losses[loss], from->losses[loss]);
	for (enum input_tree_skip skip = 0; skip < INPUT_TREE_SKIP_COUNT;
		skip++)
		add(&to->skipped[skip], from->skipped[skip]);
	add(&to->file_count, from->file_count);
	add(&to->build_count, from->build_count);
	to->refused |= from->refused;
}

static void add_counts(struct aggregate *sums, struct summary *from)
{
	for (enum input_tree_skip skip = 0; skip < INPUT_TREE_SKIP_COUNT;
		skip++)
		add(&sums->skipped[skip],
			summary_take_count(from, SUMMARY_SKIPPED,
				input_tree_skip_name(skip)));
	(void)summary_take_count(from, "", COUNT_DIRECTORIES);
	add(&sums->build_count, summary_take_count(from, "", COUNT_COMPILERS));
	add(&sums->file_count, summary_take_count(from, "", SUMMARY_INPUTS));
}

static enum ctp_status add_functions(struct aggregate *sums,
	struct profile *functions, const struct aggregate_options *options,
	struct ctp_error *err)
{
	const struct replay_options *replay = &options->replay;
	enum ctp_status status = CTP_OK;

	if (functions == NULL)
		return CTP_OK;
	if (replay->joined)
		status = function_match_join(functions, replay->match, err);
	if (status == CTP_OK)
		return aggregate_add_profile(
			sums, functions, options->whole, err);
	profile_free(functions);
	return status;
}

static enum ctp_status add_all(struct aggregate *sums, struct summary *from,
	const struct aggregate_options *options, struct ctp_error *err)
{
	enum ctp_status status = add_functions(sums,
		summary_take_profile(from, SUMMARY_FUNCTIONS), options, err);

	for (unsigned i = 0; i < BUILD_GROUP_COUNT && status == CTP_OK; i++)
		if (!add_group(sums, i,
			    summary_take_profile(from, group_words[i])))
			status = ctp_no_memory(err);
	add_counts(sums, from);
	return status == CTP_OK ? summary_add(sums->summary, from, err)
				: status;
}

enum ctp_status aggregate_add_summary(struct aggregate *sums,
	struct summary *from, uint32_t part,
	const struct aggregate_options *options, struct ctp_error *err)
{
	for (size_t i = 0; i < from->input_count; i++)
		from->inputs[i].part = part;
	return aggregate_add_part(sums, from, options, err);
}

enum ctp_status aggregate_add_part(struct aggregate *sums, struct summary *from,
	const struct aggregate_options *options, struct ctp_error *err)
{
	/* The options decide whether they go together at all. */
	enum ctp_status status =
		summary_check_options(sums->summary, from, err);

	sums->refused |= status == CTP_ERR_UNSUPPORTED;
	return status == CTP_OK ? add_all(sums, from, options, err) : status;
}

static bool put_counts(struct aggregate *aggregate)
{
	struct summary *summary = aggregate->summary;
	bool done = true;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS && done; loss++)
		done = summary_add_count(summary, SUMMARY_LOST,
			trace_loss_name(loss), aggregate->losses[loss]);
	for (enum input_tree_skip skip = 0;
		skip < INPUT_TREE_SKIP_COUNT && done; skip++)
		done = summary_add_count(summary, SUMMARY_SKIPPED,
			input_tree_skip_name(skip), aggregate->skipped[skip]);
	return done &&
	       summary_add_count(
		       summary, "", COUNT_COMPILERS, aggregate->build_count) &&
	       summary_add_count(
		       summary, "", SUMMARY_INPUTS, aggregate->file_count);
}

bool aggregate_complete(struct aggregate *aggregate)
{
	struct summary *summary = aggregate->summary;
	struct profile *functions = aggregate->functions;
	bool done;

	aggregate->functions = NULL;
	done = summary_put_profile(summary, SUMMARY_FUNCTIONS, functions);
	for (unsigned i = 0; i < BUILD_GROUP_COUNT && done; i++) {
		struct profile *group = aggregate->groups[i];

		aggregate->groups[i] = NULL;
		if (group != NULL)
			done = summary_put_profile(
				summary, group_words[i], group);
	}
	return done && put_counts(aggregate);
}

int aggregate_lose_input(struct aggregate *sums,
	const struct aggregate_options *options, const char *path,
	const struct ctp_error *err)
{
	char reason[sizeof(err->message) + 32];

	if (!options->whole)
		return EXIT_DONE;
	if (err->offset == ERROR_NO_OFFSET)
		(void)snprintf(reason, sizeof(reason), "%s", err->message);
	else
		(void)snprintf(reason, sizeof(reason), "byte %" PRIu64 ": %s",
			err->offset, err->message);
	return summary_add_lost(sums->summary, path, reason)
		       ? EXIT_INPUT
		       : diag_no_memory(path);
}

bool aggregate_refuse_repeats(
	struct input_tree *tree, const struct aggregate_options *options)
{
	struct ctp_error err = {0};

	if (options->allows_repeats || options->sums_repeats ||
		(!options->whole && options->section == NULL) ||
		input_tree_check_repeats(tree, &err) == CTP_OK)
		return false;
	diag_error(NULL, &err);
	input_tree_clear(tree);
	return true;
}

bool aggregate_has_summary(const struct aggregate *aggregate)
{
	const struct summary *summary = aggregate->summary;

	for (size_t i = 0; i < summary->input_count; i++)
		if (summary->inputs[i].part != 0)
			return true;
	return false;
}

int aggregate_check_inputs(
	struct aggregate *aggregate, const struct aggregate_options *options)
{
	struct ctp_error err = {0};

	if (options->allows_repeats ||
		(!aggregate_has_summary(aggregate) && !options->whole) ||
		summary_check_inputs(aggregate->summary, &err) == CTP_OK)
		return EXIT_DONE;
	diag_error(NULL, &err);
	aggregate->refused = true;
	return EXIT_INPUT;
}

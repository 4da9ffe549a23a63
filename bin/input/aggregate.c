/* SPDX-License-Identifier: MIT */
#include "input/aggregate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/saturate.h"
#include "base/thread.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/diag.h"
#include "convert.h"
#include "ctpart/ctpart.h"
#include "input/aggregate_summary.h"
#include "input/aggregate_workers.h"
#include "input/input.h"
#include "input/ranks.h"
#include "input/recording_cost.h"
#include "profile/function_match.h"
#include "summary/summary_collect.h"

static const struct aggregate_team *team; /* NULL: alone */

void aggregate_set_team(const struct aggregate_team *given)
{
	team = given;
}

const struct aggregate_team *aggregate_find_team(void)
{
	return team;
}

bool aggregate_has_team(void)
{
	return team != NULL;
}

/* Kinds of events that a profile of functions does not have. */
enum ignored {
	IGNORED_ASYNC,
	IGNORED_INSTANTS,
	IGNORED_COUNTERS,
	IGNORED_COUNT
};

/* A file being read into one of `build`, `ops` and `replay`; or, for a whole
 * summary, into all but `ops`. */
struct reader {
	const char *name; /* of the input */
	bool quiet;
	bool shows_ignored;  /* even if there are functions */
	bool whole;          /* see struct aggregate_options */
	const char *section; /* likewise */
	const struct phase_sets *phases;
	uint64_t losses[LOSS_KINDS]; /* of the replay */
	uint64_t ignored[IGNORED_COUNT];
	struct replay_options options;
	struct aggregate *sums;
	struct trace *trace;
	char *unit;
	bool is_kind_known;
	struct build_profile *build;
	struct replay *replay;
	struct averages *ops; /* used instead of a replay, unless NULL */
	struct summary_collect *collect; /* NULL: no whole summary */
};

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t end_size = strlen(end);

	return size > end_size &&
	       memcmp(text + size - end_size, end, end_size) == 0;
}

/* The unit of a trace: "src/a.cpp" for "build/src/a.cpp.json.gz". Different
 * directories may have equal ones. NULL if out of memory. */
static char *unit_name(
	const struct input_tree *tree, const struct input_tree_file *file)
{
	const char *name = file->path;
	size_t size;

	if (tree->directory_count == 1)
		name += file->root_size;
	size = strlen(name);
	if (ends_with(name, size, ".gz"))
		size -= 3;
	if (ends_with(name, size, ".json"))
		size -= 5;
	return strndup(name, size);
}

static enum ctp_status begin_unit(struct reader *reader, struct ctp_error *err)
{
	enum ctp_status status = build_profile_begin(
		reader->sums->build, reader->trace, reader->unit, err);

	if (status == CTP_OK)
		reader->build = reader->sums->build;
	return status;
}

/* Whether sections of the summary can use the profile of functions. */
static bool shares_profile(const struct reader *reader)
{
	return reader->section == NULL && !reader->options.joined &&
	       reader->options.device == REPLAY_SEPARATE;
}

/* Selects the sums at the first event, when the kind of trace is known. */
static enum ctp_status detect_kind(struct reader *reader, struct ctp_error *err)
{
	enum ctp_status status;

	if (reader->sums->build != NULL &&
		build_profile_is_build_trace(reader->trace)) {
		status = begin_unit(reader, err);
		if (status != CTP_OK || !reader->whole)
			return status;
	}
	if (reader->ops != NULL)
		return CTP_OK;
	if (reader->whole || reader->section != NULL) {
		reader->collect = summary_collect_new(reader->trace,
			&(struct summary_collect_options){reader->section,
				shares_profile(reader), reader->phases});
		if (reader->collect == NULL)
			return ctp_no_memory(err);
	}
	if (reader->section != NULL)
		return CTP_OK;
	reader->options.losses = reader->losses;
	reader->replay = replay_new(reader->trace, reader->options);
	return reader->replay != NULL ? CTP_OK : ctp_no_memory(err);
}

static void count_ignored(struct reader *reader, const struct event *event)
{
	switch (event->kind) {
	case EVENT_ASYNC_BEGIN:
		reader->ignored[IGNORED_ASYNC]++;
		break;
	case EVENT_INSTANT:
		reader->ignored[IGNORED_INSTANTS]++;
		break;
	case EVENT_COUNTER:
		reader->ignored[IGNORED_COUNTERS]++;
		break;
	default:
		break;
	}
}

static enum ctp_status add_event(
	void *to, const struct event *event, struct ctp_error *err)
{
	struct reader *reader = to;

	enum ctp_status status = CTP_OK;

	if (!reader->is_kind_known)
		status = detect_kind(reader, err);
	reader->is_kind_known = true;
	if (status != CTP_OK)
		return status;
	if (reader->build != NULL)
		status = build_profile_add(reader->build, event, err);
	if (status != CTP_OK || (reader->build != NULL && !reader->whole))
		return status;
	if (reader->ops != NULL)
		return averages_add(reader->ops, event, err);
	if (reader->collect != NULL)
		status = summary_collect_add(reader->collect, event, err);
	if (status != CTP_OK || reader->section != NULL)
		return status;
	count_ignored(reader, event);
	return replay_add(reader->replay, event, err);
}

/* The kind is known from the first event, which is never in a run. */
static enum ctp_status add_run(
	void *to, const struct event_run *run, struct ctp_error *err)
{
	struct reader *reader = to;
	enum ctp_status status = CTP_OK;

	if (reader->build == NULL && reader->ops == NULL &&
		reader->collect == NULL && reader->section == NULL)
		return replay_add_run(reader->replay, run, err);
	for (uint32_t i = 0; i < run->count && status == CTP_OK; i++) {
		const struct event event = event_run_get(run, i);

		status = add_event(reader, &event, err);
	}
	return status;
}

/* If the sums are empty, they are replaced, which is faster. */
enum ctp_status aggregate_add_profile(struct aggregate *sums,
	struct profile *profile, bool with_paths, struct ctp_error *err)
{
	struct profile *less = profile;
	bool done;

	if (!with_paths)
		profile_clear_nodes(profile);
	if (sums->functions->function_count == 0) {
		less = sums->functions;
		sums->functions = profile;
	}
	done = profile_add_with_paths(sums->functions, less);
	profile_free(less);
	return done ? CTP_OK : ctp_no_memory(err);
}

static void diag_cost(
	const struct reader *reader, const struct profile *profile)
{
	struct recording_cost cost;

	recording_cost_find(&cost, reader->trace, profile);
	if (cost.line[0] != '\0')
		diag("%s: %s", reader->name, cost.line);
}

static void diag_ignored(
	const struct reader *reader, const struct profile *profile)
{
	const uint64_t *ignored = reader->ignored;
	uint64_t samples = reader->trace->losses[LOSS_SAMPLES];
	bool has_time = ignored[IGNORED_ASYNC] + samples > 0;

	if (!has_time &&
		ignored[IGNORED_INSTANTS] + ignored[IGNORED_COUNTERS] == 0)
		return;
	if (has_time || profile->function_count == 0 || reader->shows_ignored)
		diag("%s: has events that are not functions (asynchronous "
		     "ranges: %" PRIu64 ", samples: %" PRIu64
		     ", instants: %" PRIu64 ", counter values: %" PRIu64 ")",
			reader->name, ignored[IGNORED_ASYNC], samples,
			ignored[IGNORED_INSTANTS] -
				(ignored[IGNORED_INSTANTS] < samples
						? ignored[IGNORED_INSTANTS]
						: samples),
			ignored[IGNORED_COUNTERS]);
}

/* The input of a summary. */
static struct summary_input describe_input(
	const char *name, const struct input *input)
{
	return (struct summary_input){
		.path = name,
		.bytes = input->file.size_bytes,
		.rank = ranks_find(name, input->file.source->trace),
		.format = input->file.format->name,
	};
}

/* Adds the sections of a summary that are made from events. */
static enum ctp_status finish_collect(const struct reader *reader,
	const struct input *input, const struct profile *profile,
	struct ctp_error *err)
{
	const struct summary_input described =
		describe_input(reader->name, input);

	return reader->collect == NULL ? CTP_OK
				       : summary_collect_finish(reader->collect,
						 reader->sums->summary,
						 &described, profile, err);
}

static enum ctp_status add_result(const struct reader *reader,
	const struct input *input, struct ctp_error *err)
{
	struct profile *profile = NULL;
	enum ctp_status status =
		reader->ops != NULL
			? averages_finish(reader->ops, &profile, err)
			: replay_finish(reader->replay, &profile, err);

	if (status != CTP_OK)
		return status;
	if (reader->ops == NULL && !reader->quiet) {
		diag_cost(reader, profile);
		diag_ignored(reader, profile);
	}
	status = finish_collect(reader, input, profile, err);
	if (status == CTP_OK)
		return aggregate_add_profile(
			reader->sums, profile, reader->options.tree, err);
	profile_free(profile);
	return status;
}

static bool is_section(
	const struct aggregate_options *options, const char *section)
{
	return options->section != NULL &&
	       strcmp(options->section, section) == 0;
}

/* Whether profiles, which have no timestamps, can be read. */
static bool takes_profiles(const struct aggregate_options *options)
{
	return options->ops == NULL &&
	       (options->section == NULL ||
		       is_section(options, SUMMARY_CENSUS) ||
		       is_section(options, SUMMARY_PHASES_SECTION));
}

/* Ends a unit after reading ended with `status`, possibly an error. */
static enum ctp_status end_unit(const struct reader *reader,
	enum ctp_status status, struct ctp_error *err)
{
	struct ctp_error failed;
	enum ctp_status ended = build_profile_end(
		reader->build, status == CTP_END ? err : &failed);

	reader->sums->build_count += status == CTP_END;
	return status == CTP_END ? ended : status;
}

/* Adds the census of a profile, if it is wanted. */
static enum ctp_status count_profile(const struct aggregate_work *work,
	struct input *input, const struct profile *profile,
	struct ctp_error *err)
{
	const struct aggregate_options *options = work->options;
	const struct summary_input described =
		describe_input(input->name, input);

	if (!options->whole && !is_section(options, SUMMARY_CENSUS))
		return CTP_OK;
	return summary_add_census(work->sums->summary, &described,
		       input->file.source->trace, profile)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

/* The same for its phases. */
static enum ctp_status add_profile_phases(const struct aggregate_work *work,
	const struct input *input, const struct profile *profile,
	struct ctp_error *err)
{
	const struct aggregate_options *options = work->options;
	const struct phase_sets *rules = options->phases == NULL
						 ? phase_sets_shipped()
						 : options->phases;
	struct phases *phases;
	enum ctp_status status;

	if (!options->whole && !is_section(options, SUMMARY_PHASES_SECTION))
		return CTP_OK;
	phases = rules == NULL ? NULL
			       : phases_new(input->file.source->trace, rules);
	if (phases == NULL)
		return ctp_no_memory(err);
	status = phases_add_profile(phases, profile, err);
	if (status == CTP_OK)
		status = phases_finish(phases, err);
	if (status == CTP_OK &&
		!summary_add_phases(work->sums->summary, phases))
		status = ctp_no_memory(err);
	phases_free(phases);
	return status;
}

static enum ctp_status read_profile(const struct aggregate_work *work,
	struct input *input, struct ctp_error *err)
{
	const struct replay_options *options = &work->options->replay;
	struct event_source *source = input->file.source;
	struct profile *profile = NULL;
	enum ctp_status status = source->read_profile(source, &profile, err);

	if (status == CTP_OK)
		status = count_profile(work, input, profile, err);
	if (status == CTP_OK)
		status = add_profile_phases(work, input, profile, err);
	if (work->options->section != NULL) {
		profile_free(profile);
		return status;
	}
	if (status == CTP_OK && options->joined)
		status = function_match_join(profile, options->match, err);
	if (status == CTP_OK)
		return aggregate_add_profile(
			work->sums, profile, options->tree, err);
	profile_free(profile);
	return status;
}

static enum ctp_status read_summary(const struct aggregate_work *work,
	const struct input_tree_file *file, struct event_source *source,
	struct ctp_error *err)
{
	const struct aggregate_options *options = work->options;
	struct summary *from = NULL;
	enum ctp_status status;

	if (options->phases != NULL || options->by_thread)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"is a summary, which has only the sums of phases by "
			"ctprof's own choice of rules: for --rules and "
			"--threads, use its inputs");
	status = ctpart_read_summary(source, &from, err);
	if (status == CTP_OK && from->lost_count != 0 &&
		!options->inputs->quiet)
		diag("%s: lacks %zu input%s (see 'ctprof info')", file->path,
			from->lost_count, from->lost_count == 1 ? "" : "s");
	if (status == CTP_OK)
		status = aggregate_add_summary(work->sums, from,
			(uint32_t)(file - work->tree->files) + 1, options, err);
	summary_free(from);
	return status;
}

/* Adds an input that was read to its end. A compiler's trace may have only been
 * for the groups. */
static enum ctp_status end_events(const struct reader *reader,
	const struct input *input, struct ctp_error *err)
{
	return reader->ops != NULL || reader->replay != NULL
		       ? add_result(reader, input, err)
		       : finish_collect(reader, input, NULL, err);
}

/* Adds the threads of an input that was read to its end, if they are wanted. */
static enum ctp_status add_threads(const struct aggregate_work *work,
	const struct reader *reader, size_t file, struct ctp_error *err)
{
	const struct phase_threads_input threads = {.trace = reader->trace,
		.file = file,
		.path = work->tree->files[file].path,
		.phases = summary_collect_phases(reader->collect)};

	if (!work->options->by_thread ||
		phase_threads_add(&work->sums->threads, &threads))
		return CTP_OK;
	return ctp_no_memory(err);
}

/* Counts the losses of the replay in the trace, or those of the only analysis,
 * after those of its reader. */
static void move_losses(
	const struct reader *reader, const struct aggregate_options *options)
{
	memcpy(reader->sums->read_losses, reader->trace->losses,
		sizeof(reader->trace->losses));
	if (reader->collect != NULL &&
		is_section(options, SUMMARY_PHASES_SECTION))
		phases_count_losses(summary_collect_phases(reader->collect),
			reader->trace->losses);
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		trace_lose(reader->trace, loss, reader->losses[loss]);
}

/* CTP_END: it had no event. */
static enum ctp_status read_events(const struct aggregate_work *work,
	const struct input_tree_file *file, struct input *input, char *unit,
	struct ctp_error *err)
{
	struct event_source *source = input->file.source;
	struct reader reader = {
		.options = work->options->replay,
		.sums = work->sums,
		.trace = source->trace,
		.unit = unit,
		.name = input->name,
		.quiet = work->options->inputs->quiet,
		.whole = work->options->whole,
		.section = work->options->section,
		.phases = work->options->phases,
		.shows_ignored = work->options->inputs->verbose,
	};
	struct convert_job job = {
		.progress = input_update_progress, .user = input};
	const struct convert_sink sink = {
		.add = add_event, .add_run = add_run, .to = &reader};
	enum ctp_status status;

	if (work->options->ops != NULL) {
		reader.ops = averages_new(source->trace, *work->options->ops);
		if (reader.ops == NULL)
			return ctp_no_memory(err);
	}
	status = convert_read_events(source, &job, &sink, err);
	if (reader.build != NULL)
		status = end_unit(&reader, status, err);
	if (status == CTP_OK || (status == CTP_END && reader.is_kind_known))
		status = end_events(&reader, input, err);
	if (status == CTP_OK && reader.collect != NULL)
		status = add_threads(
			work, &reader, (size_t)(file - work->tree->files), err);
	move_losses(&reader, work->options);
	summary_collect_free(reader.collect);
	replay_free(reader.replay);
	averages_free(reader.ops);
	return status;
}

/* Reads an open input; CTP_END: it was empty. */
static enum ctp_status read_input(const struct aggregate_work *work,
	const struct input_tree_file *file, struct input *input,
	struct ctp_error *err)
{
	struct event_source *source = input->file.source;
	enum ctp_status status;
	char *unit;

	if (input->file.format == &ctpart_format && work->options->ops == NULL)
		return read_summary(work, file, source, err);
	if (input->file.format == &ctpart_format)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"is a summary, which does not keep operations: use its "
			"inputs");
	if (source->read_profile != NULL && !takes_profiles(work->options))
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			work->options->ops != NULL
				? "is a profile of functions and has no "
				  "operations"
				: "is a profile (no timestamps)");
	status = aggregate_set_options(work->sums, work->options, err);
	if (status != CTP_OK)
		return status;
	if (source->read_profile != NULL)
		return read_profile(work, input, err);
	unit = unit_name(work->tree, file);
	if (unit == NULL)
		return ctp_no_memory(err);
	status = read_events(work, file, input, unit, err);
	free(unit);
	return status;
}

/* Adds the input to a summary. False if out of memory. */
static bool add_summary_input(const struct aggregate_work *work,
	const struct input_tree_file *file, const struct input *input)
{
	struct summary *summary = work->sums->summary;
	const struct event_source *source = input->file.source;
	const uint64_t *losses = source->read_profile != NULL
					 ? source->trace->losses
					 : work->sums->read_losses;
	bool done =
		summary_add_input(summary, describe_input(file->path, input));

	for (enum trace_loss loss = 0; loss < LOSS_KINDS && done; loss++)
		done = summary_add_count(summary, SUMMARY_READ,
			trace_loss_name(loss), losses[loss]);
	return done;
}

/* Adds the input itself, and its losses. False if out of memory. */
static bool add_input(const struct aggregate_work *work,
	const struct input_tree_file *file, const struct input *input)
{
	struct aggregate *sums = work->sums;
	const struct trace *trace = input->file.source->trace;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		sums->losses[loss] =
			saturate_sum(sums->losses[loss], trace->losses[loss]);
	/* A summary has its own. */
	if (input->file.format == &ctpart_format)
		return true;
	sums->file_count++;
	return (!work->options->whole && work->options->section == NULL) ||
	       add_summary_input(work, file, input);
}

/* Adds a named file and reports all problems. */
static int read_named(
	const struct aggregate_work *work, const struct input_tree_file *file)
{
	const struct inputs *inputs = work->options->inputs;
	struct ctp_error err = {0};
	struct input input;
	enum ctp_status status =
		input_try_open(&input, file->path, inputs, &err);
	int result = EXIT_DONE;

	if (status != CTP_OK) {
		result = input_diag_unopened(&input, &err);
		return exit_worse(
			result, aggregate_lose_input(work->sums, work->options,
					file->path, &err));
	}
	if (work->shows_progress)
		input_start_progress(&input, inputs_progress(inputs));
	status = read_input(work, file, &input, &err);
	progress_hide(&input.progress);
	if (status != CTP_OK && status != CTP_END) {
		result = input_diag_error(&input, input.name, &err);
		result = exit_worse(
			result, aggregate_lose_input(work->sums, work->options,
					file->path, &err));
	} else if (!add_input(work, file, &input)) {
		result = diag_no_memory(file->path);
	}
	return exit_worse(result, input_close(&input, inputs));
}

/* Counts a file without events; a truncated one is damaged. */
static int skip_empty(const struct aggregate_work *work,
	struct input_tree_file *file, struct input *input,
	const struct inputs *inputs)
{
	const struct trace *trace = input->file.source->trace;
	bool damaged = trace->losses[LOSS_TRUNCATED] != 0;

	work->sums
		->skipped[damaged ? INPUT_TREE_DAMAGED : INPUT_TREE_NO_TRACE]++;
	file->is_not_trace = !damaged;
	return input_close(
		input, damaged ? inputs : &(struct inputs){.quiet = true});
}

/* Counts a file that cannot be read. A whole summary, which may be kept for
 * long, has the reasons, unless the file is not a trace. */
static int skip_found(const struct aggregate_work *work,
	struct input_tree_file *file, const struct input *input,
	const struct ctp_error *err)
{
	const struct inputs *inputs = work->options->inputs;
	int result = input_tree_skip_file(
		file, input, inputs, work->sums->skipped, err);
	bool is_silent = !inputs->verbose &&
			 (result == EXIT_DONE || result == EXIT_DAMAGED);

	if (file->is_not_trace)
		return result;
	if (work->options->whole && is_silent && !inputs->quiet)
		diag_error(file->path, err);
	return exit_worse(result, aggregate_lose_input(work->sums,
					  work->options, file->path, err));
}

/* Adds a file found below a directory. */
static int read_found(
	const struct aggregate_work *work, struct input_tree_file *file)
{
	const struct inputs *inputs = work->options->inputs;
	struct inputs silent = *inputs;
	struct ctp_error err = {0};
	enum ctp_status status;
	struct input input;
	int result = EXIT_DONE;

	silent.quiet = inputs->quiet || !inputs->verbose;
	status = input_try_open(&input, file->path, inputs, &err);
	if (status != CTP_OK)
		return skip_found(work, file, &input, &err);
	status = read_input(work, file, &input, &err);
	if (status == CTP_END)
		return skip_empty(work, file, &input, &silent);
	if (status != CTP_OK)
		result = skip_found(work, file, &input, &err);
	else if (!add_input(work, file, &input))
		result = diag_no_memory(file->path);
	return exit_worse(result, input_close(&input, &silent));
}

int aggregate_read_file(
	const struct aggregate_work *work, struct input_tree_file *file)
{
	return file->root_size != 0 ? read_found(work, file)
				    : read_named(work, file);
}

bool aggregate_init(
	struct aggregate *aggregate, const struct aggregate_options *options)
{
	*aggregate = (struct aggregate){
		.summary = summary_new(), .functions = profile_new()};
	if (options->groups != 0)
		aggregate->build = build_profile_new(options->groups);
	return aggregate->functions != NULL && aggregate->summary != NULL &&
	       (options->groups == 0 || aggregate->build != NULL);
}

void aggregate_clear(struct aggregate *aggregate)
{
	summary_free(aggregate->summary);
	profile_free(aggregate->functions);
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++)
		profile_free(aggregate->groups[i]);
	build_profile_free(aggregate->build);
	phase_threads_clear(&aggregate->threads);
	*aggregate = (struct aggregate){0};
}

static void diag_losses(const struct aggregate *aggregate,
	const struct inputs *inputs, const char *name)
{
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		if (aggregate->losses[loss] != 0 &&
			(inputs->verbose || !trace_loss_is_note(loss)))
			diag("%s: %" PRIu64 " %s", name,
				aggregate->losses[loss],
				trace_loss_description(loss));
}

/* `worst` is how reading ended. */
static int finish_aggregate(struct aggregate *aggregate,
	const struct aggregate_options *options, const struct input_tree *tree,
	int worst)
{
	const struct inputs *inputs = options->inputs;
	const char *name = inputs->count == 1 ? inputs->paths[0] : "all inputs";

	for (enum input_tree_skip skip = 0; skip < INPUT_TREE_SKIP_COUNT;
		skip++)
		aggregate->skipped[skip] = saturate_sum(
			aggregate->skipped[skip], tree->skipped[skip]);
	aggregate->has_directory = tree->directory_count > 0;
	/* With compilers' traces, others are only noise. A summary may be
	 * merged with others yet. */
	if (aggregate->build_count != 0 && !options->whole)
		aggregate->skipped[INPUT_TREE_OTHER_TRACE] +=
			aggregate->file_count - aggregate->build_count;
	/* Without a directory, summaries may have left some out. */
	if (!inputs->quiet)
		input_tree_diag_skipped(aggregate->skipped, name);
	if (aggregate->has_directory && !inputs->quiet)
		diag_losses(aggregate, inputs, name);
	if (aggregate->file_count != 0)
		return aggregate_check_inputs(aggregate, options);
	/* There may be fewer inputs than parts, whose summaries are merged. */
	if (tree->count == 0 ? options->shard_count != 0
			     : options->whole && !aggregate->has_directory)
		return EXIT_DONE;
	if (aggregate->has_directory || worst == EXIT_DONE)
		diag("%s: contains no trace", name);
	return EXIT_INPUT;
}

/* Protects found traces; other files may be earlier reports, which can be
 * overwritten. */
static int protect_found(const struct input_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct input_tree_file *file = &tree->files[i];

		if (file->root_size != 0 && !file->is_not_trace &&
			!output_protect(file->path))
			return diag_no_memory(file->path);
	}
	return EXIT_DONE;
}

/* Sets the options of all inputs. `args` has room for those of summaries. */
static void set_request(const struct aggregate_options *options,
	struct read_request *request, const char **args)
{
	request->skip_args = true;
	/* Rules of phases know the plain names. */
	request->detailed_names = !is_section(options, SUMMARY_PHASES_SECTION);
	if (options->ops != NULL)
		request->kept_args = averages_args;
	if (options->whole || options->section != NULL) {
		summary_collect_args(args, options->section);
		if (args[0] != NULL)
			request->kept_args = args;
	}
}

static int find_inputs(struct input_tree *tree, const struct inputs *inputs)
{
	int worst = EXIT_DONE;

	if (team != NULL && !team->finds_inputs)
		return EXIT_DONE;
	for (size_t i = 0; i < inputs->count; i++)
		worst = exit_worse(
			worst, input_tree_add(tree, inputs->paths[i]));
	return worst;
}

int aggregate_run(
	struct aggregate *aggregate, const struct aggregate_options *asked)
{
	struct aggregate_options options = *asked;
	struct inputs inputs = *asked->inputs;
	const char *args[SUMMARY_ARGS_MAX];
	struct input_tree tree = {0};
	bool refused;
	int status;
	int worst;

	*aggregate = (struct aggregate){0};
	options.inputs = &inputs;
	set_request(&options, &inputs.request, args);
	worst = find_inputs(&tree, &inputs);
	inputs.request.jobs = options.jobs;
	if (tree.count > 1)
		inputs.request.jobs = thread_share(options.jobs, tree.count);
	if (team != NULL)
		inputs.request.jobs = 1;
	refused = aggregate_refuse_repeats(&tree, &options);
	if (options.shard_count != 0 && tree.count != 0 &&
		!input_tree_shard(&tree, options.shard, options.shard_count))
		worst = exit_worse(worst, diag_no_memory(NULL));
	status = team == NULL ? aggregate_read(aggregate, &options, &tree)
			      : team->run(aggregate, &options, &tree);
	worst = exit_worse(worst, status);
	status = protect_found(&tree);
	worst = exit_worse(worst, status);
	aggregate->refused |= refused;
	worst = exit_worse(worst, refused ? EXIT_INPUT : EXIT_DONE);
	if (aggregate->functions != NULL) {
		status = finish_aggregate(aggregate, &options, &tree, worst);
		worst = exit_worse(worst, status);
	}
	input_tree_clear(&tree);
	return worst;
}

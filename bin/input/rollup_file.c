/* SPDX-License-Identifier: MIT */
#include "input/rollup_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "input/input.h"
#include "profile/function_match.h"
#include "cli/say.h"

/* One file, while it is read: it becomes one of these. */
struct reading {
	struct replay_options options;
	struct rollup *sums;
	struct trace *trace;
	char *unit;
	bool is_chosen;
	struct compile *compile;
	struct replay *replay;
	struct ops *ops; /* instead of a replay, unless NULL */
};

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t end_size = strlen(end);

	return size > end_size &&
	       memcmp(text + size - end_size, end, end_size) == 0;
}

/* What a trace is of: "src/a.cpp" of "build/src/a.cpp.json.gz". Below several
 * directories there may be equal ones. NULL if out of memory. */
static char *unit_of(const struct tree *tree, const struct tree_file *file)
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

/* All is known of a trace now that tells what it is. */
static enum ctp_status choose(struct reading *reading, struct ctp_error *err)
{
	if (reading->sums->compile != NULL &&
		compile_is_trace(reading->trace)) {
		reading->compile = reading->sums->compile;
		return compile_begin(
			reading->compile, reading->trace, reading->unit, err);
	}
	if (reading->ops != NULL)
		return CTP_OK;
	reading->replay = replay_new(reading->trace, reading->options);
	return reading->replay != NULL ? CTP_OK : no_memory(err);
}

static enum ctp_status add_event(
	void *to, const struct event *event, struct ctp_error *err)
{
	struct reading *reading = to;

	enum ctp_status status = CTP_OK;

	if (!reading->is_chosen)
		status = choose(reading, err);
	reading->is_chosen = true;
	if (status != CTP_OK)
		return status;
	if (reading->compile != NULL)
		return compile_add(reading->compile, event, err);
	return reading->ops != NULL ? ops_add(reading->ops, event, err)
				    : replay_add(reading->replay, event, err);
}

/* Adds what was read of a file to the sums, and frees it. All is to be added to
 * nothing in most cases, which takes longer than the other way round; but sums
 * have no paths of calls, as those of the first file alone would be. */
static enum ctp_status add_profile(
	struct rollup *sums, struct profile *profile, struct ctp_error *err)
{
	struct profile *less = profile;
	bool done;

	if (sums->functions->function_count == 0 && profile->node_count == 0) {
		less = sums->functions;
		sums->functions = profile;
	}
	done = profile_add(sums->functions, less);
	profile_free(less);
	return done ? CTP_OK : no_memory(err);
}

static enum ctp_status add_read(
	const struct reading *reading, struct ctp_error *err)
{
	struct profile *profile = NULL;
	enum ctp_status status =
		reading->ops != NULL
			? ops_finish(reading->ops, &profile, err)
			: replay_finish(reading->replay, &profile, err);

	return status == CTP_OK ? add_profile(reading->sums, profile, err)
				: status;
}

/* After reading, which may have failed, ended with `status`. */
static enum ctp_status end_unit(const struct reading *reading,
	enum ctp_status status, struct ctp_error *err)
{
	struct ctp_error failed;
	enum ctp_status ended = compile_end(
		reading->compile, status == CTP_END ? err : &failed);

	reading->sums->compile_count += status == CTP_END;
	return status == CTP_END ? ended : status;
}

static void on_progress(void *user, uint64_t position)
{
	progress_update(user, position);
}

struct convert_job rollup_file_job(const struct rollup_work *work)
{
	return (struct convert_job){
		.progress = work->progress != NULL ? on_progress : NULL,
		.user = work->progress,
	};
}

static enum ctp_status read_sums(const struct rollup_work *work,
	struct event_source *source, struct ctp_error *err)
{
	const struct replay_options *options = &work->options->replay;
	struct profile *profile = NULL;
	enum ctp_status status = source->read_profile(source, &profile, err);

	if (status == CTP_OK && options->joined)
		status = function_match_join(profile, options->match, err);
	if (status == CTP_OK)
		return add_profile(work->sums, profile, err);
	profile_free(profile);
	return status;
}

/* CTP_END: there was no event in it. */
static enum ctp_status read_events(const struct rollup_work *work,
	struct event_source *source, char *unit, struct ctp_error *err)
{
	struct reading reading = {
		.options = work->options->replay,
		.sums = work->sums,
		.trace = source->trace,
		.unit = unit,
	};
	struct convert_job job = rollup_file_job(work);
	enum ctp_status status;

	source->trace->no_args = true;
	source->trace->details = true;
	if (work->options->ops != NULL) {
		reading.ops = ops_new(source->trace, *work->options->ops);
		if (reading.ops == NULL)
			return no_memory(err);
	}
	status = convert_each(source, &job, add_event, &reading, err);
	if (reading.compile != NULL)
		status = end_unit(&reading, status, err);
	else if (status == CTP_END && reading.is_chosen)
		status = add_read(&reading, err);
	replay_free(reading.replay);
	ops_free(reading.ops);
	return status;
}

/* Reads an opened input; CTP_END: there was nothing in it. */
static enum ctp_status read_input(const struct rollup_work *work,
	const struct tree_file *file, struct input *input,
	struct ctp_error *err)
{
	struct event_source *source = input->origin.source;
	enum ctp_status status;
	char *unit;

	if (work->options->phases != NULL)
		return rollup_phases_add(work, file, source, err);
	if (source->read_profile != NULL && work->options->ops != NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"holds sums of functions, and no operations");
	if (source->read_profile != NULL)
		return read_sums(work, source, err);
	unit = unit_of(work->tree, file);
	if (unit == NULL)
		return no_memory(err);
	status = read_events(work, source, unit, err);
	free(unit);
	return status;
}

static void note_losses(struct rollup *sums, const struct input *input)
{
	const struct trace *trace = input->origin.source->trace;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		sums->losses[loss] += trace->losses[loss];
	sums->file_count++;
}

/* A file that was named: all that is wrong is said. */
static int add_named(
	const struct rollup_work *work, const struct tree_file *file)
{
	const struct inputs *inputs = work->options->inputs;
	struct ctp_error err = {0};
	enum ctp_status status;
	struct input input;
	int result = input_open(&input, file->path, inputs);
	int closed;

	if (result != EXIT_DONE)
		return result;
	if (work->progress != NULL) {
		progress_start(work->progress,
			inputs->quiet ? WHEN_NEVER : inputs->progress, NULL,
			input.origin.size_bytes);
		progress_watch(work->progress, input.origin.source);
	}
	status = read_input(work, file, &input, &err);
	if (work->progress != NULL)
		progress_hide(work->progress);
	if (status != CTP_OK && status != CTP_END)
		result = input_failed(&input, input.name, &err);
	else
		note_losses(work->sums, &input);
	closed = input_close(&input, inputs);
	return closed > result ? closed : result;
}

/* JSON may be anything; all else says by its name that it is one of ours. */
static bool claims_trace(
	const struct tree_file *file, const struct input *input)
{
	const struct origin *origin = &input->origin;

	if (strstr(file->path, ".json") == NULL)
		return true;
	return memmem(origin->head, origin->head_size, "\"traceEvents\"",
		       strlen("\"traceEvents\"")) != NULL;
}

/* Why a file below a directory could not be read. */
static int skip(const struct rollup_work *work, struct tree_file *file,
	const struct input *input, const struct ctp_error *err)
{
	const struct inputs *inputs = work->options->inputs;
	enum tree_skip skip = TREE_NO_TRACE;
	int status = EXIT_DONE;

	switch (err->status) {
	case CTP_ERR_NOMEM:
	case CTP_ERR_LIMIT:
		say_error(file->path, err);
		return EXIT_LIMIT;
	case CTP_ERR_IO:
		skip = err->sys_errno == ENOENT ? TREE_VANISHED
						: TREE_UNREADABLE;
		if (skip == TREE_UNREADABLE)
			status = EXIT_INPUT;
		break;
	default:
		if (claims_trace(file, input)) {
			skip = TREE_DAMAGED;
			status = inputs->strict ? EXIT_DAMAGED : EXIT_DONE;
		}
		break;
	}
	work->sums->skipped[skip]++;
	file->is_none = skip == TREE_NO_TRACE;
	if (skip == TREE_UNREADABLE || (inputs->verbose && !inputs->quiet))
		say_error(file->path, err);
	return status;
}

/* A file without an event; one that is cut off before its first is damaged. */
static int skip_nothing(const struct rollup_work *work, struct tree_file *file,
	struct input *input, const struct inputs *inputs)
{
	const struct trace *trace = input->origin.source->trace;
	bool damaged = trace->losses[LOSS_TRUNCATED] != 0;

	work->sums->skipped[damaged ? TREE_DAMAGED : TREE_NO_TRACE]++;
	file->is_none = !damaged;
	return input_close(
		input, damaged ? inputs : &(struct inputs){.quiet = true});
}

/* A file that was found. */
static int add_found(const struct rollup_work *work, struct tree_file *file)
{
	const struct inputs *inputs = work->options->inputs;
	struct inputs silent = *inputs;
	struct ctp_error err = {0};
	enum ctp_status status;
	struct input input;
	int result = EXIT_DONE;
	int closed;

	silent.quiet = inputs->quiet || !inputs->verbose;
	status = input_try(&input, file->path, inputs, &err);
	if (status != CTP_OK)
		return skip(work, file, &input, &err);
	status = read_input(work, file, &input, &err);
	if (status == CTP_END)
		return skip_nothing(work, file, &input, &silent);
	if (status != CTP_OK)
		result = skip(work, file, &input, &err);
	else
		note_losses(work->sums, &input);
	closed = input_close(&input, &silent);
	return closed > result ? closed : result;
}

int rollup_file_add(const struct rollup_work *work, struct tree_file *file)
{
	return file->root_size != 0 ? add_found(work, file)
				    : add_named(work, file);
}

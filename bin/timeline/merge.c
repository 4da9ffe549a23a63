/* SPDX-License-Identifier: MIT */
/*
 * A few inputs stay open and are read side by side. Each needs up to four
 * files, and its reader's tables, so the events of more inputs than that are
 * stored in one file: event_spool.h. The output is the same.
 */
#include "timeline/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "transform/event_spool.h"
#include "transform/merge.h"
#include "convert.h"
#include "input/input.h"
#include "input/input_map.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "input/ranks.h"
#include "extsort/temp_file.h"
#include "cli/diag.h"

/* Inputs that stay open: the file, its decompressor, a sorter's file, and the
 * copy of a pipe for each, and some for the output, are 64 together. */
#define OPEN_INPUTS_MAX 12

/* Memory for sorted events of all inputs together, and the minimum for one. */
#define REST_BYTES ((size_t)64 << 20)
#define REST_BYTES_MIN ((size_t)128 << 10)

#define COPY_PATH 32
#define PIECE_BYTES 65536

/* An input that is read more than once: a pipe is copied to an unnamed file. */
struct seekable_input {
	struct temp_file copy;
	char path[COPY_PATH]; /* path of the copy; "": the input is a file */
};

struct part {
	const char *path; /* as given */
	struct seekable_input seekable;
	struct input input;
	bool is_open;
};

struct merger {
	const struct merge_options *options;
	const struct inputs *inputs;
	size_t count;
	struct part *parts;
	struct rank *ranks;
	struct clock *clocks;
	struct merge *merge;
	struct event_spool *spool; /* NULL: inputs stay open */
	unsigned read_jobs;        /* for reading one input */
	int64_t base_ns;
};

static enum ctp_status copy_to_file(
	struct temp_file *to, int fd, struct ctp_error *err)
{
	char bytes[PIECE_BYTES];
	enum ctp_status status = CTP_OK;
	ssize_t got = 1;

	while (got > 0 && status == CTP_OK) {
		got = read(fd, bytes, sizeof(bytes));
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			status = ctp_fail(err, CTP_ERR_IO, "cannot read");
		else
			status = temp_file_add(to, bytes, (size_t)got, err);
	}
	return status == CTP_OK ? temp_file_flush(to, err) : status;
}

static int make_copy(struct seekable_input *seekable, const char *path, int fd)
{
	struct ctp_error err = {0};
	enum ctp_status status = temp_file_open(&seekable->copy, &err);

	if (status == CTP_OK)
		status = copy_to_file(&seekable->copy, fd, &err);
	if (status == CTP_OK) {
		(void)snprintf(seekable->path, sizeof(seekable->path),
			"/proc/self/fd/%d", seekable->copy.fd);
		return EXIT_DONE;
	}
	diag_error(input_name(path), &err);
	return status == CTP_ERR_NOMEM ? EXIT_LIMIT : EXIT_INPUT;
}

/* Ensures that the input at `path`, or standard input for "-", can be opened
 * repeatedly. Errors: reported; returns an exit status. Call
 * seekable_input_clear() in any case. */
static int seekable_input_init(
	struct seekable_input *seekable, const char *path)
{
	bool from_stdin = strcmp(path, "-") == 0;
	int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int status = EXIT_DONE;
	struct stat found;

	*seekable = (struct seekable_input){.copy = TEMP_FILE_NONE};
	/* The error is reported when the file is opened as an input. */
	if (fd < 0)
		return EXIT_DONE;
	if (from_stdin || (fstat(fd, &found) == 0 && S_ISFIFO(found.st_mode)))
		status = make_copy(seekable, path, fd);
	if (!from_stdin)
		(void)close(fd);
	return status;
}

static void seekable_input_clear(struct seekable_input *seekable)
{
	temp_file_close(&seekable->copy);
}

static int open_part(
	const struct merger *merger, struct part *part, bool skip_args)
{
	struct inputs inputs = *merger->inputs;
	const char *path = part->seekable.path[0] == '\0' ? part->path
							  : part->seekable.path;
	size_t rest_bytes = REST_BYTES / merger->count;
	int status;

	inputs.request.skip_args = skip_args;
	inputs.request.jobs = merger->read_jobs;
	if (merger->spool == NULL)
		inputs.request.memory_after_read_bytes =
			rest_bytes < REST_BYTES_MIN ? REST_BYTES_MIN
						    : rest_bytes;
	status = input_open_as(
		&part->input, input_name(part->path), path, &inputs);
	part->is_open = status == EXIT_DONE;
	return status;
}

static int close_part(struct part *part, const struct inputs *inputs)
{
	if (!part->is_open)
		return EXIT_DONE;
	part->is_open = false;
	return input_close(&part->input, inputs);
}

/* Are clocks aligned by the contents of inputs? */
static bool needs_marks(const struct merger *merger)
{
	return merger->options->align == CLOCKS_RANGE ||
	       merger->options->align == CLOCKS_COLLECTIVE;
}

/* Reads the source of an input to its end. */
static int find_marks(
	const struct merger *merger, size_t number, struct event_source *source)
{
	const struct merge_options *options = merger->options;
	const struct input *input = &merger->parts[number].input;
	struct align_marks *marks = &merger->clocks[number].marks;
	struct ctp_error err = {0};
	enum ctp_status read =
		options->align == CLOCKS_RANGE
			? align_find(source, options->range, marks, &err)
			: align_collect(source, marks, &err);

	return read == CTP_OK ? EXIT_DONE
			      : input_diag_error(input, input->name, &err);
}

/* Messages are printed when it is read again. */
static int read_marks(void *user, size_t number)
{
	static const struct inputs quiet = {.quiet = true};
	const struct merger *merger = user;
	struct part *part = &merger->parts[number];
	struct event_source *source;
	int status = seekable_input_init(&part->seekable, part->path);

	if (status == EXIT_DONE)
		status = open_part(
			merger, part, merger->options->align == CLOCKS_RANGE);
	if (status != EXIT_DONE)
		return status;
	source = part->input.file.source;
	if (source->read_profile == NULL) /* profiles are refused later */
		status = find_marks(merger, number, source);
	(void)close_part(part, &quiet);
	return status;
}

static void drop_marks(void *user, size_t number)
{
	const struct merger *merger = user;

	align_marks_clear(&merger->clocks[number].marks);
	merger->clocks[number] = (struct clock){0};
	seekable_input_clear(&merger->parts[number].seekable);
}

/* The first pass, unless the events are stored. */
static int read_all_marks(struct merger *merger)
{
	struct input_map map = {.count = merger->count,
		.jobs = input_map_jobs(merger->inputs, merger->options->jobs),
		.read = read_marks,
		.drop = drop_marks,
		.user = merger,
		.progress = inputs_progress(merger->inputs)};
	int status;

	if (!needs_marks(merger) || merger->spool != NULL)
		return EXIT_DONE;
	if (map.jobs > 1)
		merger->read_jobs = 1;
	status = input_map_run(&map);
	merger->read_jobs = merger->options->jobs;
	return status;
}

/* Stores the events of an input, and closes its files. */
static enum ctp_status store_part(
	const struct merger *merger, struct part *part, struct ctp_error *err)
{
	struct event_source *stored;
	enum ctp_status status = event_spool_add(
		merger->spool, part->input.file.source, &stored, err);

	if (status == CTP_OK)
		input_file_replace(&part->input.file, stored);
	return status;
}

static int add_part(const struct merger *merger, struct part *part)
{
	struct event_source *source;
	struct ctp_error err = {0};
	int status = open_part(merger, part, false);
	enum ctp_status added;

	if (status != EXIT_DONE)
		return status;
	source = part->input.file.source;
	added = merger->spool == NULL || source->read_profile != NULL
			? merge_add(merger->merge, source, &err)
			: store_part(merger, part, &err);
	return added == CTP_OK
		       ? EXIT_DONE
		       : input_diag_error(&part->input, part->input.name, &err);
}

static int add_stored(const struct merger *merger)
{
	struct ctp_error err = {0};
	int status = EXIT_DONE;

	if (merger->spool == NULL)
		return EXIT_DONE;
	if (event_spool_finish(merger->spool, &err) != CTP_OK) {
		diag_error(merger->parts[0].input.name, &err);
		return EXIT_OUTPUT;
	}
	merge_share_tables(merger->merge, event_spool_tables(merger->spool));
	for (size_t i = 0; i < merger->count && status == EXIT_DONE; i++) {
		const struct input *input = &merger->parts[i].input;
		struct event_source *source = input->file.source;

		if (needs_marks(merger))
			status =
				find_marks(merger, i, event_spool_scan(source));
		if (status == EXIT_DONE &&
			merge_add(merger->merge, source, &err) != CTP_OK)
			status = input_diag_error(input, input->name, &err);
	}
	return status;
}

/* Checks all inputs, so that all errors are reported at once. After a bad input
 * the numbers of parts and sources differ. */
static int add_all(const struct merger *merger)
{
	static const struct inputs quiet = {.quiet = true};
	struct progress progress;
	int worst = EXIT_DONE;

	progress_start(&progress, inputs_progress(merger->inputs), "files",
		merger->count);
	for (size_t i = 0; i < merger->count && worst < EXIT_LIMIT; i++) {
		int status = add_part(merger, &merger->parts[i]);

		if (status != EXIT_DONE)
			(void)close_part(&merger->parts[i], &quiet);
		worst = exit_worse(worst, status);
		progress_update(&progress, i + 1);
	}
	progress_hide(&progress);
	return worst;
}

static int place_inputs(struct merger *merger)
{
	int status;

	for (size_t i = 0; i < merger->count; i++) {
		merger->ranks[i].path = merger->parts[i].path;
		merger->ranks[i].trace =
			merger->parts[i].input.file.source->trace;
	}
	if (!ranks_label(merger->ranks, merger->count))
		return diag_no_memory(NULL);
	for (size_t i = 0; i < merger->count; i++) {
		struct clock *clock = &merger->clocks[i];

		clock->name = merger->parts[i].input.name;
		clock->trace = merger->ranks[i].trace;
		clock->order = merger->ranks[i].order;
		clock->has_events =
			merge_has_events(merger->merge, (uint32_t)i);
	}
	status = clocks_solve(merger->clocks, merger->count,
		merger->options->align, &merger->base_ns);
	if (status != EXIT_DONE)
		return status;
	for (size_t i = 0; i < merger->count; i++)
		merge_set_place(merger->merge, (uint32_t)i,
			&(struct merge_place){.label = merger->ranks[i].label,
				.order = merger->ranks[i].order,
				.shift_ns = merger->clocks[i].shift_ns,
				.timeline_shift_ns =
					merger->clocks[i].timeline_shift_ns});
	merge_source(merger->merge)->trace->base_realtime_ns = merger->base_ns;
	return EXIT_DONE;
}

/* "+1.5 ms" */
static const char *shift_text(char text[QUANTITY_TEXT + 1], int64_t shift_ns)
{
	uint64_t size_ns =
		shift_ns < 0 ? -(uint64_t)shift_ns : (uint64_t)shift_ns;

	text[0] = shift_ns < 0 ? '-' : '+';
	(void)quantity_time(text + 1, size_ns);
	return text;
}

/* Reports the worst alignment: merged times mean no more than that. */
static void diag_worst(const struct merger *merger)
{
	const struct clock *worst = NULL;
	char spread[QUANTITY_TEXT];

	if (merger->options->align != CLOCKS_COLLECTIVE ||
		merger->inputs->quiet)
		return;
	for (size_t i = 0; i < merger->count; i++)
		if (merger->clocks[i].matched != 0 &&
			(worst == NULL ||
				merger->clocks[i].spread_ns > worst->spread_ns))
			worst = &merger->clocks[i];
	if (worst != NULL)
		diag("clocks agree to within %s in nine of ten collectives "
		     "(worst input: %s, by %" PRIu32 " collectives)",
			quantity_time(spread, worst->spread_ns), worst->name,
			worst->matched);
}

static void diag_shifts(const struct merger *merger)
{
	bool collective = merger->options->align == CLOCKS_COLLECTIVE;

	for (size_t i = 0; i < merger->count && merger->inputs->verbose; i++) {
		const struct clock *clock = &merger->clocks[i];
		const char *label = merger->ranks[i].label;
		char shift[QUANTITY_TEXT + 1];
		char spread[QUANTITY_TEXT];

		(void)shift_text(shift, clock->shift_ns);
		(void)quantity_time(spread, clock->spread_ns);
		if (!collective || clock->matched == 0)
			diag("%s: %s%stimes %s", clock->name, label,
				label[0] == '\0' ? "" : ": ", shift);
		else
			diag("%s: %s%stimes %s, by %" PRIu32
			     " collectives, to within %s",
				clock->name, label,
				label[0] == '\0' ? "" : ": ", shift,
				clock->matched, spread);
	}
}

static bool add_number(struct trace *trace, const struct rank *rank,
	const char *what, int64_t number)
{
	char key[RANKS_LABEL + 32];
	char value[24];

	(void)snprintf(key, sizeof(key), "%s%s%s", rank->label,
		rank->label[0] == '\0' ? "" : " ", what);
	(void)snprintf(value, sizeof(value), "%" PRId64, number);
	return trace_add_fact(trace, key, value);
}

static bool add_clock_facts(
	const struct merger *merger, struct trace *trace, size_t number)
{
	const struct clock *clock = &merger->clocks[number];
	const struct rank *rank = &merger->ranks[number];

	if (!add_number(trace, rank, "shift_ns", clock->shift_ns))
		return false;
	if (merger->options->align != CLOCKS_COLLECTIVE || clock->matched == 0)
		return true;
	return add_number(trace, rank, "collectives", clock->matched) &&
	       add_number(trace, rank, "clock_error_ns",
		       (int64_t)clock->spread_ns);
}

/* Number of recordings, including those of inputs merged before. */
static uint64_t count_recordings(const struct merger *merger)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < merger->count; i++) {
		const char *merged =
			trace_find_fact(merger->ranks[i].trace, TRACE_MERGED);

		sum += merged == NULL ? 1 : strtoull(merged, NULL, 10);
	}
	return sum;
}

static int add_facts(const struct merger *merger)
{
	static const char *const words[] = {"wall", "none", "", "collective"};
	const struct merge_options *options = merger->options;
	struct trace *trace = merge_source(merger->merge)->trace;
	char recordings[24];
	size_t *sorted;
	bool done;

	(void)snprintf(recordings, sizeof(recordings), "%" PRIu64,
		count_recordings(merger));
	done = trace_add_fact(trace, TRACE_MERGED, recordings) &&
	       trace_add_fact(trace, "align",
		       options->align == CLOCKS_RANGE ? options->range
						      : words[options->align]);
	/* In the order of ranks, independent of the order of inputs. */
	sorted = done ? calloc(merger->count + 1, sizeof(*sorted)) : NULL;
	done = sorted != NULL;
	for (size_t i = 0; i < merger->count && done; i++)
		sorted[merger->ranks[i].order - 1] = i;
	for (size_t i = 0; i < merger->count && done; i++)
		done = add_clock_facts(merger, trace, sorted[i]);
	free(sorted);
	if (done)
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

struct write_progress {
	struct progress progress;
	FILE *out;
};

/* Shows bytes written, since the inputs have been read by now. */
static void on_progress(void *user, uint64_t position)
{
	struct write_progress *writing = user;
	off_t at = writing->progress.on ? ftello(writing->out) : 0;

	(void)position;
	progress_update(&writing->progress, at > 0 ? (uint64_t)at : 0);
}

static int convert(const struct merger *merger, struct event_source *source,
	const struct output *output)
{
	struct write_progress writing = {.out = output->file};
	struct convert_job job = {.to = merger->options->to,
		.out = output->file,
		.progress = on_progress,
		.user = &writing};
	struct ctp_error err = {0};
	enum ctp_status status;
	uint32_t failed;

	progress_start(
		&writing.progress, inputs_progress(merger->inputs), NULL, 0);
	status = convert_run(source, &job, &err);
	progress_hide(&writing.progress);
	if (status == CTP_OK)
		return EXIT_DONE;
	failed = merge_failed(merger->merge);
	if (failed != UINT32_MAX)
		return input_diag_error(&merger->parts[failed].input,
			merger->parts[failed].input.name, &err);
	diag_error(output->name, &err);
	return status == CTP_ERR_NOMEM || status == CTP_ERR_LIMIT ? EXIT_LIMIT
								  : EXIT_OUTPUT;
}

/* Reports losses that occurred only in merging or writing. */
static int diag_losses(const struct merger *merger, const char *name)
{
	const struct trace *trace = merge_source(merger->merge)->trace;
	const struct inputs *inputs = merger->inputs;
	bool lost = false;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		uint64_t count =
			trace->losses[loss] - merge_lost(merger->merge, loss);
		bool note = trace_loss_is_note(loss);

		if (count == 0)
			continue;
		lost = lost || !note;
		if (note ? inputs->verbose && !inputs->quiet
			 : inputs->strict || !inputs->quiet)
			diag("%s: %" PRIu64 " %s", name, count,
				trace_loss_description(loss));
	}
	return lost && inputs->strict ? EXIT_DAMAGED : EXIT_DONE;
}

static int write_source(
	const struct merger *merger, struct event_source *source)
{
	const struct merge_options *options = merger->options;
	struct output output;
	int status = output_open_as(
		&output, options->output, options->force, options->to);

	if (status != EXIT_DONE)
		return status;
	status = convert(merger, source, &output);
	if (status == EXIT_DONE)
		status = diag_losses(merger, output.name);
	return exit_worse(
		status, output_close(&output,
				status == EXIT_DONE || status == EXIT_DAMAGED));
}

/* Sorts and cuts the merged events: the result is that of 'ctprof cut' after
 * 'ctprof merge'. */
static int write_cut(const struct merger *merger)
{
	struct input merged = {.name = "the merged timeline",
		.file = {.source = merge_source(merger->merge)}};
	struct cut_pipeline pipeline = *merger->options->cut;
	struct cut *cut = NULL;
	int status;

	pipeline.progress = inputs_progress(merger->inputs);
	status = cut_pipeline_apply(&pipeline, &merged, &cut);
	if (status == EXIT_DONE)
		status = write_source(merger, merged.file.source);
	merged.file.source->close(merged.file.source);
	return status;
}

static int merge(struct merger *merger)
{
	int status = read_all_marks(merger);

	if (status == EXIT_DONE)
		status = add_all(merger);
	if (status == EXIT_DONE)
		status = add_stored(merger);
	if (status == EXIT_DONE)
		status = place_inputs(merger);
	if (status == EXIT_DONE)
		status = add_facts(merger);
	if (status != EXIT_DONE)
		return status;
	diag_shifts(merger);
	diag_worst(merger);
	return merger->options->cut == NULL
		       ? write_source(merger, merge_source(merger->merge))
		       : write_cut(merger);
}

/* Losses are reported for inputs that were read to their end. */
static int merger_clear(struct merger *merger, int status)
{
	static const struct inputs quiet = {.quiet = true};
	bool all = status == EXIT_DONE || status == EXIT_DAMAGED;

	merge_free(merger->merge);
	for (size_t i = 0; merger->parts != NULL && i < merger->count; i++) {
		status = exit_worse(
			status, close_part(&merger->parts[i],
					all ? merger->inputs : &quiet));
		seekable_input_clear(&merger->parts[i].seekable);
		if (merger->clocks != NULL)
			align_marks_clear(&merger->clocks[i].marks);
	}
	event_spool_free(merger->spool);
	free(merger->parts);
	free(merger->ranks);
	free(merger->clocks);
	return status;
}

int merge_timelines(const struct merge_options *options)
{
	const struct inputs *inputs = options->inputs;
	struct merger merger = {.options = options,
		.inputs = inputs,
		.count = inputs->count,
		.read_jobs = options->jobs,
		.parts = calloc(inputs->count, sizeof(*merger.parts)),
		.ranks = calloc(inputs->count, sizeof(*merger.ranks)),
		.clocks = calloc(inputs->count, sizeof(*merger.clocks)),
		.merge = merge_new((uint32_t)inputs->count)};
	/* A cut reads all before it writes, so that an error of an input would
	 * be that of the merged timeline. */
	bool stores = inputs->count > OPEN_INPUTS_MAX || options->cut != NULL;
	int status;

	if (stores)
		merger.spool = event_spool_new();
	for (size_t i = 0; merger.parts != NULL && i < inputs->count; i++) {
		merger.parts[i].path = inputs->paths[i];
		merger.parts[i].seekable.copy = TEMP_FILE_NONE;
	}
	if (merger.parts == NULL || merger.ranks == NULL ||
		merger.clocks == NULL || merger.merge == NULL ||
		(stores && merger.spool == NULL)) {
		status = diag_no_memory(NULL);
	} else {
		status = merge(&merger);
	}
	return merger_clear(&merger, status);
}

/* SPDX-License-Identifier: MIT */
/* Completes logs that their recorders could not: the program was killed, and no
 * `ctprof record` was there to do it. With -o, makes valid JSON of a trace. */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "recover/recover_log.h"
#include "record/compressor.h"
#include "record/recovery.h"
#include "record/symbolizer.h"
#include "input/input.h"
#include "io/known_formats.h"
#include "json_repair/repair.h"
#include "input/report.h"
#include "cli/diag.h"
#include "record/spool_dir.h"
#include "cli/table.h"

struct request {
	const char *directory; /* NULL: the default */
	bool all;
	bool discard;
	bool compress;
	bool json;
	bool quiet;
	bool force;
	const char *output; /* NULL: the logs are completed in place */
	enum when progress;
	char **logs;
	size_t count;
};

/* With -o, one file is repaired. */
static void check_output(
	const struct request *request, const struct argp_state *state)
{
	if (request->output == NULL) {
		if (request->force)
			argp_error(state, "--force is for -o");
		return;
	}
	if (request->count != 1)
		argp_error(state, "-o takes one FILE");
	if (request->all || request->discard || request->directory != NULL)
		argp_error(state, "-o repairs a FILE, not spools");
	if (request->json && strcmp(request->output, "-") == 0)
		argp_error(state,
			"--json and -o - cannot both write to standard output");
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	check_output(request, state);
	if (request->all && request->discard)
		argp_error(state, "--all and --discard exclude each other");
	if (request->all && request->count > 0)
		argp_error(state, "--all takes no LOG");
	if (request->compress && (request->discard || request->count == 0 ||
					 request->output != NULL))
		argp_error(state, "--compress takes LOGs, to complete them");
	if (request->json && request->output == NULL &&
		(request->all || request->discard || request->count > 0))
		argp_error(state, "--json needs the list of spools or -o");
	return request->output == NULL || output_protect(request->logs[0])
		       ? 0
		       : ENOMEM;
}

static error_t add(void *structure, char *text, struct argp_state *state)
{
	struct request *request = structure;

	(void)text;
	if (request->count++ == 0)
		request->logs = &state->argv[state->next - 1];
	return 0;
}

/* Removes the spool without completing its log. */
static int discard(const struct spool_file *spool)
{
	struct ctp_error err;

	if (spool_file_remove(spool, &err) != CTP_OK) {
		diag_error(spool->path, &err);
		return EXIT_OUTPUT;
	}
	if (spool->ready)
		diag("%s: removed; %s stays as it is", spool->path,
			spool->header.log_path);
	else
		diag("%s: nothing was recorded in it; removed", spool->path);
	return EXIT_DONE;
}

/* Whether the log's spool exists but is not accessible to this user. */
static bool is_other_users(const struct recover_origin *origin)
{
	struct stat found;

	return origin->known && origin->spool[0] != '\0' &&
	       lstat(origin->spool, &found) == 0 && found.st_uid != geteuid();
}

/*
 * Names the functions that are known by address: `ctprof record` does it only
 * for processes that end before it. Returns how many. Errors are reported, and
 * only cost names.
 */
static uint64_t name_functions(const struct request *request, const char *log)
{
	uint64_t named = 0;
	struct stat found;

	if (lstat(log, &found) == 0 && S_ISREG(found.st_mode) &&
		found.st_uid == geteuid() && found.st_size > 0)
		(void)symbolizer_run(
			&(struct symbolizer){.quiet = request->quiet,
				.brief = true,
				.named = &named},
			log);
	return named;
}

/* Names the functions of a complete log. */
static void diag_complete(const struct request *request, const char *log)
{
	uint64_t named = name_functions(request, log);

	if (named == 0 && !request->compress)
		diag("%s: is complete: nothing to do", log);
	else if (named != 0 && !request->quiet)
		diag("%s: is complete; %" PRIu64 " function%s named", log,
			named, named == 1 ? " was" : "s were");
}

/* Without a spool: reports whether the log needs one. */
static int diag_no_spool(const struct request *request, const char *log)
{
	int fd = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct recover_origin origin = {0};
	bool complete = false;
	struct stat found = {0};
	struct ctp_error err;
	enum ctp_status status;

	if (fd < 0) {
		diag("%s: %s", log, strerror(errno));
		return EXIT_INPUT;
	}
	(void)fstat(fd, &found);
	status = recover_log_is_complete(fd, &complete, &err);
	if (status == CTP_OK)
		status = recover_origin_read(fd, &origin, &err);
	(void)close(fd);
	if (status != CTP_OK) {
		diag_error(log, &err);
		return EXIT_INPUT;
	}
	if (!complete && !origin.known && found.st_size > 0) {
		diag("%s: not a ctprof log, and has no spool; to repair JSON, "
		     "use -o PATH",
			log);
		return EXIT_INPUT;
	}
	if (!complete && is_other_users(&origin)) {
		diag("%s: is truncated, and its spool, %s, belongs to another "
		     "user, who can complete it",
			log, origin.spool);
		return EXIT_INPUT;
	}
	if (complete)
		diag_complete(request, log);
	else if (origin.known)
		diag("%s: is truncated, and has no spool to complete it from: "
		     "nothing to do",
			log);
	else /* a program may end before the log has any data */
		diag("%s: is empty, and has no spool: nothing to do", log);
	return EXIT_DONE;
}

static int repair_log(const struct request *request, const char *log)
{
	struct spool_file spool;
	struct stat found;
	int status;

	/* Opening a pipe would block. */
	if (stat(log, &found) == 0 && !S_ISREG(found.st_mode)) {
		diag("%s: is not a file", log);
		return EXIT_INPUT;
	}
	if (!spool_dir_open_for_log(
		    &spool, log, spool_dir_path(request->directory)))
		return diag_no_spool(request, log);
	if (spool.busy) {
		recovery_diag_busy(&spool, log);
		status = EXIT_NO;
	} else if (request->discard) {
		status = discard(&spool);
	} else {
		status = recovery_complete(&spool,
			&(struct recovery){
				.log = access(log, F_OK) == 0 ? log : NULL,
				.name = log,
				.quiet = request->quiet});
	}
	spool_file_close(&spool);
	if (status == EXIT_DONE && !request->discard)
		(void)name_functions(request, log);
	return status;
}

/* Opens an abandoned spool; reports names that are not spools and unknown
 * versions. */
static bool open_leftover(struct spool_file *spool, const char *path)
{
	struct ctp_error err;

	if (spool_file_open(spool, path, &err) != CTP_OK) {
		if (err.sys_errno != ENOENT)
			diag_error(path, &err);
		return false;
	}
	if (!spool->busy)
		return true;
	spool_file_close(spool);
	return false;
}

/* Completes or removes all spools. */
static int repair_all(
	const struct request *request, const struct spool_dir *spools)
{
	int worst = EXIT_DONE;
	size_t count = 0;

	for (size_t i = 0; i < spools->count; i++) {
		struct spool_file spool;
		int status;

		if (!open_leftover(&spool, spools->paths[i]))
			continue;
		count++;
		status = request->discard
				 ? discard(&spool)
				 : recovery_complete(&spool,
					   &(struct recovery){
						   .quiet = request->quiet});
		if (status == EXIT_DONE && !request->discard && spool.ready)
			(void)name_functions(request, spool.header.log_path);
		worst = exit_worse(worst, status);
		spool_file_close(&spool);
	}
	if (count == 0 && !request->quiet)
		diag("no spools were left behind: nothing to do");
	return worst;
}

struct spool_line {
	const char *spool, *log, *started;
	int64_t pid, start_ns;
	uint64_t ranges, events;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct spool_line, member)
static const struct column spool_items[] = {
	COLUMN_IN_JSON(TEXT, "spool", "the spool's path", OF(spool)),
	COLUMN(TEXT, "log", "log", "the log's path; empty if the process died "
		"before it recorded anything", OF(log), .place = 1),
	COLUMN(INTEGER, "pid", "pid", "the process", OF(pid)),
	COLUMN_IN_JSON(INTEGER, "start_ns",
		"begin of the recording, in nanoseconds since 1970",
		OF(start_ns)),
	COLUMN_IN_TEXT(TEXT, "started", OF(started)),
	COLUMN(COUNT, "ranges", "ranges", "number of ranges", OF(ranges)),
	COLUMN(COUNT, "events", "events", "number of events", OF(events)),
};
#undef OF
/* clang-format on */
static const struct columns spool_table =
	COLUMNS("rows", "the abandoned spools", spool_items);
static const struct report_form list_form = {.schema = "ctprof/repair/1",
	.title = "ctprof repair",
	.arrays = {&spool_table}};

struct spool_list {
	const struct spool_dir *spools;
	size_t count; /* of those abandoned */
};

static void add_spool(struct sheet *sheet, const struct spool_file *spool)
{
	struct spool_content content = {0};
	struct ctp_error err;
	char started[QUANTITY_TEXT];
	int64_t start_ns = spool->header.start.realtime_ns;
	struct stat found;

	/* A process that was killed at birth left an empty file. */
	if (start_ns == 0 && fstat(spool->fd, &found) == 0)
		start_ns = (int64_t)found.st_mtim.tv_sec * 1000000000 +
			   found.st_mtim.tv_nsec;
	if (spool_file_count(spool, &content, &err) != CTP_OK)
		diag_error(spool->path, &err);
	columns_add(sheet, &spool_table, TABLE_PLAIN,
		&(struct spool_line){.spool = spool->path,
			.log = spool->ready ? spool->header.log_path : "",
			.started = quantity_date(started, start_ns),
			.pid = spool_dir_pid(spool->path),
			.start_ns = start_ns,
			.ranges = content.ranges,
			.events = content.events});
}

/* An empty list has no titles. */
static void write_spools(struct sheet *sheet, const void *user)
{
	struct spool_list *list = *(struct spool_list *const *)user;

	if (sheet->style == REPORT_JSON)
		columns_begin(sheet, &spool_table);
	for (size_t i = 0; i < list->spools->count; i++) {
		struct spool_file spool;

		if (!open_leftover(&spool, list->spools->paths[i]))
			continue;
		if (list->count++ == 0 && sheet->style == REPORT_TEXT)
			columns_begin(sheet, &spool_table);
		add_spool(sheet, &spool);
		spool_file_close(&spool);
	}
	columns_end(sheet, &spool_table);
}

static int print_spools(const struct spool_dir *spools, bool json)
{
	struct spool_list list = {.spools = spools};
	struct spool_list *user = &list;
	int status = report_write(
		&(struct report_options){
			.style = json ? REPORT_JSON : REPORT_TEXT},
		&(struct report){.schema = list_form.schema}, stdout,
		write_spools, &user);

	if (json || status != EXIT_DONE)
		return status;
	if (list.count == 0)
		diag("no spools were left behind: nothing to do");
	else
		diag("'ctprof repair --all' completes %s, 'ctprof repair "
		     "--discard' removes events not yet in %s",
			list.count == 1 ? "this log" : "these logs",
			list.count == 1 ? "it" : "them");
	return EXIT_DONE;
}

/* ---- FILE -o PATH: JSON that another program wrote ---- */

struct repair_input {
	const struct request *request;
	const char *name;
	struct input_file file;
	struct progress progress;
	struct inflate_facts packed; /* of a gzip'd input */
	struct repair_result result;
};

/* Accepts JSON formats and unknown ones. An archive of traces would become a
 * single trace. */
static int check_format(const struct repair_input *input)
{
	const struct format *format = input->file.format;
	const char *advice = NULL;

	if (format == NULL)
		advice = known_formats_advice(
			input->file.head, input->file.head_size);
	if (advice != NULL) {
		diag("%s: %s", input->name, advice);
		return EXIT_INPUT;
	}
	if (format == &log_format) {
		diag("%s: is a ctprof log; complete it in place with 'ctprof "
		     "repair %s'",
			input->name, input->request->logs[0]);
		return EXIT_INPUT;
	}
	if (format == NULL || format == &chrome_format ||
		format == &speedscope_format || format == &gprof2dot_format)
		return EXIT_DONE;
	diag("%s: is %s, not JSON", input->name, format->name);
	return EXIT_INPUT;
}

static void on_progress(void *user, uint64_t position)
{
	struct repair_input *input = user;

	if (input->file.inflate != NULL)
		position = inflate_file_facts(input->file.inflate).position;
	progress_update(&input->progress, position);
}

static int report_error(const struct repair_input *input, FILE *out,
	const struct ctp_error *err)
{
	if (err->status == CTP_ERR_NOMEM) {
		diag_error(input->name, err);
		return EXIT_LIMIT;
	}
	if (err->status == CTP_ERR_IO && ferror(out) != 0)
		return EXIT_OUTPUT; /* reported when it is closed */
	diag_error(input->name, err);
	return EXIT_INPUT;
}

/* Any text may have brackets and pieces that look like JSON: without an event
 * or a trace's member it is not a trace. */
static bool is_no_trace(const struct repair_input *input)
{
	const struct repair_result *result = &input->result;
	const struct repair_fixes *fixes = &result->fixes;
	bool garbage = fixes->counts[REPAIR_GARBAGE] > 0;

	if (input->file.format != NULL || result->events > 0 ||
		result->has_header)
		return false;
	if (result->out_bytes < sizeof("{\"traceEvents\":[]}"))
		return garbage || fixes->counts[REPAIR_DROPPED] > 0;
	return garbage && fixes->first[REPAIR_GARBAGE] == 0;
}

static int write_output(struct repair_input *input)
{
	struct output output;
	struct ctp_error err;
	struct repair_job job = {.in = input->file.file,
		.head = input->file.head,
		.head_size = input->file.head_size,
		.progress = on_progress,
		.user = input};
	int status = output_open(
		&output, input->request->output, input->request->force, false);
	enum ctp_status done;

	if (status != EXIT_DONE)
		return status;
	progress_start(&input->progress,
		input->request->quiet ? WHEN_NEVER : input->request->progress,
		NULL, input->file.size_bytes);
	job.out = output.file;
	done = repair_run(&job, &input->result, &err);
	progress_hide(&input->progress);
	if (done != CTP_OK)
		status = report_error(input, output.file, &err);
	if (status == EXIT_DONE && is_no_trace(input)) {
		diag("%s: has no events, and is not a trace in JSON",
			input->name);
		status = EXIT_INPUT;
	}
	return exit_worse(
		status, output_close(&output,
				status == EXIT_DONE || status == EXIT_OUTPUT));
}

static void diag_fixes(const struct repair_input *input)
{
	const struct repair_fixes *fixes = &input->result.fixes;

	if (input->result.in_bytes == 0)
		diag("%s: is empty, and so is the repaired trace", input->name);
	for (unsigned fix = 0; fix < REPAIR_FIXES; fix++)
		if (fixes->counts[fix] > 0)
			diag("%s: %" PRIu64 " %s, first at byte %" PRIu64,
				input->name, fixes->counts[fix],
				repair_fix_words(fix), fixes->first[fix]);
	if (input->packed.damage != NULL)
		diag("%s: byte %" PRIu64 ": %s", input->name,
			input->packed.damage_at, input->packed.damage);
	if (input->packed.strange_bytes > 0)
		diag("%s: %" PRIu64 " bytes after the compressed data left out",
			input->name, input->packed.strange_bytes);
	if (repair_fix_total(fixes) == 0 && input->packed.damage == NULL)
		diag("%s: nothing to repair", input->name);
}

struct fix_line {
	const char *fix, *words;
	uint64_t count, byte;
	bool loss;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct fix_line, member)
static const struct column fix_items[] = {
	COLUMN_IN_JSON(TEXT, "fix", "the kind of repair", OF(fix),
		.words = "truncated|dropped|garbage|documents|depth|brackets|"
			 "commas|members|quotes|backslashes|controls|utf8|"
			 "surrogates|nan|numbers|words|text_times|zero_times"),
	COLUMN_IN_JSON(TEXT, "words", "a description", OF(words)),
	COLUMN_IN_JSON(COUNT, "count", "number of these repairs", OF(count)),
	COLUMN_IN_JSON(COUNT, "byte",
		"offset of the first one in the uncompressed input", OF(byte)),
	COLUMN_IN_JSON(BOOL, "loss", "it lost data", OF(loss)),
};
#undef OF
static const struct columns fix_table =
	COLUMNS("rows", "each kind of repair that was made", fix_items);

struct fixes_head {
	const char *output;
	struct repair_result result;
};

#define OF(member) COLUMN_OF(struct fixes_head, member)
static const struct column head_items[] = {
	COLUMN_IN_JSON(TEXT, "output", "the output", OF(output)),
	COLUMN_IN_JSON(COUNT, "input_bytes",
		"size of the uncompressed input, in bytes",
		OF(result.in_bytes)),
	COLUMN_IN_JSON(COUNT, "output_bytes", "size of the output, in bytes",
		OF(result.out_bytes)),
	COLUMN_IN_JSON(COUNT, "events", "number of events in the output",
		OF(result.events)),
	COLUMN_IN_JSON(COUNT, "slices", "number of those with a duration",
		OF(result.slices)),
};
#undef OF
/* clang-format on */
static const struct columns head_table = COLUMNS(NULL, NULL, head_items);
static const struct report_form fixes_form = {.schema = "ctprof/repair/1",
	.title = "ctprof repair -o",
	.heads = {&head_table},
	.arrays = {&fix_table}};

static void write_fixes(struct sheet *sheet, const void *user)
{
	const struct repair_input *input = user;
	const struct repair_fixes *fixes = &input->result.fixes;

	columns_members(sheet, &head_table,
		&(struct fixes_head){input->request->output, input->result});
	columns_begin(sheet, &fix_table);
	for (unsigned fix = 0; fix < REPAIR_FIXES; fix++)
		if (fixes->counts[fix] > 0)
			columns_add(sheet, &fix_table, TABLE_PLAIN,
				&(struct fix_line){repair_fix_name(fix),
					repair_fix_words(fix),
					fixes->counts[fix], fixes->first[fix],
					repair_fix_is_loss(fix)});
	columns_end(sheet, &fix_table);
}

static int print_fixes(const struct repair_input *input)
{
	const struct repair_fixes *fixes = &input->result.fixes;
	struct report report = {.schema = fixes_form.schema,
		.inputs = input->request->logs,
		.input_count = 1};

	report.losses[LOSS_TRUNCATED] = fixes->counts[REPAIR_TRUNCATED] +
					(input->packed.damage != NULL);
	report.losses[LOSS_BAD_EVENTS] = fixes->counts[REPAIR_DROPPED];
	report.truncated = report.losses[LOSS_TRUNCATED] > 0;
	return report_write(&(struct report_options){.style = REPORT_JSON},
		&report, stdout, write_fixes, input);
}

/* Writes the output, and reports the fixes. Returns an exit status. */
static int repair_json(const struct request *request)
{
	struct repair_input input = {
		.request = request, .name = input_name(request->logs[0])};
	struct ctp_error err;
	enum ctp_status opened =
		input_file_open_bytes(&input.file, request->logs[0], &err);
	int status;

	if (opened != CTP_OK) {
		diag_error(input.name, &err);
		return opened == CTP_ERR_NOMEM ? EXIT_LIMIT : EXIT_INPUT;
	}
	status = check_format(&input);
	if (status == EXIT_DONE)
		status = write_output(&input);
	if (input.file.inflate != NULL)
		input.packed = inflate_file_facts(input.file.inflate);
	input_file_close_bytes(&input.file);
	if (status == EXIT_DONE && !request->quiet)
		diag_fixes(&input);
	return status == EXIT_DONE && request->json ? print_fixes(&input)
						    : status;
}

/* ---- the command ---- */

static int run(int argc, char **argv)
{
	struct request request = {0};
	struct spool_dir spools;
	int worst = EXIT_DONE;

	arguments_parse(&cmd_repair, argc, argv, &request);
	if (request.output != NULL)
		return repair_json(&request);
	for (size_t i = 0; i < request.count; i++) {
		int status = repair_log(&request, request.logs[i]);

		if (status == EXIT_DONE && request.compress)
			status = compressor_run(request.logs[i], request.quiet);

		worst = exit_worse(worst, status);
	}
	if (request.count > 0)
		return worst;
	worst = spool_dir_find(&spools, spool_dir_path(request.directory));
	if (worst != EXIT_DONE)
		return worst;
	if (request.all || request.discard)
		worst = repair_all(&request, &spools);
	else
		worst = print_spools(&spools, request.json);
	spool_dir_clear(&spools);
	return worst;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Without a LOG:", GROUP_MAIN),
	{"all", 0, NULL, ARGUMENT_FLAG,
		"complete the logs of all spools that were left behind",
		GROUP_MAIN, OF(all)},
	{"json", 0, NULL, ARGUMENT_FLAG,
		"print the list as JSON; with -o, the repairs", GROUP_MAIN,
		OF(json)},
	ARGUMENT_HEADING("With a LOG:", GROUP_SELECT),
	{"compress", 0, NULL, ARGUMENT_FLAG,
		"also compress it, if it was recorded uncompressed",
		GROUP_SELECT, OF(compress)},
	ARGUMENT_HEADING("With a FILE that another program wrote:",
		GROUP_OUTPUT),
	{"output", 'o', "PATH", ARGUMENT_OUTPUT,
		"repair the JSON of FILE, and write it to this file, or to "
		"standard output (-)", GROUP_OUTPUT, OF(output)},
	{"force", 0, NULL, ARGUMENT_FLAG, "overwrite a file that exists",
		GROUP_OUTPUT, OF(force)},
	ARGUMENT_HEADING("Spools:", GROUP_INPUT),
	{"discard", 0, NULL, ARGUMENT_FLAG,
		"remove spools without completing their logs", GROUP_INPUT,
		OF(discard)},
	{"spool", 0, "DIR", ARGUMENT_TEXT,
		"directory of the spools (default: /dev/shm)", GROUP_INPUT,
		OF(directory)},
	ARGUMENT_HEADING("Other:", GROUP_OTHER),
	{"quiet", 'q', NULL, ARGUMENT_FLAG, "print only errors", GROUP_OTHER,
		OF(quiet)},
	{"progress", 0, WHEN_VALUES, ARGUMENT_WORD,
		"show progress on standard error (auto: on a terminal, after a "
		"second)", GROUP_OTHER, OF(progress)},
};
/* clang-format on */

const struct command cmd_repair = {
	.name = "repair",
	.group = "Record",
	.forms = {&list_form, &fixes_form},
	.summary = "complete logs of killed programs, repair JSON traces",
	.arguments = {ARGUMENTS(options), .add = add, .check = check},
	.usage = "[LOG...]\nFILE -o PATH",
	.help = "Complete logs of killed programs from the spools that they "
		"left; without a LOG, list these spools. With -o, make valid "
		"JSON from a truncated or damaged trace of another "
		"program.\vExamples:\n"
		"  ctprof repair killed.json.gz -o whole.json\n"
		"  ctprof repair run.ctp\n"
		"  ctprof repair --compress run.ctp\n"
		"  ctprof repair\n"
		"  ctprof repair --all",
	.run = run,
};

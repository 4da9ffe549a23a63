/* SPDX-License-Identifier: MIT */
/*
 * Runs a program with recording switched on. The settings are passed in the
 * environment, so that child processes record, too, each to its own log. These
 * are joined at the end.
 */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "record/attach.h"
#include "record/compressor.h"
#include "base/environment.h"
#include "record/run_join.h"
#include "record/spawn.h"
#include "record/run_logs.h"
#include "record/run_output.h"
#include "record/preload.h"
#include "record/python.h"
#include "cli/quantity.h"
#include "record/recovery.h"
#include "cli/diag.h"
#include "record/selection.h"

#define DEFAULT_OUTPUT "run.ctp"
#define POLICIES "block|grow|drop"
#define COMPRESS "now|after"
#define CLOCKS "auto|system|tsc|events"
#define DUMP_SIGNALS "USR2|USR1|HUP|URG|WINCH|none"

/* Statuses of env(1). */
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127

struct request {
	struct run_output output;
	struct run_logs logs;
	bool quiet;
	bool verbose;
	bool no_preload;
	bool no_symbolize;
	bool compress_after; /* recording with level 0 */
	bool launched; /* by the package for Python, which reports by itself
			* why it records nothing */
	struct selection selection;
	struct preload_options preload;
	struct python python;
	char **argv; /* the program */
};

/* Options override the environment: `detail` is the variable. */
static void set(const struct argument_value *value, const char *text)
{
	const char *variable = value->argument->detail;

	if (setenv(variable, text, 1) != 0)
		argp_failure(value->state, EXIT_LIMIT, errno, "%s", variable);
}

static void set_number(const struct argument_value *value, uint64_t number)
{
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	set(value, text);
}

static void set_size(const struct argument_value *value)
{
	uint64_t bytes = argument_size(value);

	if (bytes == 0)
		argument_error(value, "must be greater than 0");
	set_number(value, bytes);
}

static void set_time(const struct argument_value *value)
{
	uint64_t time_ns = 0;

	if (!quantity_read_time(value->text, &time_ns))
		argument_error(value, "'%s' is not a time (500, 2us, 1ms)",
			value->text);
	set_number(value, time_ns);
}

static void set_last(const struct argument_value *value)
{
	uint32_t count = arguments_count(value->state, "--last", value->text);

	if (count == 0)
		argument_error(value, "must be greater than 0");
	set_number(value, count);
}

static void set_word(const struct argument_value *value)
{
	(void)argument_word(value);
	set(value, value->text);
}

static void set_level(const struct argument_value *value)
{
	const char *text = value->text;

	if (text[0] < '0' || text[0] > '9' || text[1] != '\0')
		argument_error(value, "'%s' is not a number from 0 to 9", text);
	set(value, text);
}

static void set_compress(const struct argument_value *value)
{
	bool *after = value->member;

	*after = argument_word(value) != 0;
	if (*after)
		set(value, "0");
}

static void set_text(const struct argument_value *value)
{
	set(value, value->text == NULL ? "1" : value->text);
}

static void add_pattern(const struct argument_value *value)
{
	const char *pattern = value->text;
	bool exclude = strcmp(value->argument->name, "exclude") == 0;

	if (pattern[0] == '\0' || strchr(pattern, '\n') != NULL)
		argument_error(value, "'%s' is not a pattern", pattern);
	if (!selection_add(value->member, pattern, exclude))
		argp_failure(value->state, EXIT_LIMIT, errno, "%s", pattern);
}

/* The program and its own arguments. */
static error_t add(void *structure, char *text, struct argp_state *state)
{
	struct request *request = structure;

	(void)text;
	request->argv = &state->argv[state->next - 1];
	state->next = state->argc;
	return 0;
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;
	const struct selection *selection = &request->selection;

	if (request->python.pid == 0 && request->argv == NULL)
		argp_error(state, "no program to run");
	if (request->python.pid == 0)
		return 0;
	if (request->argv != NULL)
		argp_error(state, "--pid and a program exclude each other");
	if (request->preload.gpu != NULL || request->preload.emit != NULL)
		argp_error(state, "--gpu and --emit are not for --pid");
	for (size_t i = 0; i < selection->count; i++)
		if (!selection->patterns[i].exclude ||
			selection->patterns[i].is_module)
			argp_error(state, "--pid records Python functions: use "
					  "--include and --exclude");
	return 0;
}

static int diag_cannot_create(const char *path)
{
	diag("%s: cannot create the log: %s", path, strerror(errno));
	return EXIT_OUTPUT;
}

static int check_name(const char *path)
{
	size_t size = strlen(path);

	if (size != 0 && path[size - 1] != '/' && strcmp(path, "-") != 0)
		return EXIT_DONE;
	diag("'%s' cannot be the name of a log", path);
	return EXIT_USAGE;
}

/* The recorder creates its file itself, so remove an old one. */
static int remove_old_log(const char *path, bool force)
{
	struct stat found;

	if (lstat(path, &found) != 0) {
		if (errno == ENOENT)
			return EXIT_DONE;
		return diag_cannot_create(path);
	}
	if (!force || (!S_ISREG(found.st_mode) && !S_ISLNK(found.st_mode))) {
		diag("%s: exists%s", path,
			force ? " and is not a file"
			      : "; --force overwrites it");
		return EXIT_OUTPUT;
	}
	if (unlink(path) != 0)
		return diag_cannot_create(path);
	return EXIT_DONE;
}

/* Creates the log and removes it again: the recorder would notice too late that
 * it cannot. access(2) is not enough, because root has every permission, even
 * in /proc. */
static int check_creation(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return diag_cannot_create(path);
	(void)close(fd);
	if (unlink(path) != 0)
		return diag_cannot_create(path);
	return EXIT_DONE;
}

/* The path for CTPROF_OUT: absolute, since programs may change their directory,
 * and with every % doubled, except in a pattern; NULL if out of memory. */
static char *output_pattern(const struct run_output *output)
{
	char *absolute = run_logs_absolute(output->log);
	char *pattern =
		absolute == NULL ? NULL : malloc(2 * strlen(absolute) + 1);
	char *to = pattern;

	for (const char *at = absolute; pattern != NULL && *at != '\0'; at++) {
		*to++ = *at;
		if (*at == '%' &&
			!(output->is_pattern && at >= basename(absolute)))
			*to++ = '%';
	}
	if (pattern != NULL)
		*to = '\0';
	free(absolute);
	return pattern;
}

static int set_output(const struct run_output *output)
{
	char *pattern = output_pattern(output);
	int status = EXIT_DONE;

	if (pattern == NULL || setenv("CTPROF_OUT", pattern, 1) != 0 ||
		setenv("CTPROF_OUT_EXCL", "1", 1) != 0)
		status = diag_cannot_create(output->path);
	free(pattern);
	return status;
}

/* Makes way for the log, and names it for the program. For a pattern, the log
 * that this process would write stands for all. */
static int prepare_log(const struct run_output *output)
{
	char *own = run_output_own_log(output);
	int status;

	if (own == NULL)
		return diag_no_memory(output->path);
	status = remove_old_log(own, output->force);
	if (status == EXIT_DONE)
		status = check_creation(own);
	free(own);
	return status == EXIT_DONE ? set_output(output) : status;
}

static int diag_cannot_run(const char *program, int error)
{
	diag("%s: cannot run: %s", program, strerror(error));
	return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/* Joins the logs of the processes. An output in another format needs all of
 * them. */
static int join(struct request *request)
{
	const struct run_output *output = &request->output;
	struct run_logs *logs = &request->logs;

	if (output->separate || logs->count == 0 ||
		(output->format != NULL && !run_logs_are_complete(logs)))
		return EXIT_DONE;
	return run_join(logs, output->log);
}

/* Converts the log of a complete recording. */
static int finish_output(const struct request *request)
{
	const struct run_output *output = &request->output;
	const struct run_logs *logs = &request->logs;
	int status = EXIT_DONE;

	if (output->format != NULL &&
		(logs->count != 1 || !run_logs_are_complete(logs))) {
		diag("%s: not written, since the logs of its processes are "
		     "not complete; the first is %s",
			output->path, output->log);
		return EXIT_OUTPUT;
	}
	if (output->format != NULL)
		status = run_output_convert(output);
	if (status == EXIT_DONE && !request->quiet &&
		(output->format != NULL || request->launched))
		diag("%s: recorded", output->path);
	return status;
}

/* Returns EXIT_INPUT if the program was built so that it cannot be recorded, and
 * EXIT_OUTPUT if its recorder could not begin. */
static int report(struct request *request)
{
	struct run_logs *logs = &request->logs;
	int status = EXIT_DONE;

	if (logs->count == 0 && logs->refused)
		return EXIT_OUTPUT; /* the reason was reported */
	if (logs->count == 0 && request->launched)
		return EXIT_DONE;
	if (logs->count == 0 && request->python.pid != 0)
		diag("%s: no log was made: the process recorded nothing",
			request->output.path);
	else if (logs->count == 0 &&
		 (request->python.wanted || request->python.compile))
		python_explain(request->argv, request->output.path);
	else if (logs->count == 0)
		return preload_explain(request->argv[0], request->output.path);
	if (logs->count == 0)
		return EXIT_DONE;
	if (!request->no_symbolize)
		run_logs_symbolize(logs, request->quiet);
	if (request->compress_after)
		status = run_logs_compress(logs);
	if (!request->quiet)
		run_logs_report(logs,
			&(struct run_logs_options){
				.gpu = preload_wants_gpu(&request->preload),
				.brief = request->output.format != NULL ||
					 request->launched,
				.verbose = request->verbose});
	return exit_worse(status, finish_output(request));
}

/* With --python, excludes apply to Python functions, not to those of C modules.
 * False if out of memory. */
static bool pass_excludes_to_python(struct request *request)
{
	struct selection *selection = &request->selection;
	size_t kept = 0;

	for (size_t i = 0; request->python.wanted && i < selection->count;
		i++) {
		const struct selection_pattern *pattern =
			&selection->patterns[i];

		if (!pattern->exclude || pattern->is_module)
			selection->patterns[kept++] = *pattern;
		else if (!python_add_option(
				 &request->python, "exclude", pattern->text))
			return false;
	}
	if (request->python.wanted)
		selection->count = kept;
	return true;
}

static int prepare_output(struct request *request)
{
	int status = check_name(request->output.path);

	if (!pass_excludes_to_python(request))
		return diag_no_memory(NULL);
	if (status == EXIT_DONE)
		status = run_output_init(&request->output);
	if (status == EXIT_DONE && request->python.pid != 0 &&
		request->output.is_pattern) {
		diag("%s: with --pid, the name of a log cannot contain %%p, "
		     "%%h "
		     "or %%r",
			request->output.path);
		status = EXIT_USAGE;
	}
	return status == EXIT_DONE ? prepare_log(&request->output) : status;
}

/* Prepares the environment of the program. */
static int prepare_environment(struct request *request)
{
	int status = prepare_output(request);

	if (status == EXIT_DONE)
		status = selection_apply(&request->selection, request->argv[0]);
	if (status == EXIT_DONE && !request->no_preload)
		status = preload_set();
	if (status == EXIT_DONE)
		status = preload_set_tools(&request->preload, request->verbose);
	request->python.quiet = request->quiet;
	if (status == EXIT_DONE)
		status = python_apply(&request->python);
	return status;
}

/* Completes, joins and reports the logs. */
static int finish(struct request *request, struct timespec start,
	const struct spawn_end *end)
{
	const struct run_target target = {
		request->output.log, request->output.is_pattern};
	int status;

	recovery_after_run(
		&request->logs, &(struct recovery_run){.target = target,
					.start = start,
					.end = end,
					.quiet = request->quiet,
					.joins = !request->output.separate,
					.brief = request->launched});
	spawn_discard_signals();
	run_logs_find(&request->logs, &target, start);
	status = join(request);
	spawn_take_signals(end);
	return exit_worse(status, report(request));
}

static int record_process(struct request *request)
{
	struct timespec start = {0};
	struct spawn_end end;
	bool has_log = false;
	int status = prepare_output(request);

	if (status != EXIT_DONE)
		return status;
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &start);
	status = attach_run(
		&(struct attach){
			.python = &request->python,
			.log = request->output.log,
			.out = environment_find("CTPROF_OUT"),
			.quiet = request->quiet,
		},
		&end, &has_log);
	return has_log ? exit_worse(status, finish(request, start, &end))
		       : status;
}

static int run_program(struct request *request)
{
	struct timespec start = {0};
	struct spawn_end end;
	int status = prepare_environment(request);

	if (status != EXIT_DONE)
		return status;
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &start);
	status = spawn_run(request->argv, request->launched, &end);
	if (status != EXIT_DONE)
		return status;
	if (end.exec_errno != 0)
		return diag_cannot_run(request->argv[0], end.exec_errno);
	status = finish(request, start, &end);
	selection_clear(&request->selection);
	if (WIFSIGNALED(end.status))
		return spawn_die_by_same_signal(end.status);
	return WEXITSTATUS(end.status) == 0 ? status : WEXITSTATUS(end.status);
}

static int run(int argc, char **argv)
{
	struct request request = {.output.path = DEFAULT_OUTPUT};
	int status;

	arguments_parse(&cmd_record, argc, argv, &request);
	status = request.python.pid == 0 ? run_program(&request)
					 : record_process(&request);
	selection_clear(&request.selection);
	python_clear(&request.python);
	run_logs_clear(&request.logs);
	run_output_clear(&request.output);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Output:", GROUP_OUTPUT),
	{"output", 'o', "FILE", ARGUMENT_OUTPUT,
		"write the log of all processes to this file (default: "
		DEFAULT_OUTPUT "). With the suffix of another format "
		"(.pstats, .json, ...), the log is converted at the end. With "
		"%p (process), %h (host) or %r (rank) in a log's name, logs "
		"stay separate", GROUP_OUTPUT, OF(output.path)},
	{"separate", 0, NULL, ARGUMENT_FLAG,
		"do not join the logs of child processes, NAME.PID.ctp, to "
		"that of the first", GROUP_OUTPUT, OF(output.separate)},
	{"force", 0, NULL, ARGUMENT_FLAG, "overwrite an output that exists",
		GROUP_OUTPUT, OF(output.force)},
	{"level", 0, "N", ARGUMENT_CALL,
		"compression level, 1 to 9 (default: 1); 0 stores the events "
		"uncompressed, which takes the least time", GROUP_OUTPUT,
		.call = set_level, .detail = "CTPROF_LEVEL"},
	{"compress", 0, COMPRESS, ARGUMENT_CALL,
		"compress events while they are recorded (the default), or "
		"record with level 0 and compress the log when the program has "
		"ended", GROUP_OUTPUT, OF(compress_after),
		.call = set_compress, .detail = "CTPROF_LEVEL"},
	ARGUMENT_HEADING("Recording:", GROUP_SELECT),
	{"buffer", 0, "SIZE", ARGUMENT_CALL,
		"initial memory for events (default: 2M)", GROUP_SELECT,
		.call = set_size, .detail = "CTPROF_BUFFER"},
	{"buffer-max", 0, "SIZE", ARGUMENT_CALL,
		"largest memory with --policy=grow (default: 64M)",
		GROUP_SELECT, .call = set_size, .detail = "CTPROF_BUFFER_MAX"},
	{"policy", 0, POLICIES, ARGUMENT_CALL,
		"if the buffers are full: wait for the log (the default), take "
		"more memory, or drop and count ranges", GROUP_SELECT,
		.call = set_word, .detail = "CTPROF_POLICY"},
	{"min-ns", 0, "TIME", ARGUMENT_CALL,
		"leave out ranges that are shorter and contain nothing (500, "
		"2us)", GROUP_SELECT, .call = set_time,
		.detail = "CTPROF_MIN_NS"},
	{"clock", 0, CLOCKS, ARGUMENT_CALL,
		"the processor's counter if it is reliable, the system's "
		"clock, always the counter, or 1 ns per event, which makes "
		"times repeatable", GROUP_SELECT, .call = set_word,
		.detail = "CTPROF_CLOCK"},
	{"spool", 0, "DIR", ARGUMENT_CALL,
		"directory of the buffers, in memory for speed (default: "
		"/dev/shm)", GROUP_SELECT, .call = set_text,
		.detail = "CTPROF_SPOOL"},
	{"last", 0, "N", ARGUMENT_CALL,
		"keep only the last events, at least this many, in memory, and "
		"write them to the log when the program ends, crashes or gets "
		"the signal SIGUSR2", GROUP_SELECT, .call = set_last,
		.detail = "CTPROF_LAST"},
	{"dump-signal", 0, DUMP_SIGNALS, ARGUMENT_CALL,
		"with --last: the signal that writes them", GROUP_SELECT,
		.call = set_word, .detail = "CTPROF_DUMP_SIGNAL"},
	{"no-command", 0, NULL, ARGUMENT_CALL,
		"leave the arguments of the program and of its children out of "
		"the log", GROUP_SELECT, .call = set_text,
		.detail = "CTPROF_NO_COMMAND"},
	{"filter", 0, "GLOB", ARGUMENT_CALL,
		"of functions known by address, record only those with a "
		"matching name, or all in module:GLOB; may be given again",
		GROUP_SELECT, OF(selection), .call = add_pattern},
	{"exclude", 0, "GLOB", ARGUMENT_CALL,
		"do not record functions with a matching name, or any in "
		"module:GLOB; with --python, Python functions of matching "
		"files or modules; may be given again", GROUP_SELECT,
		OF(selection), .call = add_pattern},
	{"no-preload", 0, NULL, ARGUMENT_FLAG,
		"preload nothing: record only programs that are linked with "
		"libctprof", GROUP_SELECT, OF(no_preload),
		ARGUMENT_GIVEN(struct request, preload.no_library)},
	{"no-symbolize", 0, NULL, ARGUMENT_FLAG,
		"leave functions that are recorded by address without names, "
		"for 'ctprof symbolize' to find later", GROUP_SELECT,
		OF(no_symbolize)},
	ARGUMENT_HEADING("Other:", GROUP_OTHER),
	{"quiet", 'q', NULL, ARGUMENT_FLAG, "print only errors", GROUP_OTHER,
		OF(quiet)},
	{"verbose", 'v', NULL, ARGUMENT_FLAG,
		"also print what was left out without harm", GROUP_OTHER,
		OF(verbose)},
	{"launched", 0, NULL, ARGUMENT_FLAG, NULL, GROUP_OTHER, OF(launched)},
	ARGUMENTS_OF(&preload_arguments, OF(preload)),
	ARGUMENTS_OF(&python_arguments, OF(python)),
};
/* clang-format on */

const struct command cmd_record = {
	.name = "record",
	.group = "Record",
	.summary = "run a program and record where it spends its time",
	.arguments = {ARGUMENTS(options), .add = add, .check = check},
	.usage = "[--] PROGRAM [ARGUMENT...]",
	.help = "Run a program that was compiled with the flags of 'ctprof "
		"cflags', or that uses libctprof, NVTX or ITT, or with "
		"--python "
		"a Python "
		"program, and record where it spends its time; with --gpu also "
		"its work on GPUs. Exits with the program's status. With "
		"--pid, record a Python program that runs already."
		"\vExamples:\n"
		"  g++ -O2 $(ctprof cflags --cc=g++) main.cc -o program\n"
		"  ctprof record -o run.ctp -- ./program\n"
		"  ctprof record -o build.ctp -- make -j8\n"
		"  ctprof record --python -- python3 script.py\n"
		"  ctprof record --pid=4711 --duration=10s\n"
		"  ctprof record --last=1000000 -- ./server\n"
		"  ctprof record --policy=drop --min-ns=1us -- ./server",
	.flags = ARGP_IN_ORDER,
	.run = run,
};

/* SPDX-License-Identifier: MIT */
/*
 * Runs a program with recording switched on. The settings are passed in the
 * environment, so that child processes record, too, each to its own log.
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
#include "record/spawn.h"
#include "record/run_logs.h"
#include "record/preload.h"
#include "record/python.h"
#include "cli/quantity.h"
#include "record/recovery.h"
#include "cli/diag.h"
#include "record/selection.h"

/* Keys of options without a short form. */
enum {
	KEY_BUFFER = KEY_OWN,
	KEY_BUFFER_MAX,
	KEY_POLICY,
	KEY_MIN_NS,
	KEY_CLOCK,
	KEY_LEVEL,
	KEY_NO_PRELOAD,
	KEY_NO_COMMAND,
	KEY_NO_SYMBOLIZE,
	KEY_FILTER,
	KEY_EXCLUDE,
};

#define DEFAULT_OUTPUT "run.ctp"
#define POLICIES "block|grow|drop"
#define CLOCKS "auto|system|tsc|events"

/* Statuses of env(1). */
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127

struct request {
	const char *output;
	bool force;
	bool quiet;
	bool verbose;
	bool no_preload;
	bool no_symbolize;
	struct selection selection;
	struct preload_options preload;
	struct python python;
	char **argv; /* the program */
};

/* Options override the environment. */
static void set(
	const struct argp_state *state, const char *variable, const char *value)
{
	if (setenv(variable, value, 1) != 0)
		argp_failure(state, EXIT_LIMIT, errno, "%s", variable);
}

static void set_number(
	const struct argp_state *state, const char *variable, uint64_t value)
{
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	set(state, variable, text);
}

static void set_size(const struct argp_state *state, const char *variable,
	const char *option, const char *text)
{
	uint64_t bytes = arguments_size(state, option, text);

	if (bytes == 0)
		argp_error(state, "%s: must be greater than 0", option);
	set_number(state, variable, bytes);
}

static void set_time(const struct argp_state *state, const char *variable,
	const char *option, const char *text)
{
	uint64_t time_ns = 0;

	if (!quantity_read_time(text, &time_ns))
		argp_error(state, "%s: '%s' is not a time (500, 2us, 1ms)",
			option, text);
	set_number(state, variable, time_ns);
}

static void set_word(const struct argp_state *state, const char *variable,
	const char *option, const char *values, const char *text)
{
	(void)arguments_word(state, option, values, text);
	set(state, variable, text);
}

static void set_level(const struct argp_state *state, const char *text)
{
	if (text[0] < '1' || text[0] > '9' || text[1] != '\0')
		argp_error(state, "--level: '%s' is not a number from 1 to 9",
			text);
	set(state, "CTPROF_LEVEL", text);
}

static error_t parse_recorder(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_BUFFER:
		set_size(state, "CTPROF_BUFFER", "--buffer", arg);
		return 0;
	case KEY_BUFFER_MAX:
		set_size(state, "CTPROF_BUFFER_MAX", "--buffer-max", arg);
		return 0;
	case KEY_POLICY:
		set_word(state, "CTPROF_POLICY", "--policy", POLICIES, arg);
		return 0;
	case KEY_MIN_NS:
		set_time(state, "CTPROF_MIN_NS", "--min-ns", arg);
		return 0;
	case KEY_CLOCK:
		set_word(state, "CTPROF_CLOCK", "--clock", CLOCKS, arg);
		return 0;
	case KEY_SPOOL:
		set(state, "CTPROF_SPOOL", arg);
		return 0;
	case KEY_LEVEL:
		set_level(state, arg);
		return 0;
	case KEY_NO_COMMAND:
		set(state, "CTPROF_NO_COMMAND", "1");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void add_pattern(struct selection *selection, bool exclude,
	const char *pattern, const struct argp_state *state)
{
	if (pattern[0] == '\0' || strchr(pattern, '\n') != NULL)
		argp_error(state, "--%s: '%s' is not a pattern",
			exclude ? "exclude" : "filter", pattern);
	if (!selection_add(selection, pattern, exclude))
		argp_failure(state, EXIT_LIMIT, errno, "%s", pattern);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &request->preload;
		state->child_inputs[1] = &request->python;
		return 0;
	case 'o':
		request->output = arguments_output(state, "--output", arg);
		return 0;
	case KEY_FORCE:
		request->force = true;
		return 0;
	case 'q':
		request->quiet = true;
		return 0;
	case 'v':
		request->verbose = true;
		return 0;
	case KEY_FILTER:
	case KEY_EXCLUDE:
		add_pattern(
			&request->selection, key == KEY_EXCLUDE, arg, state);
		return 0;
	case KEY_NO_SYMBOLIZE:
		request->no_symbolize = true;
		return 0;
	case KEY_NO_PRELOAD:
		request->no_preload = true;
		request->preload.no_library = true;
		return 0;
	case ARGP_KEY_ARG:
		/* The program and its own arguments. */
		request->argv = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no program to run");
		return 0;
	default:
		return parse_recorder(key, arg, state);
	}
}

static int diag_cannot_create(const char *path)
{
	diag("%s: cannot create the log: %s", path, strerror(errno));
	return EXIT_OUTPUT;
}

/* The recorder creates its file itself, so remove an old one. */
static int remove_old_log(const char *path, bool force)
{
	struct stat found;
	size_t size = strlen(path);

	if (size == 0 || path[size - 1] == '/' || strcmp(path, "-") == 0) {
		diag("'%s' cannot be the name of a log", path);
		return EXIT_USAGE;
	}
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
 * and with every % doubled; NULL if out of memory. */
static char *output_pattern(const char *path)
{
	char *absolute = run_logs_absolute(path);
	char *pattern =
		absolute == NULL ? NULL : malloc(2 * strlen(absolute) + 1);
	char *to = pattern;

	for (const char *at = absolute; pattern != NULL && *at != '\0'; at++) {
		*to++ = *at;
		if (*at == '%')
			*to++ = '%';
	}
	if (pattern != NULL)
		*to = '\0';
	free(absolute);
	return pattern;
}

static int set_output(const char *path)
{
	char *pattern = output_pattern(path);
	int status = EXIT_DONE;

	if (pattern == NULL || setenv("CTPROF_OUT", pattern, 1) != 0 ||
		setenv("CTPROF_OUT_EXCL", "1", 1) != 0)
		status = diag_cannot_create(path);
	free(pattern);
	return status;
}

static int diag_cannot_run(const char *program, int error)
{
	diag("%s: cannot run: %s", program, strerror(error));
	return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/* Returns EXIT_INPUT if the program was built so that it cannot be recorded. */
static int report(const struct request *request, struct timespec start)
{
	size_t logs = run_logs_report(request->output,
		&(struct run_logs_options){.start = start,
			.symbolize = !request->no_symbolize,
			.gpu = preload_wants_gpu(&request->preload),
			.quiet = request->quiet,
			.verbose = request->verbose});

	if (logs == 0 && request->python.wanted)
		python_explain(request->argv, request->output);
	else if (logs == 0)
		return preload_explain(request->argv[0], request->output);
	return EXIT_DONE;
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
				 &request->python, "--exclude", pattern->text))
			return false;
	}
	if (request->python.wanted)
		selection->count = kept;
	return true;
}

/* Prepares the environment of the program. */
static int prepare_environment(struct request *request)
{
	int status = EXIT_DONE;

	if (!pass_excludes_to_python(request)) {
		diag("out of memory");
		status = EXIT_LIMIT;
	}
	if (status == EXIT_DONE)
		status = remove_old_log(request->output, request->force);
	if (status == EXIT_DONE)
		status = check_creation(request->output);
	if (status == EXIT_DONE)
		status = set_output(request->output);
	if (status == EXIT_DONE)
		status = selection_apply(&request->selection, request->argv[0]);
	if (status == EXIT_DONE && !request->no_preload)
		status = preload_set();
	if (status == EXIT_DONE)
		status = preload_set_tools(&request->preload, request->verbose);
	if (status == EXIT_DONE)
		status = python_apply(&request->python);
	return status;
}

static int run_program(struct request *request)
{
	struct timespec start = {0};
	struct spawn_end end;
	int status = prepare_environment(request);

	if (status != EXIT_DONE)
		return status;
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &start);
	status = spawn_run(request->argv, &end);
	if (status != EXIT_DONE)
		return status;
	if (end.exec_errno != 0)
		return diag_cannot_run(request->argv[0], end.exec_errno);
	recovery_after_run(request->output, start, &end, request->quiet);
	status = report(request, start);
	selection_clear(&request->selection);
	if (WIFSIGNALED(end.status))
		return spawn_die_by_same_signal(end.status);
	return WEXITSTATUS(end.status) == 0 ? status : WEXITSTATUS(end.status);
}

static int run(int argc, char **argv)
{
	struct request request = {.output = DEFAULT_OUTPUT};
	int status;

	arguments_parse(cmd_record.argp, ARGP_IN_ORDER, argc, argv, &request);
	status = run_program(&request);
	selection_clear(&request.selection);
	python_clear(&request.python);
	return status;
}

/* clang-format off */
static const struct argp_option options[] = {
	OPTION_HEADING("Output:", GROUP_OUTPUT),
	{"output", 'o', "FILE", 0,
		"write the log to this file (default: " DEFAULT_OUTPUT "); child "
		"processes write to NAME.PID.ctp beside it", GROUP_OUTPUT},
	{"force", KEY_FORCE, NULL, 0,
		"overwrite a log that exists", GROUP_OUTPUT},
	{"level", KEY_LEVEL, "N", 0,
		"compression level, 1 to 9 (default: 1)", GROUP_OUTPUT},
	OPTION_HEADING("Recording:", GROUP_SELECT),
	{"buffer", KEY_BUFFER, "SIZE", 0,
		"initial memory for events (default: 2M)", GROUP_SELECT},
	{"buffer-max", KEY_BUFFER_MAX, "SIZE", 0,
		"largest memory with --policy=grow (default: 64M)",
		GROUP_SELECT},
	{"policy", KEY_POLICY, POLICIES, 0,
		"if the buffers are full: wait for the log (the default), take "
		"more memory, or drop and count ranges",
		GROUP_SELECT},
	{"min-ns", KEY_MIN_NS, "TIME", 0,
		"leave out ranges that are shorter and contain nothing (500, "
		"2us)", GROUP_SELECT},
	{"clock", KEY_CLOCK, CLOCKS, 0,
		"the processor's counter if it is reliable, the system's "
		"clock, always the counter, or 1 ns per event, which makes "
		"times repeatable", GROUP_SELECT},
	{"spool", KEY_SPOOL, "DIR", 0,
		"directory of the buffers, in memory for speed (default: "
		"/dev/shm)", GROUP_SELECT},
	{"no-command", KEY_NO_COMMAND, NULL, 0,
		"leave the arguments of the program and of its children out of "
		"the log", GROUP_SELECT},
	{"filter", KEY_FILTER, "GLOB", 0,
		"of functions known by address, record only those with a "
		"matching name, or all in module:GLOB; may be given again",
		GROUP_SELECT},
	{"exclude", KEY_EXCLUDE, "GLOB", 0,
		"do not record functions with a matching name, or any in "
		"module:GLOB; with --python, Python functions of matching "
		"files or modules; may be given again", GROUP_SELECT},
	{"no-preload", KEY_NO_PRELOAD, NULL, 0,
		"preload nothing: record only programs that are linked with "
		"libctprof", GROUP_SELECT},
	{"no-symbolize", KEY_NO_SYMBOLIZE, NULL, 0,
		"leave functions that are recorded by address without names, "
		"for 'ctprof symbolize' to find later", GROUP_SELECT},
	OPTION_HEADING("Other:", GROUP_OTHER),
	{"quiet", 'q', NULL, 0, "print only errors", GROUP_OTHER},
	{"verbose", 'v', NULL, 0,
		"also print what was left out without harm", GROUP_OTHER},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static const struct argp_child children[] = {{&preload_argp, 0, NULL, 0},
	{&python_argp, 0, NULL, 0}, {&help_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[--] PROGRAM [ARGUMENT...]",
	.doc = "Run a program that was compiled with the flags of 'ctprof "
	       "cflags', or that uses libctprof, NVTX or ITT, or with --python "
	       "a Python "
	       "program, and record where it spends its time; with --gpu also "
	       "its work on GPUs. Exits with the program's status.\vExamples:\n"
	       "  g++ -O2 $(ctprof cflags --cc=g++) main.cc -o program\n"
	       "  ctprof record -o run.ctp -- ./program\n"
	       "  ctprof record -o build.ctp -- make -j8\n"
	       "  ctprof record --python -- python3 script.py\n"
	       "  ctprof record --policy=drop --min-ns=1us -- ./server",
	.children = children,
};

const struct command cmd_record = {
	.name = "record",
	.group = "Record",
	.summary = "run a program and record where it spends its time",
	.argp = &argp,
	.run = run,
};

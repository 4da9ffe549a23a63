/* SPDX-License-Identifier: MIT */
/*
 * The package is found relative to this program: in a build directory, in a
 * wheel, or installed for any Python below the same prefix; or in the build's
 * installation directory. An interpreter for which it has no extension searches
 * for its own.
 */
#include "record/python.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "base/environment.h"
#include "cli/diag.h"

#define PATH_BYTES 4096
#define SITE "ctprof/site"

/* Relative to this program's directory. */
static const char *const places[] = {"/python/package/" SITE,
	"/../lib*/python3*/site-packages/" SITE,
	"/../lib*/python3*/dist-packages/" SITE,
	"/../local/lib/python3*/dist-packages/" SITE,
	/* in a wheel; only there the folder above has this name */
	"/../../_native/../site"};

bool python_add_option(
	struct python *python, const char *option, const char *value)
{
	const char *before = python->options;
	char *all = NULL;

	if (asprintf(&all, "%s%s--%s%s%s", before == NULL ? "" : before,
		    before == NULL ? "" : "\n", option,
		    value == NULL ? "" : "=", value == NULL ? "" : value) < 0)
		return false;
	free(python->options);
	python->options = all;
	return true;
}

/* As the package does, python/ctprof/_options.py. */
static void check_length(const struct argument_value *value)
{
	uint32_t length =
		arguments_count(value->state, "--args-length", value->text);

	if (length == 0 || length > 2000)
		argument_error(value, "'%s' is not a length from 1 to 2000",
			value->text);
}

static void add(const struct argument_value *value)
{
	const char *name = value->argument->name;
	const char *text = value->text;

	if (text != NULL && strchr(value->argument->value, '|') != NULL)
		(void)argument_word(value);
	if (strcmp(name, "depth") == 0 && strcmp(text, "0") != 0)
		(void)arguments_count(value->state, "--depth", text);
	if (strcmp(name, "max-depth") == 0)
		(void)arguments_count(value->state, "--max-depth", text);
	if (strcmp(name, "args-length") == 0)
		check_length(value);
	if (text != NULL && (text[0] == '\0' || strchr(text, '\n') != NULL))
		argument_error(value, "invalid value '%s'", text);
	if (!python_add_option(value->member, name, text))
		argp_failure(value->state, EXIT_LIMIT, errno, "--%s", name);
}

static error_t check(void *structure, const struct argp_state *state)
{
	struct python *python = structure;

	if (python->pid == 0 &&
		(python->duration_ns != 0 || python->wait_ns != 0))
		argp_error(state, "--%s needs --pid",
			python->duration_ns != 0 ? "duration" : "wait");
	if (python->pid != 0 && python->compile)
		argp_error(state, "--compile is not for --pid");
	if (python->pid != 0)
		python->wanted = true;
	if (!python->wanted && python->options != NULL)
		argp_error(state, "%.*s needs --python",
			(int)strcspn(python->options, "=\n"), python->options);
	return 0;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct python, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Python:", GROUP_PYTHON),
	{"python", 0, NULL, ARGUMENT_FLAG,
		"record every call in Python programs", GROUP_PYTHON,
		OF(wanted)},
	{"compile", 0, NULL, ARGUMENT_FLAG,
		"record the functions that torch.compile traces in Python "
		"programs; without --python, no other calls",
		GROUP_PYTHON, OF(compile)},
	{"calls", 0, "builtin|all", ARGUMENT_CALL,
		"calls into C to record: those that cProfile records (the "
		"default), or also types, partials, ufuncs and so on",
		GROUP_PYTHON, .call = add},
	{"no-c-calls", 0, NULL, ARGUMENT_CALL, "record Python functions only",
		GROUP_PYTHON, .call = add},
	{"include", 0, "GLOB", ARGUMENT_CALL,
		"record only Python functions of matching files or modules; "
		"--exclude leaves out; may be given again", GROUP_PYTHON,
		.call = add},
	{"depth", 0, "N", ARGUMENT_CALL,
		"record this many of the frames that are open when recording "
		"starts (default: 0; with --pid, 128)", GROUP_PYTHON,
		.call = add},
	{"max-depth", 0, "N", ARGUMENT_CALL,
		"leave out Python calls that are nested deeper than this",
		GROUP_PYTHON, .call = add},
	{"args", 0, "GLOB", ARGUMENT_CALL,
		"record the arguments and results of Python functions with "
		"matching names, or FILE:GLOB, MODULE:GLOB; may be given "
		"again. The log then has values of the program, which may be "
		"secret", GROUP_PYTHON, .call = add},
	{"args-length", 0, "N", ARGUMENT_CALL,
		"cut off their texts after this many characters (default: 100)",
		GROUP_PYTHON, .call = add},
	{"gc", 0, NULL, ARGUMENT_CALL, "record the garbage collector's work",
		GROUP_PYTHON, .call = add},
	{"imports", 0, NULL, ARGUMENT_CALL, "record imports", GROUP_PYTHON,
		.call = add},
	{"tasks", 0, NULL, ARGUMENT_CALL, "record asyncio's tasks",
		GROUP_PYTHON, .call = add},
	{"no-modules", 0, NULL, ARGUMENT_CALL,
		"do not distinguish instances of torch's modules and "
		"optimizers", GROUP_PYTHON, .call = add},
	{"parameters", 0, NULL, ARGUMENT_CALL,
		"record parameters of torch's modules", GROUP_PYTHON,
		.call = add},
	{"hook", 0, "auto|monitoring|setprofile", ARGUMENT_CALL,
		"how the interpreter reports calls", GROUP_PYTHON, .call = add},
	{"pid", 0, "PID", ARGUMENT_COUNT,
		"record this process of Python 3.14, which runs already, until "
		"it ends or ctprof gets a signal (Ctrl-C)", GROUP_PYTHON,
		OF(pid)},
	{"duration", 0, "TIME", ARGUMENT_TIME,
		"with --pid: stop after this time (500ms, 10s)", GROUP_PYTHON,
		OF(duration_ns), .detail = "500ms, 10s"},
	{"wait", 0, "TIME", ARGUMENT_TIME,
		"with --pid: give up if the process runs no Python code for "
		"this long (default: 10s)", GROUP_PYTHON, OF(wait_ns),
		.detail = "500ms, 10s"},
};
/* clang-format on */

const struct arguments python_arguments = {ARGUMENTS(options), .check = check};

void python_clear(struct python *python)
{
	free(python->options);
	python->options = NULL;
}

/* Finds the first match. */
static bool find_first_match(char *out, const char *pattern)
{
	glob_t found;
	bool is_there = false;

	if (glob(pattern, 0, NULL, &found) == 0) {
		is_there = snprintf(out, PATH_BYTES, "%s", found.gl_pathv[0]) <
			   PATH_BYTES;
		globfree(&found);
	}
	return is_there;
}

/* Searches the build's installation directories, separated by colons. */
static bool find_installed(char *out)
{
	const char *at = CTP_PYTHON_SITES;

	while (*at != '\0') {
		int size = (int)strcspn(at, ":");

		if (snprintf(out, PATH_BYTES, "%.*s/" SITE, size, at) <
				PATH_BYTES &&
			access(out, R_OK | X_OK) == 0)
			return true;
		at += size + (at[size] == ':');
	}
	return false;
}

static bool find_site(char *out)
{
	char own[PATH_BYTES];
	char pattern[PATH_BYTES + 64];
	ssize_t size = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[size < 0 ? 0 : size] = '\0';
	slash = strrchr(own, '/');
	if (slash == NULL)
		return find_installed(out);
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		(void)snprintf(
			pattern, sizeof(pattern), "%s%s", own, places[i]);
		if (find_first_match(out, pattern))
			return true;
	}
	return find_installed(out);
}

static int set_path(const char *site)
{
	const char *before = environment_find("PYTHONPATH");
	bool is_first = before == NULL || before[0] == '\0';
	char *path = NULL;
	int status = EXIT_DONE;

	if (asprintf(&path, "%s%s%s", site, is_first ? "" : ":",
		    is_first ? "" : before) < 0 ||
		setenv("PYTHONPATH", path, 1) != 0) {
		diag("PYTHONPATH: %s", strerror(errno));
		status = EXIT_LIMIT;
	}
	free(path);
	return status;
}

/* Whether PyTorch shall write a profile of each frame that Dynamo traces. With
 * our hooks the file has all frames, not only the last. */
static bool wants_dynamo_profile(void)
{
	const char *file = environment_find("TORCH_COMPILE_DYNAMO_PROFILER");

	return file != NULL && file[0] != '\0';
}

/* The package traces every call unless only --compile is there. */
static int set_options(const struct python *python)
{
	bool compile = python->compile || wants_dynamo_profile();
	char *words;
	int status = EXIT_DONE;

	if (asprintf(&words, "%s%s%s%s", python->quiet ? "--quiet\n" : "",
		    compile ? "--compile\n" : "",
		    compile && python->wanted ? "--python\n" : "",
		    python->options == NULL ? "" : python->options) < 0)
		return diag_no_memory("CTPROF_PYTHON");
	if (setenv("CTPROF_PYTHON", words, 1) != 0) {
		diag("CTPROF_PYTHON: %s", strerror(errno));
		status = EXIT_LIMIT;
	}
	free(words);
	return status;
}

char *python_find_site(void)
{
	char site[PATH_BYTES];
	char *absolute = find_site(site) ? realpath(site, NULL) : NULL;

	if (absolute == NULL)
		diag("the package for Python is not found: ctprof was "
		     "configured without Python or is not installed");
	return absolute;
}

int python_apply(const struct python *python)
{
	char site[PATH_BYTES];
	bool asked = python->wanted || python->compile;
	int status;

	if (!asked && (!wants_dynamo_profile() || !find_site(site) ||
			      strchr(site, ':') != NULL))
		return EXIT_DONE;
	if (!find_site(site)) {
		diag("the package for Python is not found: ctprof was "
		     "configured without Python or is not installed");
		return EXIT_INPUT;
	}
	if (strchr(site, ':') != NULL) {
		diag("%s: cannot be in PYTHONPATH: the path contains a colon",
			site);
		return EXIT_INPUT;
	}
	status = set_options(python);
	return status != EXIT_DONE ? status : set_path(site);
}

/* The interpreter's option that prevents recording, or NULL. */
static const char *find_isolating_option(char *const *argv)
{
	if (strncmp(basename(argv[0]), "python", 6) != 0)
		return NULL;
	for (argv++; *argv != NULL && (*argv)[0] == '-'; argv++) {
		/* The program follows. */
		if ((*argv)[1] == 'c' || (*argv)[1] == 'm')
			return NULL;
		if (strchr("-WX", (*argv)[1]) == NULL &&
			strpbrk(*argv, "IES") != NULL)
			return *argv;
	}
	return NULL;
}

void python_explain(char *const *argv, const char *output)
{
	const char *option = find_isolating_option(argv);

	if (option != NULL)
		diag("%s: no log was made: with %s, %s ignores PYTHONPATH; try "
		     "'python3 -m ctprof'",
			output, option, argv[0]);
	else
		diag("%s: no log was made: %s ran no Python that the package "
		     "was built for, or only with -I, -E or -S",
			output, argv[0]);
}

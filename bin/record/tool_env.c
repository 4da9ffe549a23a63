/* SPDX-License-Identifier: MIT */
#include "record/tool_env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "base/environment.h"
#include "record/preload.h"
#include "cli/diag.h"

/* Keys of options without a letter. */
enum {
	KEY_EMIT = KEY_OWN,
	KEY_NO_NVTX,
	KEY_NO_ITT,
};

#define LIBRARY "libctprof-inject.so.0"
#define CUDA_VARIABLE "CUDA_INJECTION64_PATH"
#define NVTX_VARIABLE "NVTX_INJECTION64_PATH"
#define ITT_VARIABLE "INTEL_LIBITTNOTIFY64"
#define MODES "light|full|graphs|off"
#define TOOLS "nvtx|itt"

static const char *check_word(const struct argp_state *state,
	const char *option, const char *values, const char *text)
{
	(void)arguments_word(state, option, values, text);
	return text;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool_env *tools = state->input;

	switch (key) {
	case KEY_GPU:
		tools->gpu = arg == NULL
				     ? "light"
				     : check_word(state, "--gpu", MODES, arg);
		return 0;
	case KEY_EMIT:
		tools->emit = check_word(state, "--emit", TOOLS, arg);
		return 0;
	case KEY_NO_NVTX:
		tools->no_nvtx = true;
		return 0;
	case KEY_NO_ITT:
		tools->no_itt = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* clang-format off */
static const struct argp_option options[] = {
	OPTION_HEADING("GPU and other tools:", GROUP_TOOLS),
	{"gpu", KEY_GPU, MODES, OPTION_ARG_OPTIONAL,
		"record what CUDA does on GPUs: kernels, copies and what "
		"launched them (light, the default of --gpu alone), also every "
		"call of CUDA (full), or each launch of a graph as a whole "
		"(graphs)", GROUP_TOOLS},
	{"no-nvtx", KEY_NO_NVTX, NULL, 0,
		"do not record ranges that the program marks by NVTX",
		GROUP_TOOLS},
	{"no-itt", KEY_NO_ITT, NULL, 0,
		"do not record tasks that the program marks by ITT",
		GROUP_TOOLS},
	{"emit", KEY_EMIT, TOOLS, 0,
		"tell the tool that collects NVTX (Nsight Systems) or ITT "
		"(VTune) every range that libctprof is told",
		GROUP_TOOLS},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

const struct argp tool_env_argp = {.options = options, .parser = parse};

bool tool_env_wants_gpu(const struct tool_env *tools)
{
	return tools->gpu != NULL && strcmp(tools->gpu, "off") != 0;
}

static bool emits(const struct tool_env *tools, const char *tool)
{
	return tools->emit != NULL && strcmp(tools->emit, tool) == 0;
}

static int set_variable(const char *variable, const char *value)
{
	if (setenv(variable, value, 1) == 0)
		return EXIT_DONE;
	diag("%s: %s", variable, strerror(errno));
	return EXIT_LIMIT;
}

/* Was it set by a recorder like this one, which started us? */
static bool is_our_library(const char *value)
{
	const char *slash = strrchr(value, '/');

	return strcmp(slash == NULL ? value : slash + 1, LIBRARY) == 0;
}

/* Has the loader that looks at the variable load our library. */
static int inject_library(
	const char *variable, const char *library, bool verbose)
{
	const char *before = environment_find(variable);

	if (before == NULL || before[0] == '\0' || is_our_library(before))
		return set_variable(variable, library);
	if (verbose)
		diag("%s is set to %s already, and is left to it", variable,
			before);
	return EXIT_DONE;
}

/* What we emit is for another tool, or for nobody: never for ourselves. */
static void check_emission(const char *variable, const char *emit)
{
	const char *tool = environment_find(variable);

	if (tool != NULL && is_our_library(tool))
		(void)unsetenv(variable);
	else if (tool != NULL && tool[0] != '\0')
		return;
	diag("--emit=%s: no tool collects it: %s is not set", emit, variable);
}

int tool_env_apply(const struct tool_env *tools, bool verbose)
{
	char library[PRELOAD_PATH_BYTES];
	bool is_there = !tools->no_library &&
			preload_find(library, "CTPROF_INJECT", LIBRARY);
	int status = EXIT_DONE;

	if (tool_env_wants_gpu(tools) && !is_there && !tools->no_library) {
		diag("--gpu needs " LIBRARY ", which was not found "
		     "(CTPROF_INJECT may say where it is)");
		return EXIT_INPUT;
	}
	if (tools->gpu != NULL)
		status = set_variable("CTPROF_GPU", tools->gpu);
	if (status == EXIT_DONE && is_there && tool_env_wants_gpu(tools))
		status = inject_library(CUDA_VARIABLE, library, verbose);
	if (status == EXIT_DONE && tools->emit != NULL)
		status = set_variable("CTPROF_EMIT", tools->emit);
	if (emits(tools, "nvtx"))
		check_emission(NVTX_VARIABLE, "nvtx");
	else if (status == EXIT_DONE && is_there && !tools->no_nvtx)
		status = inject_library(NVTX_VARIABLE, library, verbose);
	if (emits(tools, "itt"))
		check_emission(ITT_VARIABLE, "itt");
	else if (status == EXIT_DONE && is_there && !tools->no_itt)
		status = inject_library(ITT_VARIABLE, library, verbose);
	return status;
}

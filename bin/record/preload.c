/* SPDX-License-Identifier: MIT */
/*
 * The libraries are found relative to this program: in a build directory, or
 * installed anywhere, even outside of ld.so's directories.
 */
#include "record/preload.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "base/environment.h"
#include "record/target_elf.h"
#include "cli/diag.h"

#define INSTRUMENT "libctprof-instrument.so.0"
#define RECORDER "libctprof.so.0"
#define PATH_BYTES 4096
#define INJECT "libctprof-inject.so.0"
#define HOOK "__cyg_profile_func_enter"
#define NVTX "InitializeInjectionNvtx2"
#define ITT "INTEL_LIBITTNOTIFY64" /* the variable, too */
#define CUDA_VARIABLE "CUDA_INJECTION64_PATH"
#define NVTX_VARIABLE "NVTX_INJECTION64_PATH"

#define MODES "light|full|graphs|off"
#define TOOLS "nvtx|itt"

/* A library of a sanitized build cannot be loaded into other programs. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* Places to search, relative to this program's directory. */
static const char *const places[] = {"/.libs", "/../lib",
#ifdef __x86_64__
	"/../lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
	"/../lib/aarch64-linux-gnu",
#endif
	"/../lib64"};

static bool find_in_directory(
	char *out, const char *directory, const char *file)
{
	int size = snprintf(out, PATH_BYTES, "%s/%s", directory, file);

	return size > 0 && size < PATH_BYTES && access(out, R_OK) == 0;
}

/* Finds the directory of the library; false if there is none. */
static bool find_directory(char *out, const char *library)
{
	char own[PATH_BYTES];
	char path[PATH_BYTES];
	ssize_t size = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[size < 0 ? 0 : size] = '\0';
	slash = strrchr(own, '/');
	for (size_t i = 0;
		slash != NULL && i < sizeof(places) / sizeof(places[0]); i++) {
		*slash = '\0';
		if (snprintf(out, PATH_BYTES, "%s%s", own, places[i]) <
				PATH_BYTES &&
			find_in_directory(path, out, library))
			return true;
	}
	(void)snprintf(out, PATH_BYTES, "%s", CTP_LIBDIR);
	return find_in_directory(path, out, library);
}

/* The path of one of our libraries that go into programs: the environment
 * variable's value, or beside this program; false if it is not there. */
static bool find_library(
	char out[static PATH_BYTES], const char *variable, const char *library)
{
	const char *given = environment_find(variable);
	char directory[PATH_BYTES];

	if (given != NULL && given[0] != '\0')
		return snprintf(out, PATH_BYTES, "%s", given) < PATH_BYTES &&
		       access(out, R_OK) == 0;
	return !SANITIZED && find_directory(directory, library) &&
	       find_in_directory(out, directory, library);
}

/* The library to preload. */
static bool find_instrument(char out[static PATH_BYTES])
{
	return find_library(out, "CTPROF_INSTRUMENT", INSTRUMENT);
}

/* Writes the path of the recorder beside it to `out`; if there is none, ld.so
 * finds it. */
static bool find_recorder(char *out, const char *instrument)
{
	char directory[PATH_BYTES];
	const char *slash = strrchr(instrument, '/');
	int size = slash == NULL ? 0 : (int)(slash - instrument);

	(void)snprintf(directory, sizeof(directory), "%.*s",
		slash == NULL ? 1 : size, slash == NULL ? "." : instrument);
	return find_in_directory(out, directory, RECORDER);
}

char *preload_find_recorder(void)
{
	char instrument[PATH_BYTES];
	char recorder[PATH_BYTES];

	if (!find_instrument(instrument) ||
		!find_recorder(recorder, instrument))
		return NULL;
	return realpath(recorder, NULL);
}

int preload_set(void)
{
	char instrument[PATH_BYTES];
	char recorder[PATH_BYTES] = "";
	const char *before = environment_find("LD_PRELOAD");
	char *all = NULL;
	int status = EXIT_DONE;

	if (!find_instrument(instrument))
		return EXIT_DONE;
	if (strpbrk(instrument, ": ") != NULL) {
		diag("%s: cannot be preloaded: its path contains a space or "
		     "colon",
			instrument);
		return EXIT_DONE;
	}
	if (!find_recorder(recorder, instrument))
		recorder[0] = '\0';
	if (asprintf(&all, "%s%s%s%s%s", instrument,
		    recorder[0] == '\0' ? "" : ":", recorder,
		    before == NULL || before[0] == '\0' ? "" : ":",
		    before == NULL ? "" : before) < 0 ||
		setenv("LD_PRELOAD", all, 1) != 0) {
		diag("LD_PRELOAD: %s", strerror(errno));
		status = EXIT_LIMIT;
	}
	free(all);
	return status;
}

/* Whether the file contains these bytes. */
static bool contains_bytes(FILE *file, const char *word, size_t word_size)
{
	char bytes[64 * 1024];
	size_t kept = 0;
	size_t got;

	rewind(file);
	while ((got = fread(bytes + kept, 1, sizeof(bytes) - kept, file)) > 0) {
		size_t size = kept + got;

		if (memmem(bytes, size, word, word_size) != NULL)
			return true;
		kept = size < word_size ? size : word_size - 1;
		memmove(bytes, bytes + size - kept, kept);
	}
	return false;
}

static bool contains(FILE *file, const char *word)
{
	return contains_bytes(file, word, strlen(word));
}

/* Whether a table of names in the file has this one: a symbol or section. */
static bool contains_name(FILE *file, const char *name)
{
	char entry[64] = "";
	size_t size = strlen(name);

	/* With the zeros at both ends; other names may contain it. */
	memcpy(entry + 1, name, size);
	return contains_bytes(file, entry, size + 2);
}

/*
 * The flag of another kind of instrumentation with which a program was built;
 * NULL if there is none. A stripped program has these names as well.
 * Source: gcc's documentation of -pg, -mfentry and -fpatchable-function-entry;
 * LLVM's XRayInstrumentation, the section xray_instr_map.
 */
static const char *find_other_flag(FILE *file)
{
	static const struct {
		const char *name;
		const char *flag;
	} others[] = {
		{"mcount", "-pg"}, /* first: libc.a has all three */
		{"_mcount", "-pg"},
		{"__fentry__", "-pg -mfentry"},
		{"__mcount_loc", "-pg -mrecord-mcount"},
		{"xray_instr_map", "-fxray-instrument"},
		{"__patchable_function_entries", "-fpatchable-function-entry"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (contains_name(file, others[i].name))
			return others[i].flag;
	return NULL;
}

/* Whether it needs the dynamic linker. */
static bool is_dynamic(FILE *file, const Elf64_Ehdr *header)
{
	Elf64_Phdr segment;

	if (header->e_phentsize != sizeof(segment) ||
		fseeko(file, (off_t)header->e_phoff, SEEK_SET) != 0)
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (fread(&segment, sizeof(segment), 1, file) == 1 &&
			segment.p_type == PT_INTERP)
			return true;
	return false;
}

/* The reason why this file cannot be recorded. */
static const char *find_reason(FILE *file)
{
	char path[PATH_BYTES];
	Elf64_Ehdr header;
	struct stat found;
	bool uses_tools;

	if (fread(&header, sizeof(header), 1, file) != 1 ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return "is a script, and the programs that it ran recorded "
		       "nothing";
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return "is a 32-bit program, which libctprof does not support";
	if (fstat(fileno(file), &found) == 0 &&
		(found.st_mode & (S_ISUID | S_ISGID)) != 0)
		return "is a set-user-ID program, which ignores its caller's "
		       "environment";
	uses_tools = contains(file, NVTX) || contains(file, ITT);
	if (!contains(file, HOOK) && !contains(file, "libctprof") &&
		!uses_tools)
		return "was not built with -finstrument-functions, and uses "
		       "neither libctprof nor NVTX or ITT; build it with the "
		       "flags of 'ctprof cflags'";
	if (!is_dynamic(file, &header))
		return "is statically linked, so nothing can be preloaded into "
		       "it";
	if (contains(file, HOOK) && !find_instrument(path))
		return "needs " INSTRUMENT ", which was not found; set "
		       "CTPROF_INSTRUMENT to its path";
	if (uses_tools && !find_library(path, "CTPROF_INJECT", INJECT))
		return "needs " INJECT
		       ", which was not found; set CTPROF_INJECT to its path";
	return "has recorded nothing";
}

/* The flag of another kind of instrumentation, if the program has no hooks of
 * ours. */
static const char *find_wrong_flag(FILE *file)
{
	char magic[SELFMAG];

	if (fread(magic, sizeof(magic), 1, file) != 1 ||
		memcmp(magic, ELFMAG, SELFMAG) != 0 || contains(file, HOOK) ||
		contains(file, "libctprof"))
		return NULL;
	return find_other_flag(file);
}

int preload_explain(const char *program, const char *output)
{
	char *path = target_elf_find(program);
	FILE *file = path == NULL ? NULL : fopen(path, "rb");
	const char *flag = file == NULL ? NULL : find_wrong_flag(file);

	if (file != NULL)
		rewind(file);
	if (flag != NULL)
		diag("%s: no log was made: %s was built with %s, which ctprof "
		     "does not record; build it with the flags of 'ctprof "
		     "cflags'",
			output, program, flag);
	else
		diag("%s: no log was made: %s %s", output, program,
			file == NULL ? "has recorded nothing"
				     : find_reason(file));
	if (file != NULL)
		(void)fclose(file);
	free(path);
	return flag == NULL ? EXIT_DONE : EXIT_INPUT;
}

/* ---- the library that tools' loaders load ---- */

static void read_word(const struct argument_value *value)
{
	if (value->text != NULL)
		(void)argument_word(value);
	*(const char **)value->member =
		value->text == NULL ? "light" : value->text;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct preload_options, member)
static const struct argument items[] = {
	ARGUMENT_HEADING("GPU and other tools:", GROUP_TOOLS),
	{"gpu", 0, MODES, ARGUMENT_CALL,
		"record CUDA's work on GPUs: kernels, copies and their "
		"launches (light, the default of --gpu alone), also every call "
		"of CUDA (full), or each graph launch as a whole (graphs)",
		GROUP_TOOLS, OF(gpu), .call = read_word, .optional = true},
	{"no-nvtx", 0, NULL, ARGUMENT_FLAG,
		"do not record NVTX ranges of the program", GROUP_TOOLS,
		OF(no_nvtx)},
	{"no-itt", 0, NULL, ARGUMENT_FLAG,
		"do not record ITT tasks of the program", GROUP_TOOLS,
		OF(no_itt)},
	{"emit", 0, TOOLS, ARGUMENT_CALL,
		"forward every range of libctprof to the tool that collects "
		"NVTX (Nsight Systems) or ITT (VTune)", GROUP_TOOLS, OF(emit),
		.call = read_word},
};
/* clang-format on */

const struct arguments preload_arguments = {ARGUMENTS(items)};

bool preload_wants_gpu(const struct preload_options *options)
{
	return options->gpu != NULL && strcmp(options->gpu, "off") != 0;
}

static bool emits(const struct preload_options *options, const char *tool)
{
	return options->emit != NULL && strcmp(options->emit, tool) == 0;
}

static int set_variable(const char *variable, const char *value)
{
	if (setenv(variable, value, 1) == 0)
		return EXIT_DONE;
	diag("%s: %s", variable, strerror(errno));
	return EXIT_LIMIT;
}

/* Whether the value was set by an enclosing ctprof. */
static bool is_our_library(const char *value)
{
	return strcmp(basename(value), INJECT) == 0;
}

/* Points a loader's variable to our library. */
static int inject_library(
	const char *variable, const char *library, bool verbose)
{
	const char *before = environment_find(variable);

	if (before == NULL || before[0] == '\0' || is_our_library(before))
		return set_variable(variable, library);
	if (verbose)
		diag("%s is already set to %s and is left unchanged", variable,
			before);
	return EXIT_DONE;
}

/* Emitted data is for another tool: never load our own library for it. */
static void check_emission(const char *variable, const char *emit)
{
	const char *tool = environment_find(variable);

	if (tool != NULL && is_our_library(tool))
		(void)unsetenv(variable);
	else if (tool != NULL && tool[0] != '\0')
		return;
	diag("--emit=%s: no tool collects it: %s is not set", emit, variable);
}

int preload_set_tools(const struct preload_options *options, bool verbose)
{
	char library[PATH_BYTES];
	bool is_there = !options->no_library &&
			find_library(library, "CTPROF_INJECT", INJECT);
	int status = EXIT_DONE;

	if (preload_wants_gpu(options) && !is_there && !options->no_library) {
		diag("--gpu needs " INJECT
		     ", which was not found; set CTPROF_INJECT to its path");
		return EXIT_INPUT;
	}
	if (options->gpu != NULL)
		status = set_variable("CTPROF_GPU", options->gpu);
	if (status == EXIT_DONE && is_there && preload_wants_gpu(options))
		status = inject_library(CUDA_VARIABLE, library, verbose);
	if (status == EXIT_DONE && options->emit != NULL)
		status = set_variable("CTPROF_EMIT", options->emit);
	if (emits(options, "nvtx"))
		check_emission(NVTX_VARIABLE, "nvtx");
	else if (status == EXIT_DONE && is_there && !options->no_nvtx)
		status = inject_library(NVTX_VARIABLE, library, verbose);
	if (emits(options, "itt"))
		check_emission(ITT, "itt");
	else if (status == EXIT_DONE && is_there && !options->no_itt)
		status = inject_library(ITT, library, verbose);
	return status;
}

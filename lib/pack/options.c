/* SPDX-License-Identifier: MIT */
#include "pack/options.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"

#define DEFAULT_OUT "ctprof.%p.ctp"
#define DEFAULT_BUFFER (UINT64_C(2) * 1024 * 1024)
#define DEFAULT_BUFFER_MAX (UINT64_C(64) * 1024 * 1024)
#define LEAST_CHUNKS 4
#define MOST_CHUNKS (UINT32_C(1) << 20)
/* With a window of the last events, for threads that fill theirs. */
#define WINDOW_CHUNKS 16

static const char *const policies[] = {"block", "grow", "drop", NULL};
static const char *const clocks[] = {"auto", "system", "tsc", "events", NULL};
static const char *const gpus[] = {"", "off", "light", "full", "graphs", NULL};
static const char *const emits[] = {"", "none", "nvtx", "itt", NULL};
static const char *const switches[] = {"0", "1", NULL};

int options_in_environment(void)
{
	const char *out = environment_find("CTPROF_OUT");

	return out != NULL && out[0] != '\0';
}

bool options_use_tsc(const struct session_options *options)
{
	return options->clock == CTP_CLOCK_TSC ||
	       (options->clock == CTP_CLOCK_AUTO && clock_has_tsc());
}

enum spool_clock options_spool_clock(
	const struct session_options *options, bool tsc)
{
	if (options->clock == CTP_CLOCK_EVENTS)
		return SPOOL_CLOCK_EVENTS;
	return tsc ? SPOOL_CLOCK_TSC : SPOOL_CLOCK_SYSTEM;
}

const char *options_policy_name(enum ctp_policy policy)
{
	return policies[policy];
}

static enum ctp_status refuse(
	struct ctp_error *err, const char *name, const char *value)
{
	return ctp_fail(
		err, CTP_ERR_FORMAT, "%s=%s: invalid value", name, value);
}

/* A number with an optional K, M or G (binary), from the environment. */
static enum ctp_status read_size(
	const char *name, uint64_t *out, struct ctp_error *err)
{
	const char *value = environment_find(name);
	static const char units[] = "KMG";
	unsigned long long number;
	const char *unit;
	char *end;

	if (value == NULL || value[0] == '\0')
		return CTP_OK;
	errno = 0;
	number = strtoull(value, &end, 10);
	if (end == value || value[0] == '-' || errno != 0)
		return refuse(err, name, value);
	if (*end != '\0') {
		unsigned shift;

		unit = strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end);
		if (unit == NULL || end[1] != '\0')
			return refuse(err, name, value);
		shift = 10 * (unsigned)(unit - units + 1);
		if (number > UINT64_MAX >> shift)
			return refuse(err, name, value);
		number <<= shift;
	}
	*out = number;
	return CTP_OK;
}

static enum ctp_status read_choice(const char *name, const char *const *names,
	int *out, struct ctp_error *err)
{
	const char *value = environment_find(name);

	if (value == NULL || value[0] == '\0')
		return CTP_OK;
	for (int i = 0; names[i] != NULL; i++) {
		if (strcmp(value, names[i]) == 0) {
			*out = i;
			return CTP_OK;
		}
	}
	return refuse(err, name, value);
}

/* As the launcher of the job gave it; NULL: none. */
static const char *rank(void)
{
	static const char *const names[] = {"RANK", "PMI_RANK", "PMIX_RANK",
		"OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = environment_find(names[i]);

		if (value != NULL && value[0] != '\0')
			return value;
	}
	return NULL;
}

/* Larger numbers are not ranks. */
#define RANK_DIGITS 7

uint32_t options_rank(void)
{
	const char *text = rank();
	size_t digits = text == NULL ? 0 : strspn(text, "0123456789");

	if (digits == 0 || digits > RANK_DIGITS || text[digits] != '\0')
		return 0;
	return (uint32_t)strtoul(text, NULL, 10) + 1;
}

/* A name given by the launcher or administrator becomes part of a file name and
 * must not lead to another directory. */
static void make_name(char *text)
{
	if (*text == '.')
		*text = '_';
	for (char *at = text; *at != '\0'; at++)
		if (*at == '/' || (unsigned char)*at < ' ' || *at == '\x7f')
			*at = '_';
}

static bool append(char *out, size_t *used, const char *text)
{
	size_t size = strlen(text);

	if (size >= OPTIONS_PATH_BYTES - *used)
		return false;
	memcpy(out + *used, text, size + 1);
	*used += size;
	return true;
}

bool options_expand(char *out, const char *pattern)
{
	size_t used = 0;
	bool fits = true;

	out[0] = '\0';
	for (const char *at = pattern; fits && *at != '\0'; at++) {
		char text[256] = {*at, '\0'};

		if (*at == '%' && at[1] != '\0') {
			at++;
			if (*at == 'p')
				(void)snprintf(text, sizeof(text), "%ld",
					(long)getpid());
			else if (*at == 'h')
				(void)gethostname(text, sizeof(text) - 1);
			else if (*at == 'r')
				(void)snprintf(text, sizeof(text), "%s",
					rank() == NULL ? "0" : rank());
			else if (*at != '%')
				(void)snprintf(text, sizeof(text), "%%%c", *at);
			if (*at == 'h' || *at == 'r')
				make_name(text);
		}
		fits = append(out, &used, text);
	}
	return fits;
}

static const char *text_option(
	const char *given, const char *variable, const char *otherwise)
{
	const char *value = environment_find(variable);

	if (given != NULL)
		return given;
	return value != NULL && value[0] != '\0' ? value : otherwise;
}

static enum ctp_status fill_paths(struct session_options *options,
	const struct ctp_options *given, struct ctp_error *err)
{
	const char *out = text_option(given->out, "CTPROF_OUT", DEFAULT_OUT);
	const char *spool =
		text_option(given->spool, "CTPROF_SPOOL", SPOOL_DIRECTORY);
	const char *exclusive = environment_find("CTPROF_OUT_EXCL");

	/* Even the directory was not chosen by the program. */
	if (given->out == NULL && environment_is_refused())
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"a set-user-ID program must name the path of its log");
	options->exclusive = given->out == NULL && exclusive != NULL &&
			     strcmp(exclusive, "1") == 0;
	if (!options_expand(options->out, out) ||
		snprintf(options->spool, sizeof(options->spool), "%s", spool) >=
			(int)sizeof(options->spool))
		return ctp_fail(
			err, CTP_ERR_FORMAT, "the path %s is too long", out);
	return CTP_OK;
}

enum ctp_gpu options_gpu(void)
{
	int gpu = CTP_GPU_OFF;

	(void)read_choice("CTPROF_GPU", gpus, &gpu, NULL);
	return (enum ctp_gpu)gpu;
}

const char *options_gpu_name(enum ctp_gpu gpu)
{
	return gpus[gpu];
}

/* Signals that a program may be sent without a fault of its own. */
static const struct {
	const char *name;
	int number;
} dump_signals[] = {{"USR2", SIGUSR2}, {"USR1", SIGUSR1}, {"HUP", SIGHUP},
	{"URG", SIGURG}, {"WINCH", SIGWINCH}, {"none", 0}};

static enum ctp_status read_dump_signal(int *number, struct ctp_error *err)
{
	const char *value = environment_find("CTPROF_DUMP_SIGNAL");

	*number = SIGUSR2;
	if (value == NULL || value[0] == '\0')
		return CTP_OK;
	for (size_t i = 0; i < sizeof(dump_signals) / sizeof(dump_signals[0]);
		i++)
		if (strcmp(value, dump_signals[i].name) == 0) {
			*number = dump_signals[i].number;
			return CTP_OK;
		}
	return refuse(err, "CTPROF_DUMP_SIGNAL", value);
}

static enum ctp_status fill_last(struct session_options *options,
	const struct ctp_options *given, struct ctp_error *err)
{
	enum ctp_status status = read_size("CTPROF_LAST", &options->last, err);

	if (status == CTP_OK)
		status = read_dump_signal(&options->dump_signal, err);
	if (status != CTP_OK || given->size < sizeof(*given))
		return status;
	if (given->last != 0)
		options->last = given->last;
	if (given->dump_signal != 0)
		options->dump_signal =
			given->dump_signal < 0 ? 0 : given->dump_signal;
	return CTP_OK;
}

/* Options added after the first release: `given` may be older. */
static enum ctp_status fill_newer(struct session_options *options,
	const struct ctp_options *given, struct ctp_error *err)
{
	int gpu = CTP_GPU_OFF;
	int emit = CTP_EMIT_NONE;
	int no_command = 0;
	enum ctp_status status = read_choice("CTPROF_GPU", gpus, &gpu, err);

	if (status == CTP_OK)
		status = read_choice("CTPROF_EMIT", emits, &emit, err);
	if (status == CTP_OK)
		status = read_choice(
			"CTPROF_NO_COMMAND", switches, &no_command, err);
	if (status == CTP_OK)
		status = fill_last(options, given, err);
	options->no_command = no_command != 0;
	options->gpu = (enum ctp_gpu)gpu;
	options->emit = (enum ctp_emit)emit;
	if (given->size >= offsetof(struct ctp_options, last)) {
		if (given->gpu != CTP_GPU_DEFAULT)
			options->gpu = given->gpu;
		if (given->emit != CTP_EMIT_DEFAULT)
			options->emit = given->emit;
	}
	return status;
}

static uint32_t chunks_of(uint64_t bytes)
{
	uint64_t chunks = bytes / CHUNK_BYTES;

	if (chunks < LEAST_CHUNKS)
		return LEAST_CHUNKS;
	return chunks > MOST_CHUNKS ? MOST_CHUNKS : (uint32_t)chunks;
}

/* The memory for the last events, and for threads to fill meanwhile. The
 * default maximum suffices for two words an event. */
static void fill_window(struct session_options *options, bool is_limited)
{
	uint64_t bytes = options->last > UINT64_MAX / 64 ? UINT64_MAX
							 : options->last * 8;
	uint32_t least = chunks_of(bytes) + WINDOW_CHUNKS;
	uint32_t most = chunks_of(bytes / 3 * 8) + WINDOW_CHUNKS;

	if (options->last == 0)
		return;
	if (!is_limited && options->chunk_max < most)
		options->chunk_max = most;
	if (options->chunks < least)
		options->chunks = least;
	if (options->chunks > options->chunk_max)
		options->chunks = options->chunk_max;
}

enum ctp_status options_fill(struct session_options *options,
	const struct ctp_options *given, struct ctp_error *err)
{
	static const struct ctp_options none = CTP_OPTIONS_INIT;
	uint64_t buffer = DEFAULT_BUFFER;
	uint64_t buffer_max = DEFAULT_BUFFER_MAX;
	uint64_t level = 1;
	int policy = CTP_POLICY_BLOCK;
	int clock = CTP_CLOCK_AUTO;
	enum ctp_status status;

	if (given == NULL)
		given = &none;
	memset(options, 0, sizeof(*options));
	if ((status = fill_paths(options, given, err)) != CTP_OK ||
		(status = read_size("CTPROF_BUFFER", &buffer, err)) != CTP_OK ||
		(status = read_size("CTPROF_BUFFER_MAX", &buffer_max, err)) !=
			CTP_OK ||
		(status = read_size("CTPROF_MIN_NS", &options->min_ns, err)) !=
			CTP_OK ||
		(status = read_size("CTPROF_LEVEL", &level, err)) != CTP_OK ||
		(status = read_choice(
			 "CTPROF_POLICY", policies, &policy, err)) != CTP_OK ||
		(status = read_choice("CTPROF_CLOCK", clocks, &clock, err)) !=
			CTP_OK ||
		(status = fill_newer(options, given, err)) != CTP_OK)
		return status;
	if (given->buffer_bytes != 0)
		buffer = given->buffer_bytes;
	if (given->buffer_max != 0)
		buffer_max = given->buffer_max;
	if (given->min_ns != 0)
		options->min_ns = given->min_ns;
	if (given->level != 0)
		level = given->level < 0 ? 0 : (uint64_t)given->level;
	options->level = level > 9 ? 9 : (int)level;
	options->policy =
		given->policy != 0 ? given->policy : (enum ctp_policy)policy;
	options->clock =
		given->clock != 0 ? given->clock : (enum ctp_clock)clock;
	options->chunks = chunks_of(buffer);
	options->chunk_max = chunks_of(buffer_max);
	if (options->chunk_max < options->chunks)
		options->chunk_max = options->chunks;
	fill_window(options, buffer_max != DEFAULT_BUFFER_MAX);
	return CTP_OK;
}

void options_other_name(
	char *out, size_t size, const char *path, long pid, int try)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash == NULL ? path : slash + 1;
	const char *suffix = strrchr(base, '.');
	int stem = suffix == NULL || suffix == base ? (int)strlen(path)
						    : (int)(suffix - path);
	char number[32] = "";

	if (try > 1)
		(void)snprintf(number, sizeof(number), ".%d", try);
	(void)snprintf(out, size, "%.*s.%ld%s%s", stem, path, pid, number,
		path + stem);
}

/* SPDX-License-Identifier: MIT */
/* The inputs of a command line and their common options, for every command that
 * reads profiles. */
#ifndef INPUTS_H
#define INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "cli/arguments.h"

struct inputs {
	const struct format *from; /* NULL: detect */
	char **paths;              /* at least one after parsing */
	size_t count;
	size_t room;
	const char *files0_from;
	struct read_request request; /* passed by input_open() */
	bool strict;
	bool quiet;
	bool verbose;
	bool keeps_costs; /* the output has the costs of callgrind's files */
	enum when progress;
};

/* Values of --device for commands that make profiles, in the order of enum
 * replay_device. */
#define INPUTS_DEVICE "separate|host|device"
#define INPUTS_DEVICE_OPTION(group, ...) \
	{ \
		"device", 0, INPUTS_DEVICE, ARGUMENT_WORD, \
			"GPU work: as separate functions (the default), left " \
			"out, or as separate functions with their time in " \
			"place of the host's", \
			group, __VA_ARGS__ \
	}

/* Options whose member is replay_options.all_edge_times. --document-edges is an
 * old name, kept for scripts. */
#define INPUTS_EDGE_TIMES_OPTIONS(group, ...) \
	{"edge-times", 0, "all|primitive", ARGUMENT_CALL, \
		"calls whose time counts for a caller: all, as in torch's " \
		"dynamo profiler, or only those not inside a call of the " \
		"same caller and callee, as in cProfile (the default)", \
		group, __VA_ARGS__, .call = inputs_read_edge_times}, \
	{ \
		"document-edges", 0, NULL, ARGUMENT_FLAG, NULL, group, \
			__VA_ARGS__ \
	}
void inputs_read_edge_times(const struct argument_value *value);

/* The values of --join, in the order of enum read_join. */
#define INPUTS_JOIN "auto|external|correlation"

/* The structure is a struct inputs; the default is stdin. */
extern const struct arguments inputs_arguments;

/* The same without --names, for commands that show no functions. */
extern const struct arguments inputs_unnamed_arguments;

/* Adds a copy of a path before the one at `at`. False if out of memory. */
bool inputs_insert(struct inputs *inputs, size_t at, const char *path);

/* The value of --progress, unless --quiet was given. */
enum when inputs_progress(const struct inputs *inputs);

/* Frees the memory allocated by parsing. */
void inputs_clear(struct inputs *inputs);

#endif

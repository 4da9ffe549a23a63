/* SPDX-License-Identifier: MIT */
/* The inputs of a command line and their common options: a child of the argp of
 * every command that reads profiles. */
#ifndef INPUTS_H
#define INPUTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "cli/terminal.h"

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
	enum when progress;
};

/* Values of --device for commands that make profiles, in the order of enum
 * replay_device. */
#define INPUTS_DEVICE "separate|host|device"
#define INPUTS_DEVICE_OPTION(group) \
	{ \
		"device", KEY_DEVICE, INPUTS_DEVICE, 0, \
			"GPU work: as separate functions (the default), left " \
			"out, or as separate functions with their time in " \
			"place of the host's", \
			group \
	}

/* The values of --edge-times; "all" sets replay_options.all_edge_times.
 * --document-edges is its old name, kept for scripts. */
#define INPUTS_EDGE_TIMES "all|primitive"
#define INPUTS_EDGE_TIMES_OPTIONS(group) \
	{"edge-times", KEY_EDGE_TIMES, INPUTS_EDGE_TIMES, 0, \
		"calls whose time counts for a caller: all, as in torch's " \
		"dynamo profiler, or only those not inside a call of the " \
		"same caller and callee, as in cProfile (the default)", \
		group}, \
	{ \
		"document-edges", KEY_DOCUMENT_EDGES, NULL, OPTION_HIDDEN, \
			NULL, group \
	}

/* The values of --join, in the order of enum read_join. */
#define INPUTS_JOIN "auto|external|correlation"

/* Its argp input is a struct inputs. The default is stdin. */
extern const struct argp inputs_argp;

/* The same without --names, for commands that show no functions. */
extern const struct argp inputs_unnamed_argp;

/* inputs_argp and help_argp. */
extern const struct argp_child inputs_children[];

/* The value of --progress, unless --quiet was given. */
enum when inputs_progress(const struct inputs *inputs);

/* Frees the memory allocated by parsing. */
void inputs_clear(struct inputs *inputs);

#endif

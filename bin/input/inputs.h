/* SPDX-License-Identifier: MIT */
/* The inputs that a command line names, and what holds for all of them: a
 * child of the argp of every command that reads profiles. */
#ifndef INPUTS_H
#define INPUTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "cli/terminal.h"

struct inputs {
	const struct format *from; /* NULL: by content */
	char **paths;              /* at least one after parsing */
	size_t count;
	size_t room;
	const char *files0_from;
	struct read_request
		request; /* of each input, as input_open() gives it */
	bool strict;
	bool quiet;
	bool verbose;
	enum when progress;
};

/* The option of commands that make profiles, and how its value is taken: in
 * the order of enum replay_device. */
#define INPUTS_DEVICE "separate|host|device"
#define INPUTS_DEVICE_OPTION(group) \
	{ \
		"device", KEY_DEVICE, INPUTS_DEVICE, 0, \
			"GPU work: as separate functions (the default), left " \
			"out, or as separate functions with their time in " \
			"place of the host's", \
			group \
	}

/* The values of --edge-times: for the first, replay_options.all_edge_times is
 * true. --document-edges is its old name, and stays for scripts. */
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

/* Its input (argp's word) is a struct inputs. Without any file it is stdin. */
extern const struct argp inputs_argp;

/* The same without the names of functions, of a command that shows none. */
extern const struct argp inputs_unnamed_argp;

/* inputs_argp and help_argp. */
extern const struct argp_child inputs_children[];

/* The value of --progress, unless --quiet was given. */
enum when inputs_progress(const struct inputs *inputs);

/* Frees what parsing has allocated. */
void inputs_clear(struct inputs *inputs);

#endif

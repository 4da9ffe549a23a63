/* SPDX-License-Identifier: MIT */
/* The part of `ctprof repair` that mends JSON which others wrote. */
#ifndef REPAIR_JSON_H
#define REPAIR_JSON_H

#include <stdbool.h>

#include "cli/terminal.h"

struct repair_json {
	const char *input;
	const char *output;
	bool force;
	bool json; /* the list of fixes, on standard output */
	bool quiet;
	enum when progress;
};

/* Writes the output, and says what was done. Returns an exit status. */
int repair_json(const struct repair_json *request);

#endif

/* SPDX-License-Identifier: MIT */
/* What --help and --usage print. */
#ifndef HELP_TEXT_H
#define HELP_TEXT_H

#include <argp.h>

/* Both print to stdout, of the program or command `name`. */
void help_text_usage(const struct argp *argp, const char *name);
void help_text_print(const struct argp *argp, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/* What shells complete, from the option tables; and one function a shell that
 * prints its script. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdbool.h>

#include "cli/command.h"

/* What an option's or a command's argument can be. */
enum completion_kind {
	COMPLETION_NONE,  /* a number, a time: nothing to offer */
	COMPLETION_WORDS, /* completion_put_words() has them */
	COMPLETION_FILES,
};

/* Both derive from argp's `arg` and `args_doc`: "a|b" are words, FORMAT and
 * COMMAND are tables, FILE and DIR are files. */
enum completion_kind completion_of_option(const struct argp_option *option);
enum completion_kind completion_of_command(const struct command *command);

/* Prints the words, with single spaces between. */
void completion_option_words(const struct argp_option *option);
void completion_command_words(const struct command *command);

/* Has the option a letter? */
bool completion_has_letter(const struct argp_option *option);

void completion_print_bash(void);
void completion_print_zsh(void);
void completion_print_fish(void);

#endif

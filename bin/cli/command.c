/* SPDX-License-Identifier: MIT */
#include "cli/command.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ctprof.h"

#define COMMAND_ADDRESS(name) &cmd_##name,

const struct command *const commands[] = {COMMANDS(COMMAND_ADDRESS) NULL};

const struct command *command_find(const char *name)
{
	for (const struct command *const *at = commands; *at != NULL; at++)
		if (strcmp((*at)->name, name) == 0)
			return *at;
	return NULL;
}

void command_print_version(void)
{
	printf("ctprof %d.%d.%d\n", CTP_VERSION_MAJOR, CTP_VERSION_MINOR,
		CTP_VERSION_PATCH);
}

void command_print_help(void)
{
	const char *group = "";

	puts("Usage: ctprof COMMAND [OPTION...] [FILE...]\n"
	     "Record and analyze where a program spends its time.");
	for (const struct command *const *at = commands; *at != NULL; at++) {
		if (strcmp((*at)->group, group) != 0) {
			group = (*at)->group;
			printf("\n%s:\n", group);
		}
		printf("  %-12s %s\n", (*at)->name, (*at)->summary);
	}
	puts("\n'ctprof COMMAND --help' lists a command's options; "
	     "'ctprof help COMMAND' opens\n"
	     "its manual page. ctp2pstats, ctp2chrome and others are "
	     "'ctprof convert -t ...'.\n"
	     "\n"
	     "Examples:\n"
	     "  ctprof record -o run.ctp -- ./program arguments\n"
	     "  ctprof stats --top 20 run.ctp\n"
	     "  ctprof convert run.ctp -o run.pstats");
}

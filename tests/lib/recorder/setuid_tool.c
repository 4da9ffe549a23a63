/* SPDX-License-Identifier: MIT */
/* A hostile library, for setuid.sh: its author wants a program with more rights
 * to load it. It leaves a mark in the directory DIRECTORY. */
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void mark(void)
{
	char path[4096];
	FILE *out;

	(void)snprintf(
		path, sizeof(path), "%s/loaded.%ld", DIRECTORY, (long)getpid());
	out = fopen(path, "w");
	if (out != NULL)
		(void)fclose(out);
}

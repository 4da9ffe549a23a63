/* SPDX-License-Identifier: MIT */
/* A library of somebody who wants to be loaded by a program with rights that he
 * has not, for setuid.sh: it leaves a mark in the directory DIRECTORY. */
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

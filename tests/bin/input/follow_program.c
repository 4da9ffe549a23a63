/* SPDX-License-Identifier: MIT */
/*
 * The program that tests/bin/input/follow.sh follows while it records. For each
 * number that it reads, it calls `work` that many times from `main`, flushes the
 * log, and prints a line.
 */
#include <ctprof.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	struct ctp_site *outer = ctp_site_intern("main", NULL, 0);
	struct ctp_site *inner = ctp_site_intern("work", NULL, 0);
	unsigned count;

	if (outer == NULL || inner == NULL)
		return EXIT_FAILURE;
	ctp_begin(outer);
	while (scanf("%u", &count) == 1) {
		for (; count > 0; count--) {
			ctp_begin(inner);
			ctp_end();
		}
		if (ctp_flush() != CTP_OK)
			return EXIT_FAILURE;
		puts("done");
		(void)fflush(stdout);
	}
	ctp_end();
	return EXIT_SUCCESS;
}

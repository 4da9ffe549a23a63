/* SPDX-License-Identifier: MIT */
/* The end of every test program's main(). */
#ifndef RUN_SUITE_H
#define RUN_SUITE_H

#include <stdlib.h>

#include "quick_check.h"

/* Runs the suite, and frees it. Returns main()'s value. */
static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif

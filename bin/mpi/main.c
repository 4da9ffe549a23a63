/* SPDX-License-Identifier: MIT */
/*
 * mpirun ctprof-mpi OPTIONS … is `ctprof summarize OPTIONS …` by all processes
 * of an MPI job, and `ctprof-mpi stats …` is `ctprof stats …`. It is a program
 * of its own so that the usual one needs no MPI.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/machine.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "cli/output.h"
#include "mpi/team.h"

static int run(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], cmd_stats.name) == 0) {
		argv[1] = (char *)(uintptr_t) "ctprof-mpi stats";
		return cmd_stats.run(argc - 1, argv + 1);
	}
	if (argc > 1 && strcmp(argv[1], cmd_summarize.name) == 0) {
		argv++;
		argc--;
	}
	if (argc > 0)
		argv[0] = (char *)(uintptr_t) "ctprof-mpi";
	return cmd_summarize.run(argc, argv);
}

int main(int argc, char **argv)
{
	int status;

	if (environment_is_refused())
		(void)clearenv();
	(void)signal(SIGCHLD, SIG_DFL);
	memory_set_usual_limit(machine_memory_bytes("") / 4 * 3);
	status = team_start(&argc, &argv);
	if (status == EXIT_DONE)
		status = run(argc, argv);
	if (status != EXIT_OUTPUT && output_finish_stdout() != EXIT_DONE)
		status = EXIT_OUTPUT;
	return team_end(status);
}

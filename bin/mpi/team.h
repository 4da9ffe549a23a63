/* SPDX-License-Identifier: MIT */
/* The processes of an MPI job as a team that reads the inputs of one sum. */
#ifndef TEAM_H
#define TEAM_H

#include "mpi/checkpoint.h"

struct team_options {
	struct checkpoint checkpoint;
	uint64_t round_ns; /* 0: as usual */
};

/* Joins the team before any output, but after reader_start(); only the first
 * process writes. Errors: reported; returns an exit status. */
int team_start(int *argc, char ***argv, const struct team_options *options);

/* Ends MPI at the end of the first process, or of any other that has no part
 * in a sum, with the exit status, which it returns. Without a part in the sum
 * it ends the whole job. */
int team_end(int status);

#endif

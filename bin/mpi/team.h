/* SPDX-License-Identifier: MIT */
/* The processes of an MPI job as a team that reads the inputs of one sum. */
#ifndef MPI_TEAM_H
#define MPI_TEAM_H

/* Joins the team before any output; only the first process writes. Errors:
 * reported; returns an exit status. */
int team_start(int *argc, char ***argv);

/* Ends MPI at the end of the first process, or of any other that has no part
 * in a sum, with the exit status, which it returns. */
int team_end(int status);

#endif

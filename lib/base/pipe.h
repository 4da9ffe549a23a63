/* SPDX-License-Identifier: MIT */
/* Pipes for large amounts of data. */
#ifndef PIPE_H
#define PIPE_H

/*
 * Enlarges a pipe to 1 MiB, so that both sides wait less often. Does nothing if
 * the file is not a pipe or cannot be enlarged.
 *
 * Source: pipe(7): the default is 64 KiB, and the unprivileged maximum 1 MiB.
 */
void pipe_widen(int fd);

#endif

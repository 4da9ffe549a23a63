/* SPDX-License-Identifier: MIT */
/* Pipes that much goes through. */
#ifndef PIPE_H
#define PIPE_H

/*
 * Lets a pipe hold 1 MiB where it holds less, so that neither side waits for
 * the other as often. A file that is not a pipe, or may not hold as much, stays
 * as it is.
 *
 * Source: pipe(7): 64 KiB, and 1 MiB at most without a privilege.
 */
void pipe_widen(int fd);

#endif

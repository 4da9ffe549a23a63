/* SPDX-License-Identifier: MIT */
#include "base/pipe.h"

#include <fcntl.h>

#define PIPE_BYTES (1 << 20)

void pipe_widen(int fd)
{
	int bytes = fcntl(fd, F_GETPIPE_SZ);

	/* A pipe that is larger already keeps its size. */
	if (bytes >= 0 && bytes < PIPE_BYTES)
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
}

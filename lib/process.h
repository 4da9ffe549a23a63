/* SPDX-License-Identifier: MIT */
/* What this process knows about itself: the facts of a recording's header. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stddef.h>

/*
 * Reads the arguments, each with a zero byte after it, as far as they fit.
 * Returns the bytes; 0 where they cannot be known.
 */
size_t process_command(char *out, size_t size);

/* The running kernel's boot id; "" where it cannot be known. */
void process_boot_id(char *out, size_t size);

#endif

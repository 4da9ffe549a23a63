/* SPDX-License-Identifier: MIT */
/* What this process knows about itself: the facts of a recording's header. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stddef.h>

#include "spool.h"

/* Fills in pid, boot, host and command. */
void process_describe(struct spool_facts *facts);

/* The running kernel's boot id; "" where it cannot be known. */
void process_boot_id(char *out, size_t size);

#endif

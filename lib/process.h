/* SPDX-License-Identifier: MIT */
/* What this process knows about itself: the facts of a recording's header. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stddef.h>

#include "spool.h"

/* Fills in pid, boot, host and command. */
void process_describe(struct spool_facts *facts);

/*
 * When the process began, by CLOCK_REALTIME; some hundredths of a second
 * early, as the kernel counts it. INT64_MIN where it cannot be known.
 */
int64_t process_started_ns(void);

/* The running kernel's boot id; "" where it cannot be known. */
void process_boot_id(char *out, size_t size);

#endif

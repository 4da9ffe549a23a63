/* SPDX-License-Identifier: MIT */
/* What is known about the recording, and what was lost: metadata of a Perfetto
 * trace. */
#ifndef PFTRACE_FACTS_H
#define PFTRACE_FACTS_H

#include "perfetto/pftrace_packet.h"

/* Writes the packet. `title` may be NULL. */
void pftrace_facts_write(struct pftrace_packets *packets, const char *title);

#endif

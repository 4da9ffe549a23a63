/* SPDX-License-Identifier: MIT */
/* Kernels and annotations of communication between devices. */
#ifndef COMMUNICATION_H
#define COMMUNICATION_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

/*
 * Whether a kernel of this name communicates instead of computing.
 * Source: names of NCCL's and RCCL's kernels ("ncclKernel_", "ncclDevKernel_"),
 * of MSCCL's, and of the all-reduce kernels of vLLM and of PyTorch's symmetric
 * memory. All of HTA's "^nccl.*Kernel" are among them.
 */
bool communication_is_kernel(const char *name);

/* The same for a site, with the answers kept. All zero is an empty cache; free
 * `known` with memory_free(). Out of memory, it looks at the name. */
struct communication_sites {
	uint8_t *known; /* by site: 0: not yet, 1: no, 2: yes */
	uint32_t room;
};

bool communication_is_site(struct communication_sites *sites,
	const struct trace *trace, uint32_t site);

#endif

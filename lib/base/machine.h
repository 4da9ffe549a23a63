/* SPDX-License-Identifier: MIT */
/* The machine, or the part of it available to this process. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

/*
 * The available memory: the machine's, or the limit of this process's control
 * group or an ancestor. UINT64_MAX if unknown. `root` is the directory that
 * contains /proc and /sys, "" for the system's own.
 *
 * Source: cgroups(7), proc_pid_cgroup(5); the kernel's cgroup-v2.rst
 * (memory.max) and cgroup-v1/memory.rst (memory.limit_in_bytes).
 */
uint64_t machine_memory_bytes(const char *root);

#endif

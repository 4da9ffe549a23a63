/* SPDX-License-Identifier: MIT */
/* The machine that we run on, or the part of it that we were given. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

/*
 * The memory there is: the machine's, or less where a control group of this
 * process, or one above it, may have no more. UINT64_MAX if nobody knows.
 * `root` is the directory that /proc and /sys are in, "" for the system's own.
 *
 * Source: cgroups(7), proc_pid_cgroup(5); the kernel's cgroup-v2.rst
 * (memory.max) and cgroup-v1/memory.rst (memory.limit_in_bytes).
 */
uint64_t machine_memory_bytes(const char *root);

#endif

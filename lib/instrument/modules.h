/* SPDX-License-Identifier: MIT */
/* The program and its libraries in memory, if functions of theirs were called;
 * and the resolution of new functions. */
#ifndef MODULES_H
#define MODULES_H

#include <stdint.h>

/*
 * Returns the tag of the function at this address and adds it to the table.
 *
 * Threads: any. Locks, and asks the dynamic linker; signals are blocked.
 */
uint64_t modules_resolve(uintptr_t address);

/* Finds modules that are gone, after dlclose(). Signals are blocked. */
void modules_find_closed(void);

/* Makes all functions be resolved again. */
void modules_forget(void);

/* Around fork(). */
void modules_lock(void);
void modules_unlock(void);

#endif

/* SPDX-License-Identifier: MIT */
/* The program and its libraries as they lie in memory, as far as functions of
 * theirs were called; and what is recorded for a function met first. */
#ifndef MODULES_H
#define MODULES_H

#include <stdint.h>

/*
 * The tag of the function at this address, which goes into the table.
 *
 * Threads: any. Locks, and asks the dynamic linker; signals are blocked.
 */
uint64_t modules_resolve(uintptr_t address);

/* Looks which modules are gone, after dlclose(). Signals are blocked. */
void modules_look(void);

/* All functions are to be resolved anew. */
void modules_forget(void);

/* Around fork(). */
void modules_lock(void);
void modules_unlock(void);

#endif

/* SPDX-License-Identifier: MIT */
/* The file of a program that is to be run, and the shared libraries that it
 * will load. */
#ifndef TARGET_ELF_H
#define TARGET_ELF_H

#include <stddef.h>

/* The file that execvp() would run, as /proc/PID/exe has it; free it. NULL if
 * it is not found, or out of memory. */
char *target_elf_find(const char *name);

struct target_elf_modules {
	char **paths; /* as dl_iterate_phdr(3) has them, but from the root */
	size_t count;
	size_t room;
};

/*
 * The program at `path` itself, and what ld.so finds for it now. What cannot be
 * found out - of a script or a static program - is not there.
 *
 * Errors: said; returns an exit status.
 */
int target_elf_modules_list(
	struct target_elf_modules *modules, const char *path);
void target_elf_modules_clear(struct target_elf_modules *modules);

#endif

/* SPDX-License-Identifier: MIT */
/* The file of a program to run, and the shared libraries that it will load. */
#ifndef TARGET_ELF_H
#define TARGET_ELF_H

#include <stddef.h>

/* The file that execvp() would run, like /proc/PID/exe; free it. NULL if not
 * found or out of memory. */
char *target_elf_find(const char *name);

struct target_elf_modules {
	char **paths; /* as in dl_iterate_phdr(3), but absolute */
	size_t count;
	size_t room;
};

/*
 * Lists the program at `path` and the libraries that ld.so finds for it.
 * Scripts and static programs have no libraries.
 *
 * Errors: reported; returns an exit status.
 */
int target_elf_modules_list(
	struct target_elf_modules *modules, const char *path);
void target_elf_modules_clear(struct target_elf_modules *modules);

#endif

/* SPDX-License-Identifier: MIT */
/* Names of C++ as their source has them. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stddef.h>

struct demangler {
	char *text; /* malloc'd by the demangler, and used again */
	size_t room;
};

void demangler_clear(struct demangler *demangler);

/* Borrowed until the next call; NULL if it is no mangled name, or out of
 * memory, or there is no library of C++. */
const char *demangle(struct demangler *demangler, const char *mangled);

#endif

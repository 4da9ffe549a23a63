/* SPDX-License-Identifier: MIT */
/* Demangles C++ names. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stddef.h>

struct demangler {
	char *text; /* malloc'd by the demangler and reused */
	size_t room;
};

void demangler_clear(struct demangler *demangler);

/* Borrowed until the next call; NULL if the name is not mangled, out of memory,
 * or without a C++ library. */
const char *demangle(struct demangler *demangler, const char *mangled);

#endif

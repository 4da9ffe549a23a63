/* SPDX-License-Identifier: MIT */
/* Files that are not read, but known, so that people can be told what to do. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stddef.h>

/* What a file that begins like this is, and what to do with it: "is …; …".
 * NULL if that is not known. */
const char *foreign_advice(const void *bytes, size_t size);

#endif

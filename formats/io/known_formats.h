/* SPDX-License-Identifier: MIT */
/* Files that are not read, but known, so that people can be told what to do. */
#ifndef KNOWN_FORMATS_H
#define KNOWN_FORMATS_H

#include <stddef.h>

/* What a file that begins like this is, and what to do with it: "is …; …".
 * NULL if that is not known. */
const char *known_formats_advice(const void *bytes, size_t size);

/* The same of a JSON document that is no trace and has such a member. */
const char *known_formats_member(const void *key, size_t size);

#endif

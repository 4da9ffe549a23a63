/* SPDX-License-Identifier: MIT */
/* Formats that are recognized but not read, so that the error message can
 * advise. */
#ifndef KNOWN_FORMATS_H
#define KNOWN_FORMATS_H

#include <stddef.h>

/* Advice for a file that begins with these bytes: "is …; …", its format and
 * what to do. NULL if unknown. */
const char *known_formats_advice(const void *bytes, size_t size);

/* Advice for a JSON document that is not a trace and has this member. */
const char *known_formats_member(const void *key, size_t size);

#endif

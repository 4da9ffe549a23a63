/* SPDX-License-Identifier: MIT */
/* The files that flame graphs hold, by lines; each ends with NULL. The build
 * makes C of them. */
#ifndef FLAME_FILES_H
#define FLAME_FILES_H

extern const char *const flame_css[];
extern const char *const flame_js[];

#endif

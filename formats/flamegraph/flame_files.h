/* SPDX-License-Identifier: MIT */
/* The files that flame graphs hold, by lines; each ends with NULL. The build
 * generates C from them. flame_fit_js precedes the scripts that use it. */
#ifndef FLAME_FILES_H
#define FLAME_FILES_H

extern const char *const flame_css[];
extern const char *const flame_fit_js[];
extern const char *const flame_js[];

#endif

/* SPDX-License-Identifier: MIT */
/* The files of rules, by lines; each ends with NULL. The build makes C of
 * them. */
#ifndef PHASE_TEXTS_H
#define PHASE_TEXTS_H

extern const char *const clang_rules[];
extern const char *const dynamo_rules[];
extern const char *const import_rules[];
extern const char *const nvcc_rules[];

#endif

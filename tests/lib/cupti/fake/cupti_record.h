/* SPDX-License-Identifier: MIT */
/* Activity records in the layout of each version of CUPTI. */
#ifndef CUPTI_RECORD_H
#define CUPTI_RECORD_H

#include <stddef.h>

#include "fake_link.h"

/* The layout of this version, such as "12.4"; NULL: of 13.0. */
void cupti_record_choose(const char *version);

/* 0: 11.8, 1: 12.4, 2: 13.0, 3: the future's. */
unsigned cupti_record_layout(void);

/* 0: no such kind. */
size_t cupti_record_size(uint32_t kind);

/* Writes a record into zeroed bytes. */
void cupti_record_write(uint8_t *record, const struct fake_activity *activity);

/* The position of its end, for unfinished ones. */
size_t cupti_record_end(enum fake_kind kind);

#endif

/* SPDX-License-Identifier: MIT */
/* Whether input files have changed. */
#ifndef INPUT_STAMP_H
#define INPUT_STAMP_H

#include <stdint.h>

#include "input/inputs.h"

/* A number of the files' sizes and times, for directories those of the files
 * below: it differs if one of them was changed, added or removed. */
uint64_t input_stamp(const struct inputs *inputs);

#endif

/* SPDX-License-Identifier: MIT */
/* The names of calls, as cuptiGetCallbackName() gives them. */
#ifndef CUPTI_NAMES_H
#define CUPTI_NAMES_H

#include <stdint.h>

/* NULL: there is no such call in the version that we are. */
const char *cupti_name(int32_t domain, uint32_t cbid);

#endif

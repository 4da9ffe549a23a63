/* SPDX-License-Identifier: MIT */
/* The names of calls, as returned by cuptiGetCallbackName(). */
#ifndef CUPTI_NAMES_H
#define CUPTI_NAMES_H

#include <stdint.h>

/* NULL if the fake's version has no such call. */
const char *cupti_name(int32_t domain, uint32_t cbid);

#endif

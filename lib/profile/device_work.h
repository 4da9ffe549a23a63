/* SPDX-License-Identifier: MIT */
/* What a device's activities are, and what calls of its API are, by their
 * categories. */
#ifndef DEVICE_WORK_H
#define DEVICE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "trace/trace.h"

/* Is it a call of a device's API, which launches what its caller wants? */
bool device_work_is_api(const struct trace *trace, uint32_t site);

/* PROFILE_HOST: no work, but waiting, the tool's own overhead and so on. */
enum profile_kind device_work_kind(const struct trace *trace, uint32_t site);

#endif

/* SPDX-License-Identifier: MIT */
/* The kind of a device's activity, and whether a call is one of its API, by
 * their categories. */
#ifndef ACTIVITY_KIND_H
#define ACTIVITY_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "trace/trace.h"

/* Is it a call of a device's API, which launches what its caller wants? */
bool activity_kind_is_api(const struct trace *trace, uint32_t site);

/* PROFILE_HOST: no work, but waiting, the tool's own overhead and so on. */
enum profile_kind activity_kind_of(const struct trace *trace, uint32_t site);

#endif

/* SPDX-License-Identifier: MIT */
/* Did both sides of a comparison run on the same devices? */
#ifndef SIDES_DEVICES_H
#define SIDES_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/sides.h"

/* Are the devices of the first `base_count` profiles called the same as those
 * of the others? If not, that is said, as is a lack of memory. Those without a
 * name, or a side without any, are no hindrance. */
bool sides_devices_check(
	const struct sides_profiles *profiles, size_t base_count);

#endif

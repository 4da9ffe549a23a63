/* SPDX-License-Identifier: MIT */
/* Units of time, as other profilers write them. */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The unit as a power of ten of a nanosecond: 3 for "us" and "microseconds".
 * False, changing nothing, if it is not a unit of time.
 */
bool unit_power(const char *unit, size_t size, int *power);

/* The unit of a cost such as "ns", "Time_(10us)" or "cpu (nanoseconds)", in
 * nanoseconds; 0 if it is not a time. */
uint64_t unit_of_cost(const char *cost);

#endif

/* SPDX-License-Identifier: MIT */
/* Units of time as other profilers call them. */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The power of ten by which the unit is longer than a nanosecond: 3 of "us" and
 * of "microseconds". False, changing nothing, if it is no time.
 */
bool unit_power(const char *unit, size_t size, int *power);

/* That of a cost, in nanoseconds: "ns", or as in "Time_(10us)" and "cpu
 * (nanoseconds)"; 0 if it is no time. */
uint64_t unit_of_cost(const char *cost);

#endif

/* SPDX-License-Identifier: MIT */
/* Shares and times as text, by integer arithmetic: printf's %f would write a
 * comma in some locales. */
#ifndef AMOUNT_H
#define AMOUNT_H

#include <stdint.h>

#define AMOUNT_WHOLE 10000u /* 100 % */
#define AMOUNT_TEXT 32      /* room for any of these texts */

/*
 * part / whole, at most AMOUNT_WHOLE; AMOUNT_WHOLE if `whole` is 0, so that
 * every share passes a limit in a profile without any time.
 *
 * Units: hundredths of a percent, rounded to the nearest.
 */
uint32_t amount_share(uint64_t part, uint64_t whole);

/* Writes hundredths as "12.34"; returns `text`. */
const char *amount_hundredths(char text[AMOUNT_TEXT], uint64_t hundredths);

/* Writes nanoseconds as seconds with all digits: "1.000000002"; returns
 * `text`. */
const char *amount_seconds(char text[AMOUNT_TEXT], uint64_t time_ns);

#endif

/* SPDX-License-Identifier: MIT */
/* Parses and prints sizes, times, shares and counts. Integer arithmetic only,
 * so that the locale has no effect. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#define QUANTITY_TEXT 96 /* room for any of these texts */

/* Each reads the whole text; false, changing nothing, if it is invalid. */

/* "65536", "64K", "64KiB", "2M", "1G". Units: bytes; powers of 1024. */
bool quantity_read_size(const char *text, uint64_t *bytes);

/* "1500", "1500ns", "1.5us", "20ms", "3s". Units: nanoseconds. */
bool quantity_read_time(const char *text, uint64_t *time_ns);

/* "0.5%", up to 100 %. Units: parts per million. */
bool quantity_read_share(const char *text, uint32_t *ppm);

/* "150%": allowed growth, up to 4294 times. Units: parts per million. */
bool quantity_read_growth(const char *text, uint32_t *ppm);

/* A number from 1 to UINT32_MAX. */
bool quantity_read_count(const char *text, uint32_t *count);

/* Printed values are rounded to nearest. */

/* "999 B", "1.2 MB"; powers of 1000. Returns `text`. */
const char *quantity_bytes(char text[QUANTITY_TEXT], uint64_t bytes);

/* The same of a signed number. Returns `text`. */
const char *quantity_signed_bytes(char text[QUANTITY_TEXT], int64_t bytes);

/* "850 ns", "3.4 s". Returns `text`. */
const char *quantity_time(char text[QUANTITY_TEXT], uint64_t time_ns);

/* "2026-01-31 23:59:59.000000001 UTC", independent of the time zone. Units:
 * nanoseconds since 1970. Returns `text`, or "unknown" if there is no such
 * date. */
const char *quantity_date(char text[QUANTITY_TEXT], int64_t realtime_ns);

/* sum / count, rounded to nearest; 0 if count is 0. */
uint64_t quantity_mean(uint64_t sum, uint64_t count);

/* A time in units of `unit_ns`, with up to three decimals, as many as are
 * significant: "1.250". Returns `text`. */
const char *quantity_in(
	char text[QUANTITY_TEXT], uint64_t time_ns, uint64_t unit_ns);

#endif

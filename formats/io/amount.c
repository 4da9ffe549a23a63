/* SPDX-License-Identifier: MIT */
#include "io/amount.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t amount_share(uint64_t part, uint64_t whole)
{
	if (part >= whole)
		return AMOUNT_WHOLE;
	while (whole > UINT64_MAX / (2 * AMOUNT_WHOLE)) {
		part /= 2;
		whole /= 2;
	}
	return (uint32_t)((part * AMOUNT_WHOLE + whole / 2) / whole);
}

const char *amount_hundredths(char text[AMOUNT_TEXT], uint64_t hundredths)
{
	(void)snprintf(text, AMOUNT_TEXT, "%" PRIu64 ".%02" PRIu64,
		hundredths / 100, hundredths % 100);
	return text;
}

const char *amount_seconds(char text[AMOUNT_TEXT], uint64_t time_ns)
{
	(void)snprintf(text, AMOUNT_TEXT, "%" PRIu64 ".%09" PRIu64,
		time_ns / 1000000000, time_ns % 1000000000);
	return text;
}

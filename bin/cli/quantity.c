/* SPDX-License-Identifier: MIT */
#include "cli/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define BILLION UINT64_C(1000000000)

struct unit {
	const char *name;
	uint64_t size;
};

static const struct unit times[] = {
	{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", BILLION}, {NULL, 0}};

static const struct unit sizes[] = {{"B", 1}, {"kB", 1000}, {"MB", 1000000},
	{"GB", BILLION}, {"TB", 1000 * BILLION}, {NULL, 0}};

/* Digits; false if there are none or too many. */
static bool read_digits(const char **at, uint64_t *out)
{
	const char *start = *at;
	uint64_t value = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++) {
		uint64_t digit = (uint64_t)(**at - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return *at != start;
}

/* "12.345": the whole part and billionths. */
static bool read_decimal(const char **at, uint64_t *whole, uint64_t *part)
{
	uint64_t unit = BILLION;

	*part = 0;
	if (!read_digits(at, whole))
		return false;
	if (**at != '.')
		return true;
	for ((*at)++; **at >= '0' && **at <= '9'; (*at)++) {
		unit /= 10;
		*part += unit * (uint64_t)(**at - '0');
	}
	return true;
}

/* whole.part × scale; false if it does not fit. `scale` is at most 10⁹. */
static bool scale_up(
	uint64_t whole, uint64_t part, uint64_t scale, uint64_t *out)
{
	uint64_t fraction = part * scale / BILLION;

	if (whole > (UINT64_MAX - fraction) / scale)
		return false;
	*out = whole * scale + fraction;
	return true;
}

bool quantity_read_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	uint64_t number;
	unsigned shift = 0;

	if (!read_digits(&text, &number))
		return false;
	for (unsigned i = 0; units[i] != '\0' && shift == 0; i++)
		if (*text == units[i] || *text == units[i] - 'A' + 'a')
			shift = 10 * (i + 1);
	if (shift != 0)
		text++;
	if (*text != '\0' && strcasecmp(text, "B") != 0 &&
		(shift == 0 || strcasecmp(text, "iB") != 0))
		return false;
	if (number > UINT64_MAX >> shift)
		return false;
	*bytes = number << shift;
	return true;
}

bool quantity_read_time(const char *text, uint64_t *time_ns)
{
	uint64_t whole;
	uint64_t part;

	if (!read_decimal(&text, &whole, &part))
		return false;
	if (*text == '\0')
		text = "ns";
	for (const struct unit *unit = times; unit->name != NULL; unit++)
		if (strcmp(text, unit->name) == 0)
			return scale_up(whole, part, unit->size, time_ns);
	return false;
}

static bool read_percent(const char *text, uint32_t most_ppm, uint32_t *ppm)
{
	uint64_t whole;
	uint64_t part;
	uint64_t value;

	if (!read_decimal(&text, &whole, &part) || strcmp(text, "%") != 0 ||
		!scale_up(whole, part, 10000, &value) || value > most_ppm)
		return false;
	*ppm = (uint32_t)value;
	return true;
}

bool quantity_read_share(const char *text, uint32_t *ppm)
{
	return read_percent(text, 1000000, ppm);
}

bool quantity_read_growth(const char *text, uint32_t *ppm)
{
	return read_percent(text, UINT32_MAX, ppm);
}

bool quantity_read_count(const char *text, uint32_t *count)
{
	uint64_t value;

	if (!read_digits(&text, &value) || *text != '\0' || value == 0 ||
		value > UINT32_MAX)
		return false;
	*count = (uint32_t)value;
	return true;
}

/* Number of steps, rounded to nearest, half up. */
static uint64_t divide_rounded(uint64_t value, uint64_t step)
{
	return value / step + (value % step >= step - step / 2);
}

/* The largest unit that the value reaches when rounded to one decimal. */
static const char *format_human(
	char text[QUANTITY_TEXT], uint64_t value, const struct unit *units)
{
	uint64_t tenths;

	/* A value within half a tenth of the next unit rounds up to it. */
	while (units[1].name != NULL &&
		value >= units[1].size -
				 (units->size == 1 ? 0 : units->size / 20))
		units++;
	if (units->size == 1) {
		(void)snprintf(text, QUANTITY_TEXT, "%" PRIu64 " %s", value,
			units->name);
		return text;
	}
	tenths = divide_rounded(value, units->size / 10);
	(void)snprintf(text, QUANTITY_TEXT, "%" PRIu64 ".%" PRIu64 " %s",
		tenths / 10, tenths % 10, units->name);
	return text;
}

const char *quantity_bytes(char text[QUANTITY_TEXT], uint64_t bytes)
{
	return format_human(text, bytes, sizes);
}

const char *quantity_signed_bytes(char text[QUANTITY_TEXT], int64_t bytes)
{
	char size[QUANTITY_TEXT];

	if (bytes >= 0)
		return quantity_bytes(text, (uint64_t)bytes);
	(void)snprintf(text, QUANTITY_TEXT, "-%.*s", QUANTITY_TEXT - 2,
		quantity_bytes(size, -(uint64_t)bytes));
	return text;
}

const char *quantity_time(char text[QUANTITY_TEXT], uint64_t time_ns)
{
	return format_human(text, time_ns, times);
}

const char *quantity_date(char text[QUANTITY_TEXT], int64_t realtime_ns)
{
	const int64_t second = (int64_t)BILLION;
	int64_t part = realtime_ns % second;
	time_t seconds = realtime_ns / second;
	struct tm date;

	if (part < 0) {
		part += second;
		seconds--;
	}
	if (gmtime_r(&seconds, &date) == NULL)
		return "unknown";
	(void)snprintf(text, QUANTITY_TEXT,
		"%d-%02d-%02d %02d:%02d:%02d.%09" PRId64 " UTC",
		date.tm_year + 1900, date.tm_mon + 1, date.tm_mday,
		date.tm_hour, date.tm_min, date.tm_sec, part);
	return text;
}

uint64_t quantity_mean(uint64_t sum, uint64_t count)
{
	return count == 0 ? 0 : divide_rounded(sum, count);
}

const char *quantity_in(
	char text[QUANTITY_TEXT], uint64_t time_ns, uint64_t unit_ns)
{
	uint64_t thousandths;

	if (unit_ns < 1000) {
		(void)snprintf(text, QUANTITY_TEXT, "%" PRIu64,
			divide_rounded(time_ns, unit_ns));
		return text;
	}
	thousandths = divide_rounded(time_ns, unit_ns / 1000);
	(void)snprintf(text, QUANTITY_TEXT, "%" PRIu64 ".%03" PRIu64,
		thousandths / 1000, thousandths % 1000);
	return text;
}

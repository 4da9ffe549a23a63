/* SPDX-License-Identifier: MIT */
#include "csv_field.h"

#include <stdbool.h>
#include <string.h>

#include "utf8.h"

static bool needs_quotes(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\r' ||
			bytes[i] == '\n')
			return true;
	return false;
}

/* A quote within quotes is two. */
static void put(FILE *out, const char *bytes, size_t size, bool quoted)
{
	const char *quote;

	while (quoted && (quote = memchr(bytes, '"', size)) != NULL) {
		size_t used = (size_t)(quote - bytes) + 1;

		(void)fwrite(bytes, 1, used, out);
		(void)putc('"', out);
		bytes += used;
		size -= used;
	}
	(void)fwrite(bytes, 1, size, out);
}

/* Text without zero bytes. */
static uint64_t put_valid(
	FILE *out, const char *bytes, size_t size, bool quoted)
{
	uint64_t replaced = 0;

	for (;;) {
		size_t used = utf8_valid_prefix(bytes, size);

		put(out, bytes, used, quoted);
		bytes += used;
		size -= used;
		if (size == 0)
			return replaced;
		(void)fputs(UTF8_REPLACEMENT, out);
		replaced++;
		used = utf8_invalid_size(bytes, size);
		bytes += used;
		size -= used;
	}
}

uint64_t csv_field(FILE *out, const char *bytes, size_t size)
{
	bool quoted = needs_quotes(bytes, size);
	uint64_t replaced = 0;
	const char *zero;

	if (quoted)
		(void)putc('"', out);
	while (size > 0 && (zero = memchr(bytes, '\0', size)) != NULL) {
		size_t used = (size_t)(zero - bytes);

		replaced += put_valid(out, bytes, used, quoted) + 1;
		(void)fputs(UTF8_REPLACEMENT, out);
		bytes += used + 1;
		size -= used + 1;
	}
	if (size > 0)
		replaced += put_valid(out, bytes, size, quoted);
	if (quoted)
		(void)putc('"', out);
	return replaced;
}

/* SPDX-License-Identifier: MIT */
#include "io/csv_field.h"

#include <string.h>

#include "base/utf8.h"

static bool needs_quotes(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\r' ||
			bytes[i] == '\n')
			return true;
	return false;
}

/* A quote within quotes is doubled. */
static void write_text(FILE *out, const char *bytes, size_t size, bool quoted)
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

static uint64_t write_raw(
	FILE *out, const char *bytes, size_t size, bool quoted)
{
	uint64_t replaced = 0;

	while (size > 0) {
		size_t used = utf8_valid_prefix(bytes, strnlen(bytes, size));

		write_text(out, bytes, used, quoted);
		bytes += used;
		size -= used;
		if (size == 0)
			break;
		(void)fputs(UTF8_REPLACEMENT, out);
		replaced++;
		used = *bytes == '\0' ? 1 : utf8_invalid_size(bytes, size);
		bytes += used;
		size -= used;
	}
	return replaced;
}

/* A spreadsheet may ignore leading blanks. */
static bool is_formula(const char *bytes, size_t size)
{
	while (size > 0 && *bytes == ' ') {
		bytes++;
		size--;
	}
	return size > 0 && *bytes > 0 && *bytes <= '@' &&
	       strchr("=+-@\t\r\n", *bytes) != NULL;
}

static uint64_t write_safe(
	FILE *out, const char *bytes, size_t size, bool quoted)
{
	char escape[UTF8_ESCAPE_TEXT];
	uint64_t replaced = 0;

	if (is_formula(bytes, size))
		(void)putc('\'', out);
	while (size > 0) {
		size_t used = utf8_safe_prefix(bytes, size);

		write_text(out, bytes, used, quoted);
		if (used < size) {
			used += utf8_escape(escape, bytes + used, size - used);
			(void)fputs(escape, out);
			replaced += escape[1] == 'x';
		}
		bytes += used;
		size -= used;
	}
	return replaced;
}

uint64_t csv_field(FILE *out, const char *bytes, size_t size, bool raw)
{
	bool quoted = needs_quotes(bytes, size);
	uint64_t replaced;

	if (size == 0)
		return 0;
	if (quoted)
		(void)putc('"', out);
	replaced = raw ? write_raw(out, bytes, size, quoted)
		       : write_safe(out, bytes, size, quoted);
	if (quoted)
		(void)putc('"', out);
	return replaced;
}

/* SPDX-License-Identifier: MIT */
#include "io/xml.h"

#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"

void xml_put(FILE *out, const void *text, size_t size)
{
	const char *bytes = text;

	for (size_t i = 0; i < size; i++)
		switch (bytes[i]) {
		case '&':
			(void)fputs("&amp;", out);
			break;
		case '<':
			(void)fputs("&lt;", out);
			break;
		case '>':
			(void)fputs("&gt;", out);
			break;
		case '"':
			(void)fputs("&quot;", out);
			break;
		default:
			(void)putc(bytes[i], out);
		}
}

bool xml_put_line(FILE *out, const char *text, size_t size)
{
	struct buffer line = BUFFER_INIT;
	bool ok;

	utf8_add_printable(&line, text, size);
	ok = !line.failed;
	if (ok)
		xml_put(out, line.bytes, line.used);
	buffer_clear(&line);
	return ok;
}

size_t xml_json_extra(const char *at, size_t left)
{
	bool ends =
		(left >= 2 && at[0] == '<' && (at[1] == '/' || at[1] == '!')) ||
		(left >= 3 && memcmp(at, "]]>", 3) == 0);

	return ends ? strlen("\\u003c") - 1 : 0;
}

void xml_put_json(FILE *out, const char *json, size_t size)
{
	size_t from = 0;

	for (size_t i = 0; i < size; i++) {
		if (xml_json_extra(json + i, size - i) == 0)
			continue;
		(void)fwrite(json + from, 1, i - from, out);
		(void)fprintf(out, "\\u%04x", (unsigned)json[i]);
		from = i + 1;
	}
	(void)fwrite(json + from, 1, size - from, out);
}

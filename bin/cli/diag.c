/* SPDX-License-Identifier: MIT */
/* A line is written with one system call, so that lines of parallel processes
 * do not mix. */
#include "cli/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "base/utf8.h"

static _Thread_local struct buffer *collected; /* NULL: prints */

struct buffer *diag_collect(struct buffer *lines)
{
	struct buffer *before = collected;

	collected = lines;
	return before;
}

/* False if the line must be printed. */
static bool collect_line(const struct buffer *line)
{
	size_t before = collected == NULL ? 0 : collected->used;

	if (collected == NULL)
		return false;
	buffer_add(collected, line->bytes, line->used);
	return collected->used > before;
}

void diag_print_lines(struct buffer *lines)
{
	if (lines->used > 0 && !collect_line(lines))
		(void)fwrite(lines->bytes, 1, lines->used, stderr);
	buffer_clear(lines);
}

/* Prints plain ASCII without allocating, so that an exceeded memory limit can
 * still be reported. */
static void diag_plainly(char *text)
{
	for (char *at = text; *at != '\0'; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	(void)fprintf(stderr, "ctprof: %s\n", text);
}

void diag(const char *format, ...)
{
	struct buffer line = BUFFER_INIT;
	char *text = NULL;
	va_list args;
	int size;

	va_start(args, format);
	size = vasprintf(&text, format, args);
	va_end(args);
	if (size < 0)
		return; /* no memory even for the message: only the status
			 * reports it */
	buffer_add_text(&line, "ctprof: ");
	utf8_add_printable(&line, text, (size_t)size);
	buffer_add_byte(&line, '\n');
	if (line.failed)
		diag_plainly(text);
	else if (!collect_line(&line))
		(void)fwrite(line.bytes, 1, line.used, stderr);
	buffer_clear(&line);
	free(text);
}

int diag_no_memory(const char *name)
{
	const char *colon = name == NULL ? "" : ": ";
	char limit[QUANTITY_TEXT];

	if (name == NULL)
		name = "";
	if (memory_was_refused())
		diag("%s%sneeds more than the limit of %s of memory%s; "
		     "--max-mem=SIZE sets another",
			name, colon, quantity_bytes(limit, memory_limit()),
			memory_limit_is_by_size() ? " for inputs of this size"
						  : "");
	else
		diag("%s%sout of memory", name, colon);
	return EXIT_LIMIT;
}

void diag_error(const char *name, const struct ctp_error *err)
{
	const char *colon = name == NULL ? "" : ": ";

	if (err->status == CTP_ERR_NOMEM && memory_was_refused()) {
		diag_no_memory(name);
		return;
	}
	if (name == NULL)
		name = "";
	if (err->offset == ERROR_NO_OFFSET)
		diag("%s%s%s", name, colon, err->message);
	else
		diag("%s%sbyte %" PRIu64 ": %s", name, colon, err->offset,
			err->message);
}

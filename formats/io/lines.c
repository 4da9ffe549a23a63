/* SPDX-License-Identifier: MIT */
#include "io/lines.h"

#include <string.h>

#define READ_BYTES ((size_t)64 << 10)

bool lines_init(
	struct lines *lines, FILE *in, const void *head, size_t head_size)
{
	*lines = (struct lines){.in = in, .bytes = BUFFER_INIT};
	buffer_add(&lines->bytes, head, head_size);
	return !lines->bytes.failed;
}

void lines_clear(struct lines *lines)
{
	buffer_clear(&lines->bytes);
}

uint64_t lines_position(const struct lines *lines)
{
	return lines->base + lines->at;
}

/* Reads more after the current partial line, which moves to the front. */
static enum ctp_status fill(struct lines *lines, struct ctp_error *err)
{
	struct buffer *bytes = &lines->bytes;
	size_t begun = bytes->used - lines->at;
	size_t more = begun < READ_BYTES ? READ_BYTES : begun;
	size_t got;

	if (begun >= LINES_BYTES_MAX)
		return ctp_fail_at(err, CTP_ERR_LIMIT, lines_position(lines),
			"a line is longer than %zu bytes", LINES_BYTES_MAX);
	if (lines->at > 0)
		memmove(bytes->bytes, bytes->bytes + lines->at, begun);
	lines->base += lines->at;
	lines->at = 0;
	bytes->used = begun;
	/* One more byte for the last line's zero byte. */
	if (!buffer_reserve(bytes, more + 1))
		return ctp_no_memory(err);
	got = fread(bytes->bytes + begun, 1, more, lines->in);
	bytes->used += got;
	lines->at_eof = got == 0;
	if (got == 0 && ferror(lines->in))
		return ctp_fail_at(
			err, CTP_ERR_IO, lines->base + begun, "cannot be read");
	return CTP_OK;
}

/* Finds the line's end, reading more as needed; NULL if the input ends
 * first. */
static enum ctp_status find_end(
	struct lines *lines, uint8_t **end, struct ctp_error *err)
{
	size_t seen = 0;

	for (;;) {
		const struct buffer *bytes = &lines->bytes;
		size_t left = bytes->used - lines->at;
		enum ctp_status status;

		*end = left == seen ? NULL
				    : memchr(bytes->bytes + lines->at + seen,
					      '\n', left - seen);
		if (*end != NULL || lines->at_eof)
			return CTP_OK;
		seen = left;
		status = fill(lines, err);
		if (status != CTP_OK)
			return status;
	}
}

enum ctp_status lines_next(
	struct lines *lines, struct line *line, struct ctp_error *err)
{
	uint8_t *end;
	enum ctp_status status = find_end(lines, &end, err);
	struct buffer *bytes = &lines->bytes;
	const char *zero;

	if (status != CTP_OK)
		return status;
	line->ended = end != NULL;
	if (!line->ended && lines->at == bytes->used)
		return CTP_END;
	line->text = (char *)bytes->bytes + lines->at;
	line->at = lines_position(lines);
	if (!line->ended)
		end = bytes->bytes + bytes->used;
	line->size = (size_t)((char *)end - line->text);
	zero = memchr(line->text, '\0', line->size);
	if (zero != NULL)
		return ctp_fail_at(err, CTP_ERR_FORMAT,
			line->at + (size_t)(zero - line->text),
			"is not text: it contains a zero byte");
	lines->at += line->size + line->ended;
	if (line->size > 0 && line->text[line->size - 1] == '\r')
		line->size--;
	line->text[line->size] = '\0';
	return CTP_OK;
}

char *lines_trim(char *text)
{
	size_t size;

	text += strspn(text, " \t");
	size = strlen(text);
	while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
		size--;
	text[size] = '\0';
	return text;
}

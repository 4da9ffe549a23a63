/* SPDX-License-Identifier: MIT */
/* Source: The Unicode Standard, sections 3.9 (encoding forms) and 23.8 (byte
 * order mark). */
#include "io/utf16_file.h"

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/memory.h"

#define READ_BYTES ((size_t)64 << 10)
#define MARK_BYTES 2
#define REPLACEMENT 0xfffdu

struct utf16_file {
	FILE *in;
	struct buffer head; /* to be converted before `in` */
	bool is_big;        /* the high byte comes first */
	bool at_end;
	bool has_byte; /* half of a unit */
	uint8_t byte;
	uint32_t high; /* surrogate that waits for its other half; 0: none */
	struct buffer text;
	size_t text_at; /* returned up to here */
};

bool utf16_file_probe(const void *head, size_t size)
{
	return size >= MARK_BYTES && (memcmp(head, "\xff\xfe", 2) == 0 ||
					     memcmp(head, "\xfe\xff", 2) == 0);
}

static void add_character(struct buffer *text, uint32_t character)
{
	static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
	unsigned size = character < 0x80      ? 1
			: character < 0x800   ? 2
			: character < 0x10000 ? 3
					      : 4;

	for (unsigned i = 0; i < size; i++) {
		unsigned bits = character >> 6 * (size - 1 - i);

		buffer_add_byte(text, (uint8_t)(i == 0 ? marks[size] | bits
						       : 0x80 | (bits & 0x3f)));
	}
}

static void add_unit(struct utf16_file *file, uint32_t unit)
{
	bool is_low = unit >= 0xdc00 && unit < 0xe000;
	uint32_t high = file->high;

	file->high = 0;
	if (high != 0 && is_low) {
		add_character(&file->text,
			0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
		return;
	}
	if (high != 0)
		add_character(&file->text, REPLACEMENT);
	if (unit >= 0xd800 && unit < 0xdc00)
		file->high = unit;
	else
		add_character(&file->text, is_low ? REPLACEMENT : unit);
}

static void add_bytes(
	struct utf16_file *file, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint32_t first = file->byte;

		file->has_byte = !file->has_byte;
		if (file->has_byte)
			file->byte = bytes[i];
		else
			add_unit(file,
				file->is_big ? first << 8 | bytes[i]
					     : first | (uint32_t)bytes[i] << 8);
	}
}

static void add_end(struct utf16_file *file)
{
	file->at_end = true;
	if (file->high != 0 || file->has_byte)
		add_character(&file->text, REPLACEMENT);
}

/* Converts the next bytes; false at an error. */
static bool fill(struct utf16_file *file)
{
	uint8_t bytes[4096];
	size_t got;

	file->text.used = 0;
	file->text_at = 0;
	if (file->head.used > 0) {
		add_bytes(file, file->head.bytes, file->head.used);
		file->head.used = 0;
		return !file->text.failed;
	}
	got = fread(bytes, 1, sizeof(bytes), file->in);
	add_bytes(file, bytes, got);
	if (got == 0 && !ferror(file->in))
		add_end(file);
	return !file->text.failed && (got > 0 || !ferror(file->in));
}

static ssize_t read_text(void *cookie, char *bytes, size_t size)
{
	struct utf16_file *file = cookie;
	size_t left;

	while (file->text_at == file->text.used && !file->at_end)
		if (!fill(file))
			return -1;
	left = file->text.used - file->text_at;
	if (left > size)
		left = size;
	if (left > 0)
		memcpy(bytes, file->text.bytes + file->text_at, left);
	file->text_at += left;
	return (ssize_t)left;
}

static int close_file(void *cookie)
{
	struct utf16_file *file = cookie;

	buffer_clear(&file->head);
	buffer_clear(&file->text);
	memory_free(file);
	return 0;
}

enum ctp_status utf16_file_open(FILE **out, FILE *in, const void *head,
	size_t head_size, struct ctp_error *err)
{
	static const cookie_io_functions_t functions = {
		.read = read_text, .close = close_file};
	struct utf16_file *file = memory_new_zeroed(1, sizeof(*file));

	if (file == NULL)
		return ctp_no_memory(err);
	file->in = in;
	file->is_big = *(const uint8_t *)head == 0xfe;
	buffer_add(&file->head, (const uint8_t *)head + MARK_BYTES,
		head_size - MARK_BYTES);
	*out = file->head.failed ? NULL : fopencookie(file, "r", functions);
	if (*out != NULL && setvbuf(*out, NULL, _IOFBF, READ_BYTES) == 0)
		return CTP_OK;
	if (*out != NULL)
		(void)fclose(*out);
	else
		(void)close_file(file);
	*out = NULL;
	return ctp_no_memory(err);
}

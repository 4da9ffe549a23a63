/* SPDX-License-Identifier: MIT */
#include "input_file.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "io/known_formats.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "transform/op_names.h"
#include "compilers/build_details.h"
#include "base/buffer.h"
#include "base/error.h"

/* ---- UTF-16 ---- */

/* Source: The Unicode Standard, sections 3.9 (encoding forms) and 23.8 (byte
 * order mark). */

/*
 * Opens the stream. `head` has the first bytes, already read from `in`.
 * Surrogates without their other half, and half a character at the end, become
 * U+FFFD.
 *
 * Errors: CTP_ERR_NOMEM. A read error of `in` is one of the stream.
 * Ownership: `in` is borrowed until the stream's fclose(), `head` only for this
 * call.
 */
enum ctp_status utf16_file_open(FILE **out, FILE *in, const void *head,
	size_t head_size, struct ctp_error *err);

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

/* Does a file begin with UTF-16's byte order mark? */
static bool utf16_file_probe(const void *head, size_t size)
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

static int close_text(void *cookie)
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
		.read = read_text, .close = close_text};
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
		(void)close_text(file);
	*out = NULL;
	return ctp_no_memory(err);
}

/* ---- Files ---- */

/* The file that input_file_peek() has opened and that cannot be opened again. */
static struct {
	pthread_mutex_t lock;
	const char *path; /* borrowed until the file is opened */
	FILE *file;       /* NULL: none */
	uint8_t head[INPUT_FILE_HEAD_BYTES];
	size_t head_size;
} peeked = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* False if another file, or none, was peeked at. */
static bool take_peeked(struct input_file *input, const char *path)
{
	bool is_there;

	(void)pthread_mutex_lock(&peeked.lock);
	is_there = peeked.file != NULL && strcmp(path, peeked.path) == 0;
	if (is_there) {
		input->file = peeked.file;
		input->head_size = peeked.head_size;
		memcpy(input->head, peeked.head, peeked.head_size);
		peeked.file = NULL;
	}
	(void)pthread_mutex_unlock(&peeked.lock);
	return is_there;
}

static void keep_peeked(const struct input_file *input, const char *path)
{
	(void)pthread_mutex_lock(&peeked.lock);
	if (peeked.file != NULL && peeked.file != stdin)
		(void)fclose(peeked.file);
	peeked.path = path;
	peeked.file = input->file;
	peeked.head_size = input->head_size;
	memcpy(peeked.head, input->head, input->head_size);
	(void)pthread_mutex_unlock(&peeked.lock);
}

/* Not through the stream, which would read ahead: the decompressor reads the
 * rest from the descriptor. */
static enum ctp_status read_head(
	struct input_file *input, struct ctp_error *err)
{
	int fd = fileno(input->file);
	ssize_t got = 1;

	input->head_size = 0;
	while (got > 0 && input->head_size < sizeof(input->head)) {
		got = read(fd, input->head + input->head_size,
			sizeof(input->head) - input->head_size);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			input->head_size += (size_t)got;
	}
	if (got < 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot read");
	return CTP_OK;
}

static enum ctp_status open_file(
	struct input_file *input, const char *path, struct ctp_error *err)
{
	bool was_peeked = take_peeked(input, path);
	struct stat found;

	if (!was_peeked)
		input->file =
			strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (input->file == NULL)
		return ctp_fail(err, CTP_ERR_IO, "cannot open");
	if (fstat(fileno(input->file), &found) == 0 && S_ISREG(found.st_mode))
		input->size_bytes = (uint64_t)found.st_size;
	else
		pipe_widen(fileno(input->file));
	memory_expect(input->size_bytes > 0 ? input->size_bytes : UINT64_MAX);
	return was_peeked ? CTP_OK : read_head(input, err);
}

/* Our own log and summary are gzip'd too, but their readers decompress them. */
static bool is_packed(const struct input_file *input, const struct format *from)
{
	if (!inflate_file_probe(input->head, input->head_size))
		return false;
	if (from == NULL)
		from = format_probe(input->head, input->head_size);
	return from != &log_format && from != &ctpart_format;
}

/* Replaces the file by its decompressed contents. */
static enum ctp_status unpack(struct input_file *input, struct ctp_error *err)
{
	enum ctp_status status = inflate_file_open(&input->inflate,
		fileno(input->file), input->head, input->head_size, err);

	if (status != CTP_OK)
		return status;
	input->packed = input->file;
	input->file = inflate_file_stream(input->inflate);
	input->head_size =
		fread(input->head, 1, sizeof(input->head), input->file);
	if (ferror(input->file))
		return ctp_fail(err, CTP_ERR_IO, "cannot read");
	return CTP_OK;
}

/* Replaces a text in UTF-16 by the same in UTF-8. Positions in it are those of
 * UTF-8. */
static enum ctp_status narrow(struct input_file *input, struct ctp_error *err)
{
	FILE *wide = input->file;
	enum ctp_status status;

	if (!utf16_file_probe(input->head, input->head_size))
		return CTP_OK;
	status = utf16_file_open(
		&input->file, wide, input->head, input->head_size, err);
	if (status != CTP_OK) {
		input->file = wide;
		return status;
	}
	input->wide = wide;
	input->head_size =
		fread(input->head, 1, sizeof(input->head), input->file);
	if (ferror(input->file))
		return ctp_fail(err, CTP_ERR_IO, "cannot read");
	return CTP_OK;
}

/* No reader accepts an empty file. */
static enum ctp_status refuse_empty(
	const struct input_file *input, struct ctp_error *err)
{
	struct inflate_facts facts;

	if (input->head_size > 0)
		return CTP_OK;
	if (input->inflate == NULL)
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is empty: the recording may still be running; if its "
			"program was killed, use 'ctprof repair'");
	facts = inflate_file_facts(input->inflate);
	if (facts.damage != NULL)
		return ctp_fail_at(err, CTP_ERR_FORMAT, facts.damage_at, "%s",
			facts.damage);
	return ctp_fail(err, CTP_ERR_FORMAT, "is an empty file, gzip'd");
}

/* Something we write but do not read deserves a better message. */
static enum ctp_status refuse_unknown(
	const struct input_file *input, struct ctp_error *err)
{
	const char *advice =
		known_formats_advice(input->head, input->head_size);
	size_t blank = 0;

	while (blank < input->head_size &&
		strchr(" \t\r\n", input->head[blank]) != NULL &&
		input->head[blank] != '\0')
		blank++;
	if (blank == input->head_size)
		advice = "contains only white space";
	for (const struct format *const *at = formats; *at != NULL; at++)
		if ((*at)->probe != NULL && !format_can_read(*at) &&
			(*at)->probe(input->head, input->head_size) != 0)
			return ctp_fail(err, CTP_ERR_FORMAT,
				"is a %s file, a write-only format; see "
				"'ctprof formats'",
				(*at)->name);
	return ctp_fail(err, CTP_ERR_FORMAT, "%s",
		advice != NULL ? advice
			       : "unknown format; see 'ctprof formats'");
}

/* In logs and databases of NVIDIA's profilers, NVTX gives PyTorch's operators
 * names that contain arguments. */
static enum ctp_status split_names(
	struct input_file *input, struct ctp_error *err)
{
	static const char *const with_nvtx[] = {"log", "nsys", "nvprof"};
	enum ctp_status status = CTP_OK;

	for (size_t i = 0; i < sizeof(with_nvtx) / sizeof(*with_nvtx); i++)
		if (strcmp(input->format->name, with_nvtx[i]) == 0)
			status = op_names_open(
				input->source, &input->source, err);
	if (status != CTP_OK)
		input->source->close(input->source);
	return status;
}

static enum ctp_status open_source(struct input_file *input,
	const struct format *from, const struct read_request *request,
	struct ctp_error *err)
{
	enum ctp_status status = narrow(input, err);

	if (status == CTP_OK)
		status = refuse_empty(input, err);
	if (status != CTP_OK)
		return status;
	input->format = from;
	if (from == NULL)
		input->format = format_probe(input->head, input->head_size);
	if (input->format == NULL)
		return refuse_unknown(input, err);
	if (!format_can_read(input->format))
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"format %s is write-only", input->format->name);
	status = format_open(input->format, input->file, input->head,
		input->head_size, request, &input->source, err);
	if (status != CTP_OK)
		return status;
	if (input->source->format != NULL)
		input->format = format_find(input->source->format);
	return split_names(input, err);
}

static void close_file(struct input_file *input)
{
	FILE *file = input->file;

	if (input->wide != NULL) {
		(void)fclose(file);
		file = input->wide;
	}
	if (input->packed != NULL)
		file = input->packed;
	inflate_file_close(input->inflate);
	if (file != NULL && file != stdin)
		(void)fclose(file);
	input->file = NULL;
	input->packed = NULL;
	input->wide = NULL;
	input->inflate = NULL;
}

static enum ctp_status open_packed(struct input_file *input,
	const struct format *from, const struct read_request *request,
	struct ctp_error *err)
{
	enum ctp_status status = unpack(input, err);

	if (status == CTP_OK)
		status = open_source(input, from, request, err);
	if (status != CTP_OK)
		return status;
	status = inflate_file_source_open(&input->source, input->inflate, err);
	if (status != CTP_OK)
		input->source->close(input->source);
	return status;
}

/* Where a profile is made from events, detailed names are made here only. */
static enum ctp_status add_details(
	struct input_file *input, struct ctp_error *err)
{
	enum ctp_status status = build_details_open(&input->source, err);

	if (status != CTP_OK)
		input->source->close(input->source);
	return status;
}

static void reset(struct input_file *input)
{
	input->file = NULL;
	input->packed = NULL;
	input->wide = NULL;
	input->inflate = NULL;
	input->source = NULL;
	input->size_bytes = 0;
}

enum ctp_status input_file_peek(
	const char *path, const struct format **format, struct ctp_error *err)
{
	struct input_file input;
	enum ctp_status status;
	struct stat found;

	reset(&input);
	status = open_file(&input, path, err);
	if (status == CTP_OK)
		*format = format_probe(input.head, input.head_size);
	if (status == CTP_OK &&
		(input.file == stdin ||
			fstat(fileno(input.file), &found) != 0 ||
			!S_ISREG(found.st_mode)))
		keep_peeked(&input, path);
	else
		close_file(&input);
	return status;
}

enum ctp_status input_file_open_bytes(
	struct input_file *input, const char *path, struct ctp_error *err)
{
	enum ctp_status status;

	reset(input);
	status = open_file(input, path, err);
	if (status == CTP_OK && is_packed(input, NULL))
		status = unpack(input, err);
	if (status == CTP_OK)
		input->format = format_probe(input->head, input->head_size);
	else
		close_file(input);
	return status;
}

void input_file_close_bytes(struct input_file *input)
{
	close_file(input);
}

enum ctp_status input_file_open(struct input_file *input, const char *path,
	const struct format *from, const struct read_request *request,
	struct ctp_error *err)
{
	enum ctp_status status;

	reset(input);
	status = open_file(input, path, err);
	if (status == CTP_OK)
		status = is_packed(input, from)
				 ? open_packed(input, from, request, err)
				 : open_source(input, from, request, err);
	if (status == CTP_OK && input->source->read_profile == NULL &&
		input->source->trace->request.detailed_names)
		status = add_details(input, err);
	if (status != CTP_OK)
		close_file(input);
	return status;
}

void input_file_close(struct input_file *input)
{
	input->source->close(input->source);
	close_file(input);
}

void input_file_replace(struct input_file *input, struct event_source *source)
{
	input_file_close(input);
	input->source = source;
}

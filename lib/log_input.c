/* SPDX-License-Identifier: MIT */
#include "log_input.h"

#include <stdlib.h>
#include <string.h>

#include "deflate.h"
#include "log.h"

#define READ_BYTES ((size_t)256 * 1024)
#define WASTE_MAX (UINT64_C(64) * 1024 * 1024)

struct log_input {
	FILE *file;
	struct trace *trace;
	struct inflater *inflater;
	uint8_t *bytes; /* what was read and not used, from `at` to `end` */
	size_t room;
	size_t at;
	size_t end;
	bool at_eof;
	uint64_t position; /* in the file, of `at` */
	uint64_t wasted;   /* bytes unpacked of members that were not sound */
	uint8_t *block;
	size_t block_room;
};

static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;

static bool reserve(uint8_t **bytes, size_t *room, size_t size)
{
	uint8_t *bigger;

	if (size <= *room)
		return true;
	bigger = realloc(*bytes, size);
	if (bigger == NULL)
		return false;
	*bytes = bigger;
	*room = size;
	return true;
}

struct log_input *log_input_new(
	FILE *file, const void *head, size_t size, struct trace *trace)
{
	struct log_input *input = calloc(1, sizeof(*input));

	if (input == NULL)
		return NULL;
	input->file = file;
	input->trace = trace;
	input->inflater = inflater_new();
	if (input->inflater == NULL ||
		!reserve(&input->bytes, &input->room, size + READ_BYTES)) {
		log_input_free(input);
		return NULL;
	}
	if (size > 0)
		memcpy(input->bytes, head, size);
	input->end = size;
	return input;
}

void log_input_free(struct log_input *input)
{
	if (input == NULL)
		return;
	inflater_free(input->inflater);
	free(input->bytes);
	free(input->block);
	free(input);
}

uint64_t log_input_position(const struct log_input *input)
{
	return input->position;
}

/* Sees to it that `size` bytes are there, if the file has them. */
static enum ctp_status fill(
	struct log_input *input, size_t size, struct ctp_error *err)
{
	/* Twice what is asked for, so that what is moved to the front each
	 * time is no more than what was read. */
	size_t want = size < READ_BYTES ? 2 * READ_BYTES : 2 * size;

	if (input->end - input->at >= size || input->at_eof)
		return CTP_OK;
	memmove(input->bytes, input->bytes + input->at, input->end - input->at);
	input->end -= input->at;
	input->at = 0;
	if (!reserve(&input->bytes, &input->room, want))
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	while (input->end < size && !input->at_eof) {
		size_t got = fread(input->bytes + input->end, 1,
			input->room - input->end, input->file);

		input->end += got;
		if (got == 0 && ferror(input->file))
			return ctp_fail(err, CTP_ERR_IO,
				input->position + input->end, "cannot read");
		input->at_eof = got == 0;
	}
	return CTP_OK;
}

static void take(struct log_input *input, size_t size)
{
	input->at += size;
	input->position += size;
}

/* Passes over bytes up to the next place that may be a member. */
static void skip(struct log_input *input)
{
	const uint8_t *from = input->bytes + input->at + 1;
	const uint8_t *end = input->bytes + input->end;
	const uint8_t *found = from >= end ? NULL
					   : memmem(from, (size_t)(end - from),
						     magic, sizeof(magic));
	size_t left = input->end - input->at;
	size_t size;

	if (found != NULL)
		size = (size_t)(found - (input->bytes + input->at));
	else if (input->at_eof || left <= sizeof(magic))
		size = input->at_eof ? left : 1;
	else /* its beginning may stand at the end */
		size = left - (sizeof(magic) - 1);
	input->trace->losses[LOSS_SKIPPED_BYTES] += size;
	take(input, size);
}

/*
 * Passes over a member of `size` bytes that is not sound. Its size may be what
 * is wrong, so what it covers is searched for members - unless the input has
 * been made to have us unpack the same bytes over and over.
 */
static void skip_unsound(struct log_input *input, size_t size)
{
	if (input->wasted > WASTE_MAX + 4 * input->position) {
		input->trace->losses[LOSS_SKIPPED_BYTES] += size;
		take(input, size);
	} else {
		skip(input);
	}
}

static uint32_t le32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* Unpacks the member of `size` bytes that begins here. */
static enum ctp_status unpack(struct log_input *input, size_t size, bool *sound,
	struct ctp_error *err)
{
	const uint8_t *member = input->bytes + input->at;
	const uint8_t *trailer = member + size - LOG_TRAILER_BYTES;
	uint32_t unpacked = le32(trailer + 4);

	*sound = false;
	/* Deflate packs to a 1032nd at best. */
	if (unpacked == 0 || unpacked > LOG_BLOCK_MAX || unpacked / 1040 > size)
		return CTP_OK;
	if (!reserve(&input->block, &input->block_room, unpacked))
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	*sound = inflater_unpack(input->inflater, member + LOG_HEADER_BYTES,
			 size - LOG_HEADER_BYTES - LOG_TRAILER_BYTES,
			 input->block, unpacked) &&
		 deflate_crc32(input->block, unpacked) == le32(trailer);
	if (!*sound)
		input->wasted += unpacked;
	return CTP_OK;
}

/* Is a member's fixed part here, with a size that can be? */
static bool member_size(const struct log_input *input, size_t *size)
{
	const uint8_t *at = input->bytes + input->at;

	if (input->end - input->at < LOG_HEADER_BYTES ||
		memcmp(at, magic, sizeof(magic)) != 0)
		return false;
	*size = le32(at + LOG_MAGIC_BYTES);
	return *size > LOG_HEADER_BYTES + LOG_TRAILER_BYTES &&
	       *size <= LOG_BLOCK_MAX;
}

enum ctp_status log_input_next(
	struct log_input *input, struct cursor *block, struct ctp_error *err)
{
	for (;;) {
		enum ctp_status status = fill(input, LOG_HEADER_BYTES, err);
		size_t size;
		bool sound;

		if (status != CTP_OK)
			return status;
		if (input->at == input->end)
			return CTP_END;
		if (!member_size(input, &size)) {
			skip(input);
			continue;
		}
		status = fill(input, size, err);
		if (status != CTP_OK)
			return status;
		if (input->end - input->at < size) {
			/* Cut off here, or its size is damaged: what follows
			 * may hold sound members. */
			input->trace->losses[LOSS_DAMAGED_BLOCKS]++;
			skip(input);
			continue;
		}
		status = unpack(input, size, &sound, err);
		if (status != CTP_OK)
			return status;
		if (!sound) {
			input->trace->losses[LOSS_DAMAGED_BLOCKS]++;
			skip_unsound(input, size);
			continue;
		}
		cursor_init(block, input->block,
			le32(input->bytes + input->at + size - 4));
		take(input, size);
		return CTP_OK;
	}
}

/* SPDX-License-Identifier: MIT */
#include "log_read/log_member.h"

#include <string.h>

#include "base/memory.h"

#define READ_BYTES ((size_t)32 * 1024)
#define WASTE_MAX (UINT64_C(64) * 1024 * 1024)

static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;

static uint32_t le32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

bool log_member_parse(const void *bytes, size_t size, struct log_member *member)
{
	const uint8_t *at = bytes;

	if (size < LOG_HEADER_BYTES || memcmp(at, magic, sizeof(magic)) != 0)
		return false;
	member->size = le32(at + LOG_MAGIC_BYTES);
	member->kind = at[LOG_MAGIC_BYTES + 4];
	return member->size > LOG_HEADER_BYTES + LOG_TRAILER_BYTES &&
	       member->size <= LOG_BLOCK_MAX;
}

bool log_member_may_begin(const void *bytes, size_t size)
{
	return memcmp(bytes, magic,
		       size < sizeof(magic) ? size : sizeof(magic)) == 0;
}

size_t log_member_search(const void *bytes, size_t size, bool at_end)
{
	const uint8_t *from = bytes;
	const uint8_t *found = NULL;

	if (size > 1)
		found = memmem(from + 1, size - 1, magic, sizeof(magic));
	if (found != NULL)
		return (size_t)(found - from);
	if (at_end)
		return size;
	/* The end may be the beginning of one. */
	return size <= sizeof(magic) ? 1 : size - (sizeof(magic) - 1);
}

bool log_unpacker_init(struct log_unpacker *unpacker)
{
	*unpacker = (struct log_unpacker){.inflater = inflater_new()};
	return unpacker->inflater != NULL;
}

void log_unpacker_clear(struct log_unpacker *unpacker)
{
	inflater_free(unpacker->inflater);
	memory_free(unpacker->block);
	*unpacker = (struct log_unpacker){0};
}

static bool make_block_room(struct log_unpacker *unpacker, size_t size)
{
	uint8_t *block;

	if (size <= unpacker->room)
		return true;
	block = memory_resize(unpacker->block, size);
	if (block == NULL)
		return false;
	unpacker->block = block;
	unpacker->room = size;
	return true;
}

enum ctp_status log_unpacker_unpack(struct log_unpacker *unpacker,
	struct cursor member, struct cursor *block, bool *sound,
	struct ctp_error *err)
{
	const uint8_t *trailer = member.at + member.left - LOG_TRAILER_BYTES;
	uint32_t unpacked = le32(trailer + 4);

	*sound = false;
	/* Deflate's best ratio is 1032. */
	if (unpacked == 0 || unpacked > LOG_BLOCK_MAX ||
		unpacked / 1040 > member.left)
		return CTP_OK;
	if (!make_block_room(unpacker, unpacked))
		return ctp_no_memory(err);
	*sound = inflater_unpack(unpacker->inflater,
			 member.at + LOG_HEADER_BYTES,
			 member.left - LOG_HEADER_BYTES - LOG_TRAILER_BYTES,
			 unpacker->block, unpacked) &&
		 deflate_crc32(unpacker->block, unpacked) == le32(trailer);
	if (*sound)
		cursor_init(block, unpacker->block, unpacked);
	else
		unpacker->wasted_bytes += member.left + unpacked;
	return CTP_OK;
}

bool log_unpacker_is_misled(
	const struct log_unpacker *unpacker, uint64_t read_bytes)
{
	return unpacker->wasted_bytes > WASTE_MAX + 4 * read_bytes;
}

struct log_input {
	FILE *file;
	uint64_t *losses;
	uint8_t *bytes; /* unused bytes from `at` to `end` */
	size_t room;
	size_t at;
	size_t end;
	bool at_eof;
	bool follow;
	uint64_t position; /* in the file, of `at` */
	struct log_unpacker unpacker;
};

static bool reserve(struct log_input *input, size_t size)
{
	uint8_t *bigger;

	if (size <= input->room)
		return true;
	bigger = memory_resize(input->bytes, size);
	if (bigger == NULL)
		return false;
	input->bytes = bigger;
	input->room = size;
	return true;
}

struct log_input *log_input_new(
	FILE *file, const void *head, size_t size, uint64_t *losses)
{
	struct log_input *input = memory_new_zeroed(1, sizeof(*input));

	if (input == NULL)
		return NULL;
	input->file = file;
	input->losses = losses;
	if (!log_unpacker_init(&input->unpacker) ||
		!reserve(input, size + READ_BYTES)) {
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
	log_unpacker_clear(&input->unpacker);
	memory_free(input->bytes);
	memory_free(input);
}

void log_input_follow(struct log_input *input, bool follow)
{
	input->follow = follow;
}

void log_input_move_losses(uint64_t *losses, struct trace *trace)
{
	static const enum trace_loss kinds[] = {
		LOSS_DAMAGED_BLOCKS, LOSS_SKIPPED_BYTES};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		trace->losses[kinds[i]] += losses[kinds[i]];
		losses[kinds[i]] = 0;
	}
}

uint64_t log_input_position(const struct log_input *input)
{
	return input->position;
}

/* Ensures that `size` bytes are available, if the file has them. */
static enum ctp_status fill(
	struct log_input *input, size_t size, struct ctp_error *err)
{
	/* Twice the requested size, so that not more bytes are moved to the
	 * front than were read. */
	size_t want = size < READ_BYTES ? 2 * READ_BYTES : 2 * size;

	if (input->end - input->at >= size || input->at_eof)
		return CTP_OK;
	memmove(input->bytes, input->bytes + input->at, input->end - input->at);
	input->end -= input->at;
	input->at = 0;
	if (!reserve(input, want))
		return ctp_no_memory(err);
	while (input->end < size && !input->at_eof) {
		size_t got = fread(input->bytes + input->end, 1,
			input->room - input->end, input->file);

		input->end += got;
		if (got == 0 && ferror(input->file))
			return ctp_fail_at(err, CTP_ERR_IO,
				input->position + input->end, "cannot read");
		input->at_eof = got == 0;
	}
	return CTP_OK;
}

static void advance(struct log_input *input, size_t size)
{
	input->at += size;
	input->position += size;
}

static void skip(struct log_input *input, size_t size)
{
	input->losses[LOSS_SKIPPED_BYTES] += size;
	advance(input, size);
}

/* Skips to the next possible member. */
static void skip_to_member(struct log_input *input)
{
	skip(input, log_member_search(input->bytes + input->at,
			    input->end - input->at,
			    input->at_eof && !input->follow));
}

/* Whether the rest may be a member that is still being written; no other can
 * begin in it then. */
static bool is_unfinished(const struct log_input *input)
{
	const uint8_t *rest = input->bytes + input->at;
	size_t size = input->end - input->at;

	return input->follow && input->at_eof &&
	       log_member_may_begin(rest, size) &&
	       log_member_search(rest, size, true) == size;
}

enum ctp_status log_input_next(
	struct log_input *input, struct cursor *block, struct ctp_error *err)
{
	if (input->follow) {
		input->at_eof = false;
		clearerr(input->file);
	}
	for (;;) {
		enum ctp_status status = fill(input, LOG_HEADER_BYTES, err);
		struct log_member member;
		struct cursor bytes;
		bool sound;

		if (status != CTP_OK)
			return status;
		if (input->at == input->end)
			return CTP_END;
		if (!log_member_parse(input->bytes + input->at,
			    input->end - input->at, &member)) {
			if (input->end - input->at < LOG_HEADER_BYTES &&
				is_unfinished(input))
				return CTP_END;
			skip_to_member(input);
			continue;
		}
		status = fill(input, member.size, err);
		if (status != CTP_OK)
			return status;
		if (input->end - input->at < member.size) {
			if (is_unfinished(input))
				return CTP_END;
			/* Truncated, or its size is damaged: sound members may
			 * follow. */
			input->losses[LOSS_DAMAGED_BLOCKS]++;
			skip_to_member(input);
			continue;
		}
		cursor_init(&bytes, input->bytes + input->at, member.size);
		status = log_unpacker_unpack(
			&input->unpacker, bytes, block, &sound, err);
		if (status != CTP_OK)
			return status;
		if (sound) {
			advance(input, member.size);
			return CTP_OK;
		}
		input->losses[LOSS_DAMAGED_BLOCKS]++;
		if (log_unpacker_is_misled(&input->unpacker, input->position))
			skip(input, member.size);
		else
			skip_to_member(input);
	}
}

/* Whether a member that may be taken is next. Its last bytes are the size of its
 * block. */
static bool find_member(struct log_input *input, size_t *size)
{
	struct log_member member;

	if (fill(input, LOG_HEADER_BYTES, NULL) != CTP_OK ||
		!log_member_parse(input->bytes + input->at,
			input->end - input->at, &member) ||
		member.size > LOG_TAKEN_MAX ||
		fill(input, member.size, NULL) != CTP_OK ||
		input->end - input->at < member.size)
		return false;
	*size = member.size;
	return le32(input->bytes + input->at + member.size - 4) <=
	       LOG_TAKEN_MAX;
}

bool log_input_take(struct log_input *input, struct log_packed *packed)
{
	size_t size;

	if (!find_member(input, &size))
		return false;
	if (size > packed->room) {
		uint8_t *bytes = memory_resize(packed->bytes, size);

		if (bytes == NULL)
			return false;
		packed->bytes = bytes;
		packed->room = size;
	}
	memcpy(packed->bytes, input->bytes + input->at, size);
	packed->size = size;
	packed->position = input->position;
	advance(input, size);
	return true;
}

bool log_input_go_back(struct log_input *input, uint64_t position)
{
	const uint64_t behind = input->position - position;
	const off_t at = ftello(input->file);

	if (at < 0 || fseeko(input->file,
			      at - (off_t)(input->end - input->at + behind),
			      SEEK_SET) != 0)
		return false;
	input->at = 0;
	input->end = 0;
	input->at_eof = false;
	input->position = position;
	return true;
}

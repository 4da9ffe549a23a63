/* SPDX-License-Identifier: MIT */
#include "log_read/log_member.h"

#include <string.h>

#include "base/memory.h"

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
	/* Its beginning may stand at the end. */
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

static bool make_room(struct log_unpacker *unpacker, size_t size)
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
	/* Deflate packs to a 1032nd at best. */
	if (unpacked == 0 || unpacked > LOG_BLOCK_MAX ||
		unpacked / 1040 > member.left)
		return CTP_OK;
	if (!make_room(unpacker, unpacked))
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

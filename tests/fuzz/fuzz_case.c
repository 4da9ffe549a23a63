/* SPDX-License-Identifier: MIT */
#include "fuzz_case.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "log/deflate.h"
#include "support/log_maker.h"

#define EVENTS_MAX 50000

void fuzz_require(bool condition)
{
	if (!condition)
		abort();
}

/* As an unpacked member: packing would take most of the time. */
static void add_stored(struct buffer *log, const void *block, uint16_t size)
{
	const uint8_t head[] = {1, (uint8_t)size, (uint8_t)(size >> 8),
		(uint8_t)~size, (uint8_t)(~size >> 8)};
	struct buffer stored = BUFFER_INIT;

	buffer_add(&stored, head, sizeof(head));
	buffer_add(&stored, block, size);
	log_maker_add_member(
		log, &(struct log_maker_member){.data = stored.bytes,
			     .size = stored.used,
			     .crc = deflate_crc32(block, size),
			     .unpacked = size});
	buffer_clear(&stored);
}

static void make_log(struct buffer *log, const uint8_t *bytes, size_t size)
{
	struct cursor input;
	uint16_t block_size;

	cursor_init(&input, bytes, size);
	while (cursor_le16(&input, &block_size)) {
		size_t block =
			block_size < input.left ? block_size : input.left;

		if (block == 0)
			continue;
		add_stored(log, cursor_bytes(&input, block), (uint16_t)block);
	}
}

void fuzz_with_log(const uint8_t *bytes, size_t size,
	void (*use)(const void *log, size_t log_size))
{
	struct buffer log = BUFFER_INIT;

	if (size < 2 || (bytes[0] == 0x1f && bytes[1] == 0x8b)) {
		if (size > 0)
			use(bytes, size);
		return;
	}
	make_log(&log, bytes, size);
	if (log.used > 0)
		use(log.bytes, log.used);
	buffer_clear(&log);
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct fuzz_source *limited = (struct fuzz_source *)(void *)source;

	if (limited->left == 0)
		return CTP_END;
	limited->left--;
	return limited->inner->next(limited->inner, event, err);
}

static uint64_t position(const struct event_source *source)
{
	const struct fuzz_source *limited =
		(const struct fuzz_source *)(const void *)source;

	return limited->inner->position(limited->inner);
}

void fuzz_source_init(struct fuzz_source *limited, struct event_source *inner)
{
	*limited = (struct fuzz_source){
		.source = {.trace = inner->trace,
			.next = next,
			.position = position},
		.inner = inner,
		.left = EVENTS_MAX,
	};
}

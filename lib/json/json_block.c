/* SPDX-License-Identifier: MIT */
#include "json/json_block.h"

#include <string.h>

#include "base/memory.h"

static const uint8_t *skip_blanks(const uint8_t *text, const uint8_t *end)
{
	while (text < end && json_bytes_is_blank(*text))
		text++;
	return text;
}

static const uint8_t *skip_back(const uint8_t *text, const uint8_t *begin)
{
	while (text > begin && json_bytes_is_blank(text[-1]))
		text--;
	return text;
}

/* Records how the next object begins; false if it has another form. */
static bool find_mark(struct json_blocks *blocks)
{
	const struct json_window *window = &blocks->scan->window;
	const uint8_t *end = window->bytes + window->used;
	const uint8_t *text = skip_blanks(window->bytes + window->at, end);
	const uint8_t *key;
	const uint8_t *quote;

	if (text == end || *text != ',')
		return false;
	text = skip_blanks(text + 1, end);
	if (text == end || *text != '{')
		return false;
	key = skip_blanks(text + 1, end);
	if (key == end || *key != '"')
		return false;
	quote = memchr(key + 1, '"', (size_t)(end - key) - 1);
	if (quote == NULL || quote - text >= JSON_BLOCK_MARK_MAX)
		return false;
	blocks->mark_size = (size_t)(quote - text) + 1;
	memcpy(blocks->mark, text, blocks->mark_size);
	return true;
}

bool json_blocks_begin(struct json_blocks *blocks, struct json_scan *scan)
{
	*blocks = (struct json_blocks){
		.scan = scan, .next = json_scan_position(scan)};
	if (scan->state != JSON_STATE_IN_ARRAY ||
		scan->error.status != CTP_OK || !find_mark(blocks))
		return false;
	scan->window.kept = blocks->next;
	return true;
}

void json_blocks_end(struct json_blocks *blocks, uint64_t position)
{
	struct json_window *window = &blocks->scan->window;

	window->at = (size_t)(position - window->base);
	json_scan_unpin(blocks->scan);
}

void json_blocks_release(struct json_blocks *blocks, uint64_t position)
{
	blocks->scan->window.kept = position;
}

/* Is there a comma between an object's end and `text`? The object's end. */
static const uint8_t *end_before(const uint8_t *text, const uint8_t *begin)
{
	text = skip_back(text, begin);
	if (text == begin || text[-1] != ',')
		return NULL;
	text = skip_back(text - 1, begin);
	return text > begin && text[-1] == '}' ? text : NULL;
}

/* The end of the last object that another one seems to follow; NULL if there is
 * none. */
static const uint8_t *find_end(const struct json_blocks *blocks,
	const uint8_t *begin, const uint8_t *end)
{
	while (end > begin) {
		const uint8_t *brace =
			memrchr(begin, '{', (size_t)(end - begin));
		const uint8_t *found;

		if (brace == NULL)
			return NULL;
		/* Text within the scanner's window, which has room behind. */
		if (memcmp(brace, blocks->mark, blocks->mark_size) == 0) {
			found = end_before(brace, begin);
			if (found != NULL)
				return found;
		}
		end = brace;
	}
	return NULL;
}

/* Copies the text; false if out of memory. */
static bool set_text(struct json_block *block, const struct json_scan *from,
	const uint8_t *text, size_t size)
{
	struct json_window *window = &block->scan.window;
	struct json_brackets *open = &block->scan.open;

	if (window->room < size) {
		uint8_t *more =
			memory_resize(window->bytes, size + JSON_BYTES_ROOM);

		if (more == NULL)
			return false;
		window->bytes = more;
		window->room = size;
	}
	if (open->words < from->open.words) {
		uint64_t *more = memory_resize_array(
			open->arrays, from->open.words, sizeof(*more));

		if (more == NULL)
			return false;
		open->arrays = more;
		open->words = from->open.words;
	}
	memcpy(window->bytes, text, size);
	memset(window->bytes + size, 0, JSON_BYTES_ROOM);
	memcpy(open->arrays, from->open.arrays,
		from->open.words * sizeof(*open->arrays));
	open->depth = from->open.depth;
	window->used = size;
	window->at = 0;
	window->max = size;
	window->at_eof = true;
	return true;
}

bool json_blocks_cut(
	struct json_blocks *blocks, struct json_block *block, size_t size)
{
	struct json_window *window = &blocks->scan->window;
	const uint8_t *text;
	const uint8_t *end;

	window->at = (size_t)(blocks->next - window->base);
	while (window->used - window->at < size)
		if (json_window_fill(window, NULL) != CTP_OK)
			break;
	text = window->bytes + window->at;
	if (window->used - window->at < size)
		size = window->used - window->at;
	end = find_end(blocks, text, text + size);
	if (end == NULL ||
		!set_text(block, blocks->scan, text, (size_t)(end - text)))
		return false;
	block->scan.state = JSON_STATE_IN_ARRAY;
	block->scan.is_cut_off = false;
	block->scan.words_end = 0;
	block->scan.error = (struct ctp_error){0};
	block->scan.window.base = blocks->next;
	json_scan_unpin(&block->scan);
	blocks->next += (uint64_t)(end - text);
	return true;
}

void json_block_clear(struct json_block *block)
{
	json_window_clear(&block->scan.window);
	memory_free(block->scan.open.arrays);
}

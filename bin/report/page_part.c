/* SPDX-License-Identifier: MIT */
#include "report/page_part.h"

#include <string.h>

#include "base/buffer.h"
#include "io/xml.h"
#include "names/function_name.h"

size_t page_part_bytes(struct page_part *part)
{
	const struct json *json = &part->json;

	for (; part->seen < json->used; part->seen++)
		part->extra += xml_json_extra(
			json->bytes + part->seen, json->used - part->seen);
	return json->used + part->extra;
}

size_t page_part_limit(struct page_part *part, unsigned hundredths)
{
	return page_part_bytes(part) + part->budget_bytes / 100 * hundredths;
}

struct page_mark page_part_mark(const struct page_part *part)
{
	return (struct page_mark){part->json.used, part->seen, part->extra,
		part->clipped, part->json.comma};
}

void page_part_rewind(struct page_part *part, const struct page_mark *mark)
{
	part->json.used = mark->used;
	part->json.comma = mark->comma;
	part->seen = mark->seen;
	part->extra = mark->extra;
	part->clipped = mark->clipped;
}

void page_part_text(struct page_part *part, const char *text)
{
	page_part_text_sized(part, text, strlen(text));
}

void page_part_text_sized(struct page_part *part, const char *text, size_t size)
{
	static const char dots[] = "\xe2\x80\xa6";
	char shown[PAGE_TEXT_SHOWN + sizeof(dots)];
	size_t head = PAGE_TEXT_SHOWN / 3 * 2;
	size_t tail = PAGE_TEXT_SHOWN - head;

	if (size <= PAGE_TEXT_SHOWN) {
		json_text_sized(&part->json, text, size);
		return;
	}
	/* Do not split a character. */
	while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80)
		head--;
	while (tail > 0 && ((unsigned char)text[size - tail] & 0xc0) == 0x80)
		tail--;
	memcpy(shown, text, head);
	memcpy(shown + head, dots, sizeof(dots) - 1);
	memcpy(shown + head + sizeof(dots) - 1, text + size - tail, tail);
	json_text_sized(&part->json, shown, head + sizeof(dots) - 1 + tail);
	part->clipped++;
}

void page_part_name(struct page_part *part, const char *name)
{
	struct buffer brief = BUFFER_INIT;
	size_t size = strlen(name);

	if (size > PAGE_TEXT_SHOWN && function_name_has_scopes(name, size))
		function_name_add_short(&brief, name, size);
	if (brief.used != 0 && brief.used < PAGE_TEXT_SHOWN) {
		buffer_add_text(&brief, "\xe2\x80\xa6");
		json_text_sized(
			&part->json, (const char *)brief.bytes, brief.used);
		part->clipped++;
	} else {
		page_part_text_sized(part, name, size);
	}
	part->json.failed |= brief.failed;
	buffer_clear(&brief);
}

/* SPDX-License-Identifier: MIT */
#include "report/page_part.h"

#include "io/xml.h"

size_t page_part_bytes(struct page_part *part)
{
	const struct json *json = &part->sheet.json;

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
	return (struct page_mark){part->sheet.json.used, part->seen,
		part->extra, part->sheet.clipped, part->sheet.json.comma};
}

void page_part_rewind(struct page_part *part, const struct page_mark *mark)
{
	part->sheet.json.used = mark->used;
	part->sheet.json.comma = mark->comma;
	part->seen = mark->seen;
	part->extra = mark->extra;
	part->sheet.clipped = mark->clipped;
}

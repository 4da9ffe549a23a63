/* SPDX-License-Identifier: MIT */
/* The findings, at the beginning of the page. */
#include "cli/columns_page.h"
#include "findings/findings_of.h"
#include "report/page_part.h"

/* Each is an array: the share in ppm, or null; the sentence; the cure; the
 * section with the details. */
void page_findings_put(struct sheet *sheet, const struct findings *findings)
{
	struct json *json = &sheet->json;

	json_begin(json, '[');
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		json_begin(json, '[');
		if (finding->has_share)
			json_uint(json, finding->share_ppm);
		else
			json_none(json);
		columns_page_text(sheet, finding->text);
		json_text(json, finding->cure);
		json_text(json, finding->section);
		json_end(json, ']');
	}
	json_end(json, ']');
}

bool page_findings_write(struct page_part *part)
{
	struct findings findings;

	if (!findings_of_data(
		    &findings, part->data, part->trace, NULL, part->groups))
		return false;
	json_key(&part->sheet.json, "findings");
	page_findings_put(&part->sheet, &findings);
	return true;
}

void page_findings_of_compile(
	struct sheet *sheet, const struct compile *compile)
{
	struct findings findings;

	findings_find(&findings, &(struct findings_facts){.compile = compile});
	page_findings_put(sheet, &findings);
}

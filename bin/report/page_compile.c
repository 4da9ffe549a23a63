/* SPDX-License-Identifier: MIT */
/*
 * The section of compilations: the tables of `ctprof compilations`, by its own
 * code. Rows, and the texts that a row unfolds to, are omitted until they fit.
 */
#include "base/memory.h"
#include "compilations/compilations_report.h"
#include "io/xml.h"
#include "report/page_part.h"

struct extent {
	uint32_t rows; /* of each table */
	bool brief;
};

static const struct extent extents[] = {{200, false}, {100, false}, {40, false},
	{20, false}, {100, true}, {40, true}, {20, true}, {10, true},
	{5, true}};
#define EXTENTS (sizeof(extents) / sizeof(extents[0]))

/* Writes the tables; false if out of memory. */
static bool write_tables(struct json *json, const struct compile *compile,
	const struct extent *extent)
{
	const struct compilations_view view = {
		.compile = compile, .top = extent->rows};
	struct sheet sheet = {.style = REPORT_PAGE, .brief = extent->brief};

	if (!json_init(&sheet.json, NULL))
		return false;
	json_begin(&sheet.json, '{');
	compilations_write(&sheet, &view);
	json_key(&sheet.json, "clipped");
	json_uint(&sheet.json, sheet.clipped);
	json_end(&sheet.json, '}');
	*json = sheet.json;
	return !sheet.failed && !sheet.json.failed;
}

bool page_compile_make(const struct compile *compile, size_t max,
	struct json *json, bool *made)
{
	*made = false;
	if (compile_is_empty(compile))
		return true;
	for (size_t i = 0; i < EXTENTS; i++) {
		if (!write_tables(json, compile, &extents[i])) {
			json_clear(json);
			return false;
		}
		*made = json->used + xml_json_extra(json->bytes, json->used) <=
			max;
		if (*made)
			return true;
		json_clear(json);
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <string.h>

#include "flamegraph/flame_files.h"
#include "base/memory.h"
#include "report/page_part.h"
#include "report/page_text.h"
#include "cli/report.h"
#include "io/xml.h"

static void put_lines(FILE *out, const char *const *lines)
{
	for (; *lines != NULL; lines++)
		fputs(*lines, out);
}

static size_t lines_bytes(const char *const *lines)
{
	size_t size = 0;

	for (; *lines != NULL; lines++)
		size += strlen(*lines);
	return size;
}

static const char *const *const scripts[] = {flame_name_js, page_format_js,
	page_table_js, page_flame_js, page_timeline_js, page_device_js,
	page_js};
#define SCRIPT_COUNT (sizeof(scripts) / sizeof(scripts[0]))

/* What is on every page, and the ends of a title. */
static size_t fixed_bytes(void)
{
	size_t size = lines_bytes(page_css) + lines_bytes(page_html) + 2048;

	for (size_t i = 0; i < SCRIPT_COUNT; i++)
		size += lines_bytes(scripts[i]);
	return size;
}

/* As much of it as a title shows, for it is a path. */
static void put_title(FILE *out, const char *title)
{
	size_t size = strnlen(title, PAGE_TEXT_SHOWN);

	/* Not through the middle of a character. */
	while (size > 0 && ((unsigned char)title[size] & 0xc0) == 0x80)
		size--;
	/* Without memory there is no page. */
	(void)xml_put_line(out, title, size);
}

void page_init(struct page *page, FILE *out, const char *title, size_t inputs)
{
	*page = (struct page){.out = out,
		.title = title,
		.share_bytes = (PAGE_BYTES - fixed_bytes()) / inputs};
}

/* Writes all that is above the first input. */
static void begin(const struct page *page)
{
	FILE *out = page->out;

	/* Whatever is in the data, the page asks nobody for anything. */
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\""
	      "default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
		out);
	put_title(out, page->title);
	fputs(" - ctprof</title>\n<style>\n", out);
	put_lines(out, page_css);
	fputs("</style>\n</head>\n<body>\n", out);
	put_lines(out, page_html);
	fputs("<script type=\"application/json\" id=\"data\">\n"
	      "{\"schema\":\"ctprof/page/1\",\"version\":\"" PACKAGE_VERSION
	      "\",\"inputs\":[",
		out);
}

static enum ctp_status write_part(struct page_part *part,
	const struct input *input, struct ctp_error *err)
{
	enum ctp_status status;

	json_begin(&part->json, '{');
	page_facts_write(part, input);
	status = page_functions_write(part, err);
	if (status != CTP_OK)
		return status;
	page_flames_write(part);
	status = page_tracks_write(part, err);
	if (status != CTP_OK)
		return status;
	page_gaps_write(part);
	report_uint(&part->json, "clipped", part->clipped);
	json_end(&part->json, '}');
	return part->json.failed
		       ? ctp_fail(err, CTP_ERR_NOMEM,
				 "out of memory while making the page")
		       : CTP_OK;
}

enum ctp_status page_add(struct page *page, const struct page_data *data,
	const struct input *input, struct ctp_error *err)
{
	struct page_part part = {.data = data,
		.trace = input->origin.source->trace,
		.share_bytes = page->share_bytes};
	enum ctp_status status = CTP_ERR_NOMEM;

	if (data->kernels != NULL)
		part.kernels = page_kernels_new(data->kernels, part.trace);
	part.places =
		memory_new_zeroed((size_t)data->profile->function_count + 1,
			sizeof(*part.places));
	if (part.places == NULL || !json_init(&part.json, NULL) ||
		(part.kernels == NULL && data->kernels != NULL))
		(void)ctp_no_memory(err);
	else
		status = write_part(&part, input, err);
	if (status == CTP_OK) {
		if (!page->any)
			begin(page);
		fputs(page->any ? ",\n" : "\n", page->out);
		xml_put_json(page->out, part.json.bytes, part.json.used);
		page->any = true;
	}
	flame_tree_free(part.host);
	flame_tree_free(part.device);
	page_kernels_free(part.kernels);
	memory_free(part.places);
	json_clear(&part.json);
	return status;
}

void page_end(struct page *page)
{
	if (!page->any)
		return;
	fputs("\n]}\n</script>\n<script>\n\"use strict\";\n", page->out);
	for (size_t i = 0; i < SCRIPT_COUNT; i++)
		put_lines(page->out, scripts[i]);
	fputs("</script>\n</body>\n</html>\n", page->out);
}

/* SPDX-License-Identifier: MIT */
/* When devices were idle, and why. */
#include "input/devices.h"
#include "report/page_part.h"
#include "cli/report.h"

#define DEVICES_HUNDREDTHS 1
#define PLACES_HUNDREDTHS 3

static const char *text_of(const struct page_part *part, uint32_t number)
{
	return strtab_text(part->trace->text, number, NULL);
}

static void put_device(struct page_part *part, const struct gaps_device *device)
{
	struct json *json = &part->json;
	size_t size = 0;
	const char *name = devices_likely_name(
		part->trace, device->pid, device->number, &size);

	json_begin(json, '{');
	report_int(json, "pid", device->pid);
	report_uint(json, "device", device->number);
	json_key(json, "name");
	page_part_text_sized(part, name == NULL ? "" : name, size);
	report_uint(json, "span_ns", device->span_ns);
	report_uint(json, "busy_ns", device->busy_ns);
	report_uint(json, "kernel_ns", device->kernel_ns);
	report_uint(json, "idle_ns", device->idle_ns);
	report_uint(json, "gaps", device->gaps);
	report_uint(json, "longest_ns", device->longest_ns);
	json_key(json, "causes");
	json_begin(json, '[');
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		json_uint(json, device->cause_ns[cause]);
	json_end(json, ']');
	json_end(json, '}');
}

static void put_place(struct page_part *part, const struct gaps_place *place)
{
	struct json *json = &part->json;

	json_begin(json, '[');
	json_uint(json, place->device);
	json_uint(json, place->cause);
	page_part_text(part, text_of(part, place->name));
	page_part_text(part, text_of(part, place->file));
	json_uint(json, place->line);
	page_part_text(part, text_of(part, place->call));
	json_uint(json, place->idle_ns);
	json_uint(json, place->count);
	json_uint(json, place->longest_ns);
	json_end(json, ']');
}

static void put_causes(struct json *json)
{
	json_key(json, "causes");
	json_begin(json, '[');
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		json_text(json, gap_cause_words((enum gap_cause)cause));
	json_end(json, ']');
}

static uint32_t put_devices(struct page_part *part,
	const struct gaps_device *devices, uint32_t count)
{
	size_t until = page_part_until(part, DEVICES_HUNDREDTHS);
	uint32_t put = 0;

	json_key(&part->json, "devices");
	json_begin(&part->json, '[');
	while (put < count && page_part_bytes(part) < until)
		put_device(part, &devices[put++]);
	json_end(&part->json, ']');
	return put;
}

/* Is it by what the host did that it is told apart? */
static bool has_code(const struct gaps_place *place)
{
	return place->cause <= GAP_DATA;
}

/* Only those of devices that are there. */
static void put_places(struct page_part *part, uint32_t devices)
{
	uint32_t count;
	const struct gaps_place *places = gaps_places(part->data->gaps, &count);
	size_t until = page_part_until(part, PLACES_HUNDREDTHS);
	uint32_t hidden = 0;

	json_key(&part->json, "places");
	json_begin(&part->json, '[');
	for (uint32_t i = 0; i < count; i++) {
		if (!has_code(&places[i]))
			continue;
		if (places[i].device < devices && page_part_bytes(part) < until)
			put_place(part, &places[i]);
		else
			hidden++;
	}
	json_end(&part->json, ']');
	report_uint(&part->json, "places_hidden", hidden);
}

void page_gaps_write(struct page_part *part)
{
	uint32_t count = 0;
	const struct gaps_device *devices =
		part->data->gaps == NULL
			? NULL
			: gaps_devices(part->data->gaps, &count);
	uint32_t put;

	if (count == 0)
		return;
	json_key(&part->json, "gaps");
	json_begin(&part->json, '{');
	put_causes(&part->json);
	put = put_devices(part, devices, count);
	report_uint(&part->json, "devices_hidden", count - put);
	put_places(part, put);
	json_end(&part->json, '}');
}

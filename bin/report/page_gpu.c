/* SPDX-License-Identifier: MIT */
/*
 * Rates of kernels and their share of the device's peak. Kernels are counted by
 * process and device, but a page's functions only by device: several processes
 * are added up.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/gaps_report.h"
#include "gpu/kernels_report.h"
#include "base/memory.h"
#include "report/page_part.h"
#include "base/saturate.h"
#include "input/report.h"

struct page_kernels {
	struct kernels_view view;
	struct peaks_file peaks;         /* only the built-in ones */
	const struct kernels_row **rows; /* sorted by name and device number */
	uint32_t count;
};

/* Sort key of rows. */
struct key {
	const char *name;
	uint32_t number;
};

static struct key row_key(
	const struct page_kernels *kernels, const struct kernels_row *row)
{
	uint32_t count;

	return (struct key){kernels_name(kernels->view.kernels, row),
		kernels_devices(kernels->view.kernels, &count)[row->device]
			.number};
}

static int compare_keys(const struct key *a, const struct key *b)
{
	int order = strcmp(a->name, b->name);

	return order != 0 ? order
			  : (a->number > b->number) - (a->number < b->number);
}

static int compare_rows(const void *a, const void *b, void *user)
{
	const struct kernels_row *left = *(const struct kernels_row *const *)a;
	const struct kernels_row *right = *(const struct kernels_row *const *)b;
	struct key left_key = row_key(user, left);
	struct key right_key = row_key(user, right);
	int order = compare_keys(&left_key, &right_key);

	return order != 0 ? order : (left > right) - (left < right);
}

struct page_kernels *page_kernels_new(struct kernels *source)
{
	struct page_kernels *kernels = memory_new_zeroed(1, sizeof(*kernels));
	const struct kernels_row *rows;

	if (kernels == NULL)
		return NULL;
	kernels->view = (struct kernels_view){.kernels = source,
		.peaks = &kernels->peaks,
		.dtype = DTYPE_UNKNOWN};
	kernels_apply_peaks(source, &kernels->view);
	rows = kernels_rows(source, &kernels->count);
	kernels->rows = memory_resize_array(
		NULL, (size_t)kernels->count + 1, sizeof(*kernels->rows));
	if (kernels->rows == NULL) {
		memory_free(kernels);
		return NULL;
	}
	for (uint32_t i = 0; i < kernels->count; i++)
		kernels->rows[i] = &rows[i];
	qsort_r(kernels->rows, kernels->count, sizeof(*kernels->rows),
		compare_rows, kernels);
	return kernels;
}

void page_kernels_free(struct page_kernels *kernels)
{
	if (kernels == NULL)
		return;
	memory_free(kernels->rows);
	memory_free(kernels);
}

static void add_work(struct kernels_work *to, const struct kernels_work *from)
{
	to->amount = saturate_sum(to->amount, from->amount);
	to->time_ns = saturate_sum(to->time_ns, from->time_ns);
}

/* The first row that is not less than the key. */
static uint32_t find_row(
	const struct page_kernels *kernels, const struct key *key)
{
	uint32_t low = 0;
	uint32_t high = kernels->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct key there = row_key(kernels, kernels->rows[middle]);

		if (compare_keys(&there, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void put_number(struct json *json, bool known, uint64_t value)
{
	if (known)
		json_uint(json, value);
	else
		json_none(json);
}

/* page_device.js knows this value. */
#define MISFIT (-2)

static void put_share(
	struct json *json, bool misfit, bool known, uint64_t value)
{
	if (misfit && !known)
		json_int(json, MISFIT);
	else
		put_number(json, known, value);
}

void page_kernels_write(const struct page_kernels *kernels,
	const struct profile_function *function, struct json *json)
{
	struct key key = {function->name, function->device.number};
	struct kernels_row sum = {.device = 0};
	struct kernels_rates rates = {.has_flops = false};
	uint32_t count;
	const struct kernels_device *devices =
		kernels_devices(kernels->view.kernels, &count);

	for (uint32_t i = find_row(kernels, &key); i < kernels->count; i++) {
		const struct kernels_row *row = kernels->rows[i];
		struct key there = row_key(kernels, row);

		if (compare_keys(&there, &key) != 0)
			break;
		sum.device = row->device;
		for (int dtype = 0; dtype < DTYPES; dtype++)
			add_work(&sum.flops[dtype], &row->flops[dtype]);
		add_work(&sum.bytes, &row->bytes);
		sum.flops_misfit = sum.flops_misfit || row->flops_misfit;
		sum.bytes_misfit = sum.bytes_misfit || row->bytes_misfit;
	}
	if (sum.device < count)
		rates = kernels_rates_of(&kernels->view, &sum,
			kernels_peak_of(&kernels->view, &devices[sum.device]));
	put_number(json, rates.has_flops, rates.flops_per_s);
	put_share(json, sum.flops_misfit, rates.has_flops_share,
		rates.flops_share);
	put_number(json, rates.has_bytes, rates.bytes_per_s);
	put_share(json, sum.bytes_misfit, rates.has_bytes_share,
		rates.bytes_share);
}

/* ---- idle devices ---- */

#define DEVICES_HUNDREDTHS 1
#define PLACES_HUNDREDTHS 3

static void put_device(struct page_part *part, const struct gaps_device *device)
{
	struct json *json = &part->json;
	size_t size;
	const char *name = gaps_model(part->data->gaps, device, &size);

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

static void put_causes(struct json *json)
{
	json_key(json, "causes");
	json_begin(json, '[');
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		json_text(json, gap_cause_description((enum gap_cause)cause));
	json_end(json, ']');
}

static uint32_t put_devices(struct page_part *part,
	const struct gaps_device *devices, uint32_t count)
{
	size_t limit = page_part_limit(part, DEVICES_HUNDREDTHS);
	uint32_t put = 0;

	json_key(&part->json, "devices");
	json_begin(&part->json, '[');
	while (put < count && page_part_bytes(part) < limit)
		put_device(part, &devices[put++]);
	json_end(&part->json, ']');
	return put;
}

/* Writes the table of `ctprof gaps`. */
static void put_places(struct page_part *part)
{
	const struct gaps_view view = {.gaps = part->data->gaps};
	size_t limit = page_part_limit(part, PLACES_HUNDREDTHS);
	struct sheet sheet = {.style = REPORT_PAGE,
		.json = part->json,
		.brief = true,
		.max_bytes = limit - part->extra};

	gaps_write_places(&sheet, &view);
	part->json = sheet.json;
	part->json.failed |= sheet.failed;
	part->clipped += sheet.clipped;
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
	put_places(part);
	json_end(&part->json, '}');
}

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
#include "base/search.h"
#include "input/devices.h"
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

static int compare_keys(struct key a, struct key b)
{
	int order = strcmp(a.name, b.name);

	return order != 0 ? order
			  : (a.number > b.number) - (a.number < b.number);
}

static int compare_rows(const void *a, const void *b, void *user)
{
	const struct kernels_row *left = *(const struct kernels_row *const *)a;
	const struct kernels_row *right = *(const struct kernels_row *const *)b;
	int order = compare_keys(row_key(user, left), row_key(user, right));

	return order != 0 ? order : (left > right) - (left < right);
}

struct page_kernels *page_kernels_new(struct kernels *source, uint64_t all_ns)
{
	struct page_kernels *kernels = memory_new_zeroed(1, sizeof(*kernels));
	const struct kernels_row *rows = NULL;

	if (kernels == NULL)
		return NULL;
	kernels->view = (struct kernels_view){.kernels = source,
		.peaks = &kernels->peaks,
		.dtype = DTYPE_UNKNOWN,
		.all_ns = all_ns};
	if (source != NULL) {
		rows = kernels_rows(source, &kernels->count);
		kernels_apply_peaks(source, &kernels->view);
	}
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

/* Whether a row of a sum, whose devices have names alone, is of the function's
 * device. */
static bool is_of_device(const struct page_kernels *kernels,
	const struct kernels_row *row, const struct profile_function *function)
{
	const struct kernels *source = kernels->view.kernels;
	uint32_t count;
	size_t size = 0;
	const char *name = devices_function_name(function, &size);
	const char *model = kernels_model(
		source, &kernels_devices(source, &count)[row->device], NULL);

	if (name == NULL || model == NULL)
		return name == model;
	return strlen(model) == size && memcmp(model, name, size) == 0;
}

void page_kernels_put(
	struct page_part *part, const struct profile_function *function)
{
	const struct page_kernels *kernels = part->kernels;
	bool is_sum = kernels->view.kernels != NULL &&
		      kernels_is_sum(kernels->view.kernels);
	struct key key = {function->name, is_sum ? 0 : function->device.number};
	struct kernels_row sum = {.device = UINT32_MAX};
	size_t i;

	SEARCH_FIRST(i, kernels->count,
		compare_keys(row_key(kernels, kernels->rows[i]), key) < 0);
	for (; i < kernels->count; i++) {
		const struct kernels_row *row = kernels->rows[i];

		if (compare_keys(row_key(kernels, row), key) != 0)
			break;
		if (is_sum && !is_of_device(kernels, row, function))
			continue;
		sum.device = row->device;
		for (int dtype = 0; dtype < DTYPES; dtype++)
			add_work(&sum.flops[dtype], &row->flops[dtype]);
		add_work(&sum.bytes, &row->bytes);
		sum.flops_misfit = sum.flops_misfit || row->flops_misfit;
		sum.bytes_misfit = sum.bytes_misfit || row->bytes_misfit;
	}
	kernels_put_function(&part->sheet, &kernels->view, function, &sum);
}

#define OPERATORS_HUNDREDTHS 5

void page_operators_write(struct page_part *part)
{
	const struct kernels_view *view = &part->kernels->view;
	struct sheet *sheet = &part->sheet;
	uint32_t count = 0;

	if (view->kernels != NULL)
		(void)kernels_ops(view->kernels, &count);
	if (count == 0)
		return;
	sheet->brief = true;
	sheet->max_bytes =
		page_part_limit(part, OPERATORS_HUNDREDTHS) - part->extra;
	kernels_write_ops(sheet, view);
}

/* ---- idle devices ---- */

#define DEVICES_HUNDREDTHS 1
#define PLACES_HUNDREDTHS 3

static void put_causes(struct json *json)
{
	json_key(json, "causes");
	json_begin(json, '[');
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		json_text(json, gap_cause_description((enum gap_cause)cause));
	json_end(json, ']');
}

void page_gaps_write(struct page_part *part)
{
	const struct gaps_view view = {.gaps = part->data->gaps};
	struct sheet *sheet = &part->sheet;
	uint32_t count = 0;

	if (view.gaps != NULL)
		(void)gaps_devices(view.gaps, &count);
	if (count == 0)
		return;
	json_key(&sheet->json, "gaps");
	json_begin(&sheet->json, '{');
	put_causes(&sheet->json);
	sheet->brief = false;
	sheet->max_bytes =
		page_part_limit(part, DEVICES_HUNDREDTHS) - part->extra;
	gaps_write_devices(sheet, &view);
	sheet->brief = true;
	sheet->max_bytes =
		page_part_limit(part, PLACES_HUNDREDTHS) - part->extra;
	gaps_write_places(sheet, &view);
	json_end(&sheet->json, '}');
}

/* SPDX-License-Identifier: MIT */
/*
 * How fast kernels did what they did, and how much of their device's peak that
 * is. Kernels are counted by process and device, a page's functions by device:
 * those of several processes are added up.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/kernels_report.h"
#include "base/memory.h"
#include "report/page_part.h"
#include "base/saturate.h"

struct page_kernels {
	struct kernels_view view;
	struct peaks_file peaks;         /* none but those that are known */
	const struct kernels_row **rows; /* by name and device's number */
	uint32_t count;
};

/* What rows are ordered and found by. */
struct key {
	const char *name;
	uint32_t number;
};

static struct key key_of(
	const struct page_kernels *kernels, const struct kernels_row *row)
{
	uint32_t count;

	return (struct key){
		strtab_text(kernels->view.trace->text, row->name, NULL),
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
	struct key left_key = key_of(user, left);
	struct key right_key = key_of(user, right);
	int order = compare_keys(&left_key, &right_key);

	return order != 0 ? order : (left > right) - (left < right);
}

struct page_kernels *page_kernels_new(
	const struct kernels *source, const struct trace *trace)
{
	struct page_kernels *kernels = memory_new_zeroed(1, sizeof(*kernels));
	const struct kernels_row *rows;

	if (kernels == NULL)
		return NULL;
	kernels->view = (struct kernels_view){.kernels = source,
		.trace = trace,
		.peaks = &kernels->peaks,
		.dtype = DTYPE_UNKNOWN};
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

/* The first row that is not before the key. */
static uint32_t find(const struct page_kernels *kernels, const struct key *key)
{
	uint32_t low = 0;
	uint32_t high = kernels->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct key there = key_of(kernels, kernels->rows[middle]);

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

void page_kernels_write(const struct page_kernels *kernels,
	const struct profile_function *function, struct json *json)
{
	struct key key = {function->name, function->device.number};
	struct kernels_row sum = {.device = 0};
	struct kernels_rates rates = {.has_flops = false};
	uint32_t count;
	const struct kernels_device *devices =
		kernels_devices(kernels->view.kernels, &count);

	for (uint32_t i = find(kernels, &key); i < kernels->count; i++) {
		const struct kernels_row *row = kernels->rows[i];
		struct key there = key_of(kernels, row);

		if (compare_keys(&there, &key) != 0)
			break;
		sum.device = row->device;
		for (int dtype = 0; dtype < DTYPES; dtype++)
			add_work(&sum.flops[dtype], &row->flops[dtype]);
		add_work(&sum.bytes, &row->bytes);
	}
	if (sum.device < count)
		rates = kernels_rates_of(&kernels->view, &sum,
			kernels_peak_of(&kernels->view, &devices[sum.device]));
	put_number(json, rates.has_flops, rates.flops_per_s);
	put_number(json, rates.has_flops_share, rates.flops_share);
	put_number(json, rates.has_bytes, rates.bytes_per_s);
	put_number(json, rates.has_bytes_share, rates.bytes_share);
}

/* SPDX-License-Identifier: MIT */
/* What kernels did, for programs: each row has the fields of one table. */
#include "gpu/kernels_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "input/devices.h"
#include "gpu/kernels_private.h"
#include "cli/quantity.h"
#include "cli/table.h"

#define HUNDREDTHS 100

const struct peak *kernels_peak_of(
	const struct kernels_view *view, const struct kernels_device *device)
{
	size_t size;
	const char *bytes = devices_likely_name(
		view->trace, device->pid, device->number, &size);
	uint64_t memory =
		devices_memory(view->trace, device->pid, device->number);
	const struct peak *peak;
	char *name = bytes == NULL ? NULL : strndup(bytes, size);

	if (name == NULL)
		return NULL;
	peak = peak_find(view->peaks->peaks, view->peaks->count, name, memory);
	if (peak == NULL)
		peak = peak_find(peaks_known, peaks_known_count, name, memory);
	free(name);
	return peak;
}

struct kernels_rates kernels_rates_of(const struct kernels_view *view,
	const struct kernels_row *row, const struct peak *peak)
{
	struct kernels_work flops = kernels_flops(row);
	struct kernels_rates rates = {.has_flops = false};

	rates.has_flops = kernels_rate(&flops, &rates.flops_per_s);
	rates.has_bytes = kernels_rate(&row->bytes, &rates.bytes_per_s);
	if (peak == NULL)
		return rates;
	rates.has_flops_share =
		rates.has_flops &&
		kernels_flops_share(row, peak, view->dtype, &rates.flops_share);
	rates.has_bytes_share =
		rates.has_bytes &&
		kernels_bytes_share(row, peak, &rates.bytes_share);
	return rates;
}

static void put_rate(
	struct json *json, const char *key, bool known, uint64_t value)
{
	json_key(json, key);
	if (known)
		json_uint(json, value);
	else
		json_none(json);
}

static void put_share(
	struct json *json, const char *key, bool known, uint64_t value)
{
	json_key(json, key);
	if (known)
		json_double(json, (double)value / HUNDREDTHS);
	else
		json_none(json);
}

static void put_name(struct json *json, const struct kernels_view *view,
	const struct kernels_device *device)
{
	report_int(json, "pid", device->pid);
	report_uint(json, "device", device->number);
	devices_write_name(json, view->trace, device->pid, device->number);
}

uint64_t kernels_mean_of(const struct kernels_row *row)
{
	return quantity_mean(row->total_ns, row->count);
}

static void put_row(struct json *json, const struct kernels_view *view,
	const struct kernels_row *row)
{
	uint32_t count;
	const struct kernels_device *device =
		&kernels_devices(view->kernels, &count)[row->device];
	struct kernels_rates rates =
		kernels_rates_of(view, row, kernels_peak_of(view, device));

	json_begin(json, '{');
	put_name(json, view, device);
	report_text(
		json, "name", strtab_text(view->trace->text, row->name, NULL));
	report_uint(json, "count", row->count);
	report_uint(json, "total_ns", row->total_ns);
	report_uint(json, "mean_ns", kernels_mean_of(row));
	report_uint(json, "min_ns", row->min_ns);
	report_uint(json, "max_ns", row->max_ns);
	report_uint(json, "flops", kernels_flops(row).amount);
	report_uint(json, "bytes", row->bytes.amount);
	put_rate(json, "flops_per_s", rates.has_flops, rates.flops_per_s);
	put_rate(json, "bytes_per_s", rates.has_bytes, rates.bytes_per_s);
	put_share(json, "flops_percent", rates.has_flops_share,
		rates.flops_share);
	put_share(json, "bandwidth_percent", rates.has_bytes_share,
		rates.bytes_share);
	json_end(json, '}');
}

static void put_peak(struct json *json, const struct peak *peak)
{
	json_key(json, "peak");
	if (peak == NULL) {
		json_none(json);
		return;
	}
	json_begin(json, '{');
	report_text(json, "source", peak->source);
	json_key(json, "gflops");
	json_begin(json, '{');
	for (int dtype = DTYPE_UNKNOWN + 1; dtype < DTYPE_OTHER; dtype++)
		if (peak->gflops[dtype] != 0)
			report_uint(json, dtype_name((enum dtype)dtype),
				peak->gflops[dtype]);
	json_end(json, '}');
	put_rate(json, "gb_per_s", peak->gb_per_s != 0, peak->gb_per_s);
	json_end(json, '}');
}

static void put_device(struct json *json, const struct kernels_view *view,
	const struct kernels_device *device)
{
	json_begin(json, '{');
	put_name(json, view, device);
	report_uint(json, "count", device->count);
	report_uint(json, "total_ns", device->total_ns);
	report_uint(json, "flops", device->flops.amount);
	report_uint(json, "flops_known_ns", device->flops.time_ns);
	report_uint(json, "helpers_ns", device->helper_ns);
	report_uint(json, "bytes", device->bytes.amount);
	report_uint(json, "bytes_known_ns", device->bytes.time_ns);
	put_peak(json, kernels_peak_of(view, device));
	json_end(json, '}');
}

uint32_t kernels_end_of(const struct kernels_view *view, uint32_t first)
{
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);
	uint32_t end = first;

	while (end < count && rows[end].device == rows[first].device &&
		(view->top == 0 || end - first < view->top))
		end++;
	return end;
}

uint32_t kernels_next_of(const struct kernels_view *view, uint32_t first)
{
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);
	uint32_t next = first;

	while (next < count && rows[next].device == rows[first].device)
		next++;
	return next;
}

int kernels_print_json(
	const struct kernels_view *view, const struct report *report, FILE *out)
{
	uint32_t device_count;
	const struct kernels_device *devices =
		kernels_devices(view->kernels, &device_count);
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);
	struct report complete = *report;
	struct json json;
	int status;

	for (uint32_t i = 0; i < count; i = kernels_next_of(view, i))
		complete.truncated =
			complete.truncated ||
			kernels_end_of(view, i) < kernels_next_of(view, i);
	status = report_begin(&complete, &json, out);
	if (status != EXIT_DONE)
		return status;
	json_key(&json, "devices");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < device_count; i++)
		put_device(&json, view, &devices[i]);
	json_end(&json, ']');
	report_uint(&json, "late", kernels_late(view->kernels));
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (uint32_t first = 0; first < count;
		first = kernels_next_of(view, first))
		for (uint32_t i = first; i < kernels_end_of(view, first); i++)
			put_row(&json, view, &rows[i]);
	json_end(&json, ']');
	return report_end(&json);
}

static void put_number(FILE *out, bool known, uint64_t value)
{
	putc(',', out);
	if (known)
		fprintf(out, "%" PRIu64, value);
}

/* Hundredths: "12.34". */
static void put_percent(FILE *out, bool known, uint64_t value)
{
	putc(',', out);
	if (known)
		fprintf(out, "%" PRIu64 ".%02" PRIu64, value / HUNDREDTHS,
			value % HUNDREDTHS);
}

static void print_row(const struct kernels_view *view,
	const struct kernels_row *row, FILE *out)
{
	uint32_t count;
	const struct kernels_device *device =
		&kernels_devices(view->kernels, &count)[row->device];
	struct kernels_rates rates =
		kernels_rates_of(view, row, kernels_peak_of(view, device));

	table_csv(out, view->input, ',');
	fprintf(out, "%" PRId64 ",%" PRIu32 ",", device->pid, device->number);
	table_csv(out, strtab_text(view->trace->text, row->name, NULL), ',');
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->count,
		row->total_ns, kernels_mean_of(row));
	put_number(out, true, row->min_ns);
	put_number(out, true, row->max_ns);
	put_number(out, true, kernels_flops(row).amount);
	put_number(out, true, row->bytes.amount);
	put_number(out, rates.has_flops, rates.flops_per_s);
	put_number(out, rates.has_bytes, rates.bytes_per_s);
	put_percent(out, rates.has_flops_share, rates.flops_share);
	put_percent(out, rates.has_bytes_share, rates.bytes_share);
	putc('\n', out);
}

int kernels_print_csv(const struct kernels_view *view, FILE *out)
{
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);

	if (view->titles)
		fputs("input,pid,device,name,count,total_ns,mean_ns,min_ns,max_"
		      "ns,flops,"
		      "bytes,flops_per_s,bytes_per_s,flops_percent,"
		      "bandwidth_percent\n",
			out);
	for (uint32_t first = 0; first < count;
		first = kernels_next_of(view, first))
		for (uint32_t i = first; i < kernels_end_of(view, first); i++)
			print_row(view, &rows[i], out);
	return EXIT_DONE;
}

/* SPDX-License-Identifier: MIT */
/* Prints the rates of kernels: JSON and CSV with the same fields per row, and
 * text with a table per device and a note about unknown work. */
#include "gpu/kernels_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "cli/columns.h"
#include "input/devices.h"
#include "io/amount.h"
#include "profiles/label.h"

/* Line widths for all columns, and for most. */
#define FULL 105
#define WIDE 90

const struct peak *kernels_peak_of(
	const struct kernels_view *view, const struct kernels_device *device)
{
	size_t size;
	const char *bytes = devices_guess_name(
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

void kernels_apply_peaks(
	struct kernels *kernels, const struct kernels_view *view)
{
	uint32_t count;
	const struct kernels_device *devices = kernels_devices(kernels, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct peak *peak = kernels_peak_of(view, &devices[i]);

		if (peak != NULL)
			kernels_apply_peak(kernels, i, peak, view->dtype);
	}
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

static void put_device_name(struct json *json, const struct kernels_view *view,
	const struct kernels_device *device)
{
	report_int(json, "pid", device->pid);
	report_uint(json, "device", device->number);
	devices_write_name(json, view->trace, device->pid, device->number);
}

static const struct column_unit ms = {"ms", 1000000};
static const struct column_unit us = {"us", 1000};
static const struct column_unit tera = {"", UINT64_C(1000000000000)};
static const struct column_unit giga = {"", 1000000000};

struct line {
	const char *input;
	struct kernels_device device;
	struct value device_name;
	const char *name;
	struct kernels_row row;
	uint64_t mean_ns, flops;
	struct value share, flops_per_s, bytes_per_s, flops_share, bytes_share;
	const char *kernel;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct line, member)
static const struct column items[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input", OF(input)),
	COLUMN(INTEGER, "pid", NULL, "the process", OF(device.pid)),
	COLUMN(COUNT, "device", NULL, "the device's number, from 0",
		OF(device.number)),
	COLUMN_IN_JSON(TEXT, "device_name",
		"the device's name; null if it is not known", OF(device_name)),
	COLUMN(TEXT, "name", NULL, "the kernel's name", OF(name)),
	COLUMN(COUNT, "count", "count", "number of launches", OF(row.count)),
	COLUMN(TIME, "total_ns", "total ", "the time of all launches",
		OF(row.total_ns), .unit = &ms),
	COLUMN_IN_TEXT(PERCENT, "share %", OF(share), .min_line = WIDE),
	COLUMN(TIME, "mean_ns", "mean ", "the mean time of a launch",
		OF(mean_ns), .unit = &us),
	COLUMN(TIME, "min_ns", "min ", "the shortest launch", OF(row.min_ns),
		.unit = &us, .min_line = FULL, .sort = KERNELS_MIN + 1),
	COLUMN(TIME, "max_ns", "max ", "the longest launch", OF(row.max_ns),
		.unit = &us, .min_line = FULL, .sort = KERNELS_MAX + 1),
	COLUMN(COUNT, "flops", NULL, "known floating-point operations",
		OF(flops)),
	COLUMN(COUNT, "bytes", NULL, "known bytes moved", OF(row.bytes.amount)),
	COLUMN(COUNT, "flops_per_s", "TFLOP/s",
		"floating-point operations per second; null if unknown",
		OF(flops_per_s), .unit = &tera, .place = 1),
	COLUMN(COUNT, "bytes_per_s", "GB/s",
		"bytes per second; null if unknown",
		OF(bytes_per_s), .unit = &giga, .place = 3),
	COLUMN(PERCENT, "flops_percent", "peak %",
		"flops_per_s in percent of the device's peak; null if unknown",
		OF(flops_share), .place = 2),
	COLUMN(PERCENT, "bandwidth_percent", "peak %",
		"bytes_per_s in percent of the device's peak; null if unknown",
		OF(bytes_share), .place = 4),
	COLUMN(BOOL, "flops_misfit", NULL, "the model does not fit: the "
		"operations would exceed the device's peak and are left out",
		OF(row.flops_misfit)),
	COLUMN(BOOL, "bytes_misfit", NULL, "the model does not fit: the bytes "
		"would exceed the device's peak and are left out",
		OF(row.bytes_misfit)),
	COLUMN_IN_TEXT(TEXT, "kernel", OF(kernel), .place = 5),
};
/* clang-format on */

/* A share that would exceed the peak is unknown. */
static struct value share_value(bool misfit, bool known, uint64_t share)
{
	struct value value = value_maybe(known, share);

	value.text = misfit && !known ? "no fit" : NULL;
	return value;
}

static enum table_style fill(
	const struct columns *columns, uint32_t index, void *out)
{
	const struct kernels_view *view = columns->user;
	uint32_t count;
	const struct kernels_row *row =
		&kernels_rows(view->kernels, &count)[index];
	const struct kernels_device *device =
		&kernels_devices(view->kernels, &count)[row->device];
	struct kernels_rates rates =
		kernels_rates_of(view, row, kernels_peak_of(view, device));
	struct line *line = out;

	*line = (struct line){
		.input = view->input,
		.device = *device,
		.name = strtab_text(view->trace->text, row->name, NULL),
		.row = *row,
		.mean_ns = quantity_mean(row->total_ns, row->count),
		.flops = kernels_flops(row).amount,
		.share = value_maybe(device->total_ns != 0,
			amount_share(row->total_ns, device->total_ns)),
		.flops_per_s = value_maybe(rates.has_flops, rates.flops_per_s),
		.bytes_per_s = value_maybe(rates.has_bytes, rates.bytes_per_s),
		.flops_share = share_value(row->flops_misfit,
			rates.has_flops_share, rates.flops_share),
		.bytes_share = share_value(row->bytes_misfit,
			rates.has_bytes_share, rates.bytes_share),
	};

	line->device_name =
		devices_name_value(view->trace, device->pid, device->number);
	line->kernel = label_name(line->name);
	return TABLE_PLAIN;
}

/* The table of the device whose rows these are. */
static struct columns columns_of(
	const struct kernels_view *view, uint32_t first, uint32_t end)
{
	return (struct columns){COLUMNS(items, struct line), .fill = fill,
		.user = view, .first_row = first, .row_count = end,
		.top = view->top, .sort = (uint8_t)(view->sort + 1),
		.width = view->width, .color = view->color};
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
	put_device_name(json, view, device);
	report_uint(json, "count", device->count);
	report_uint(json, "total_ns", device->total_ns);
	report_uint(json, "flops", device->flops.amount);
	report_uint(json, "flops_known_ns", device->flops.time_ns);
	report_uint(json, "flops_misfit_ns", device->flops_misfit_ns);
	report_uint(json, "helpers_ns", device->helper_ns);
	report_uint(json, "bytes", device->bytes.amount);
	report_uint(json, "bytes_known_ns", device->bytes.time_ns);
	report_uint(json, "bytes_misfit_ns", device->bytes_misfit_ns);
	put_peak(json, kernels_peak_of(view, device));
	json_end(json, '}');
}

/* The first row of the next device. */
static uint32_t next_device(const struct kernels_view *view, uint32_t first)
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
	struct report complete = *report;
	struct columns columns;
	struct json json;
	int status;

	(void)kernels_rows(view->kernels, &count);
	for (uint32_t i = 0, next; i < count; i = next) {
		next = next_device(view, i);
		complete.truncated |= view->top != 0 && next - i > view->top;
	}
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
	for (uint32_t i = 0; i < count; i = columns.row_count) {
		columns = columns_of(view, i, next_device(view, i));
		columns_put_objects(&columns, &json);
	}
	json_end(&json, ']');
	return report_end(&json);
}

int kernels_print_csv(const struct kernels_view *view, FILE *out)
{
	struct columns columns = columns_of(view, 0, 0);
	uint32_t count;

	(void)kernels_rows(view->kernels, &count);
	if (view->titles)
		columns_put_titles(&columns, out);
	for (uint32_t i = 0; i < count; i = columns.row_count) {
		columns = columns_of(view, i, next_device(view, i));
		columns_put_lines(&columns, out);
	}
	return EXIT_DONE;
}

static void print_device_name(const struct kernels_view *view,
	const struct kernels_device *device, FILE *out)
{
	uint32_t count;
	const struct kernels_device *all =
		kernels_devices(view->kernels, &count);
	size_t size = 0;
	const char *name = devices_guess_name(
		view->trace, device->pid, device->number, &size);

	fprintf(out, "Device %" PRIu32, device->number);
	if (all[0].pid != all[count - 1].pid)
		fprintf(out, " of %" PRId64, device->pid);
	if (name != NULL) {
		fputs(": ", out);
		table_text(out, name, size);
	}
	putc('\n', out);
}

static const char *share_of(
	char text[AMOUNT_TEXT], uint64_t part, uint64_t whole)
{
	return amount_hundredths(
		text, whole == 0 ? 0 : amount_share(part, whole));
}

/* Prints the share of the time for which the model does not fit. */
static void print_misfits(const struct kernels_device *device, FILE *out)
{
	char flops[AMOUNT_TEXT];
	char bytes[AMOUNT_TEXT];

	if (device->flops_misfit_ns == 0 && device->bytes_misfit_ns == 0)
		return;
	fprintf(out,
		"no fit: the model does not fit, since the work would exceed "
		"the peak; left out of\nall sums: operations of %s %% of the "
		"time, bytes of %s %%.\n",
		share_of(flops, device->flops_misfit_ns, device->total_ns),
		share_of(bytes, device->bytes_misfit_ns, device->total_ns));
}

/* Prints the share of the time with unknown work. */
static void print_coverage(const struct kernels_device *device, FILE *out)
{
	uint64_t known = device->flops.time_ns + device->helper_ns;
	char text[AMOUNT_TEXT];

	print_misfits(device, out);
	if (device->flops.time_ns == 0 && device->bytes.time_ns == 0 &&
		device->flops_misfit_ns == 0 && device->bytes_misfit_ns == 0) {
		fputs("Operations and bytes are unknown: the trace has no "
		      "input shapes (use\nrecord_shapes=True of PyTorch's "
		      "profiler), or only those of custom operators.\n",
			out);
		return;
	}
	fprintf(out, "Operations: known for %s %% of the time",
		share_of(text, device->flops.time_ns, device->total_ns));
	if (device->helper_ns > 0)
		fprintf(out, "; %s %% was spent in helper kernels",
			share_of(text, device->helper_ns, device->total_ns));
	fprintf(out, "; unknown for %s %%.\n",
		share_of(text,
			known < device->total_ns ? device->total_ns - known : 0,
			device->total_ns));
	fprintf(out, "Bytes: known for %s %% of the time.\n",
		share_of(text, device->bytes.time_ns, device->total_ns));
}

/* Whether some rows have operations of unknown type. */
static bool lacks_dtype(const struct kernels_view *view, uint32_t first)
{
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);

	for (uint32_t i = first; i < next_device(view, first); i++)
		if (view->dtype == DTYPE_UNKNOWN &&
			rows[i].flops[DTYPE_UNKNOWN].amount > 0)
			return true;
	return false;
}

static void print_peak(const struct kernels_view *view, uint32_t first,
	const struct peak *peak, FILE *out)
{
	if (peak == NULL)
		fputs("Peaks: unknown for this device; see --peaks.\n", out);
	else {
		fputs("Peaks: ", out);
		table_text(out, peak->source, strlen(peak->source));
		fputs(".\n", out);
	}
	if (peak != NULL && lacks_dtype(view, first))
		fputs("The data type of some kernels is unknown; see "
		      "--dtype.\n",
			out);
}

int kernels_print_text(const struct kernels_view *view, FILE *out)
{
	uint32_t device_count;
	const struct kernels_device *devices =
		kernels_devices(view->kernels, &device_count);
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);

	if (count == 0) {
		fputs("No GPU ran a kernel.\n", out);
		return EXIT_DONE;
	}
	for (uint32_t first = 0, next; first < count; first = next) {
		const struct kernels_device *device =
			&devices[rows[first].device];
		const struct peak *peak = kernels_peak_of(view, device);
		struct columns columns;

		next = next_device(view, first);
		columns = columns_of(view, first, next);
		if (first > 0)
			putc('\n', out);
		print_device_name(view, device, out);
		if (!columns_print(&columns, out)) {
			if (ferror(out))
				return EXIT_OUTPUT;
			return diag_no_memory(NULL);
		}
		print_coverage(device, out);
		print_peak(view, first, peak, out);
	}
	if (kernels_late(view->kernels) > 0)
		fprintf(out,
			"Kernels too late for a share of their operator's "
			"work, which earlier ones have: %" PRIu64 ".\n",
			kernels_late(view->kernels));
	return EXIT_DONE;
}

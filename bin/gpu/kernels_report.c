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
#include "cli/table.h"
#include "input/devices.h"
#include "io/amount.h"
#include "profiles/label.h"

#define HUNDREDTHS 100

/* Units of the text tables. */
#define UNIT_TOTAL_NS 1000000 /* ms */
#define UNIT_NS 1000          /* us */
#define UNIT_FLOPS UINT64_C(1000000000000)
#define UNIT_BYTES 1000000000

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

static void put_share(
	struct json *json, const char *key, bool known, uint64_t value)
{
	json_key(json, key);
	if (known)
		json_double(json, (double)value / HUNDREDTHS);
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

/* Rounded to the nearest. */
static uint64_t mean_of(const struct kernels_row *row)
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
	put_device_name(json, view, device);
	report_text(
		json, "name", strtab_text(view->trace->text, row->name, NULL));
	report_uint(json, "count", row->count);
	report_uint(json, "total_ns", row->total_ns);
	report_uint(json, "mean_ns", mean_of(row));
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
	report_bool(json, "flops_misfit", row->flops_misfit);
	report_bool(json, "bytes_misfit", row->bytes_misfit);
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

/* One past the last visible row of the device whose first row this is. */
static uint32_t shown_end(const struct kernels_view *view, uint32_t first)
{
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);
	uint32_t end = first;

	while (end < count && rows[end].device == rows[first].device &&
		(view->top == 0 || end - first < view->top))
		end++;
	return end;
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
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);
	struct report complete = *report;
	struct json json;
	int status;

	for (uint32_t i = 0; i < count; i = next_device(view, i))
		complete.truncated = complete.truncated ||
				     shown_end(view, i) < next_device(view, i);
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
		first = next_device(view, first))
		for (uint32_t i = first; i < shown_end(view, first); i++)
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
		row->total_ns, mean_of(row));
	put_number(out, true, row->min_ns);
	put_number(out, true, row->max_ns);
	put_number(out, true, kernels_flops(row).amount);
	put_number(out, true, row->bytes.amount);
	put_number(out, rates.has_flops, rates.flops_per_s);
	put_number(out, rates.has_bytes, rates.bytes_per_s);
	put_percent(out, rates.has_flops_share, rates.flops_share);
	put_percent(out, rates.has_bytes_share, rates.bytes_share);
	fprintf(out, ",%d,%d\n", row->flops_misfit, row->bytes_misfit);
}

int kernels_print_csv(const struct kernels_view *view, FILE *out)
{
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);

	if (view->titles)
		fputs("input,pid,device,name,count,total_ns,mean_ns,min_ns,max_"
		      "ns,flops,"
		      "bytes,flops_per_s,bytes_per_s,flops_percent,"
		      "bandwidth_percent,flops_misfit,bytes_misfit\n",
			out);
	for (uint32_t first = 0; first < count;
		first = next_device(view, first))
		for (uint32_t i = first; i < shown_end(view, first); i++)
			print_row(view, &rows[i], out);
	return EXIT_DONE;
}

static void add_in_unit(
	struct table *table, bool known, uint64_t value, uint64_t unit)
{
	char text[QUANTITY_TEXT];

	table_add(table, known ? quantity_in(text, value, unit) : "-");
}

static void add_percent(struct table *table, bool known, uint64_t share)
{
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64 ".%02" PRIu64,
		share / HUNDREDTHS, share % HUNDREDTHS);
	table_add(table, known ? text : "-");
}

static void add_peak_share(
	struct table *table, bool misfit, bool known, uint64_t share)
{
	if (misfit && !known)
		table_add(table, "no fit");
	else
		add_percent(table, known, share);
}

static void add_row(const struct kernels_view *view, struct table *table,
	const struct kernels_row *row, const struct peak *peak)
{
	struct kernels_rates rates = kernels_rates_of(view, row, peak);
	uint32_t count;
	const struct kernels_device *device =
		&kernels_devices(view->kernels, &count)[row->device];
	char text[QUANTITY_TEXT];

	table_add_row(table, TABLE_PLAIN);
	(void)snprintf(text, sizeof(text), "%" PRIu64, row->count);
	table_add(table, text);
	add_in_unit(table, true, row->total_ns, UNIT_TOTAL_NS);
	add_percent(table, device->total_ns != 0,
		amount_share(row->total_ns, device->total_ns));
	add_in_unit(table, true, mean_of(row), UNIT_NS);
	add_in_unit(table, true, row->min_ns, UNIT_NS);
	add_in_unit(table, true, row->max_ns, UNIT_NS);
	add_in_unit(table, rates.has_flops, rates.flops_per_s, UNIT_FLOPS);
	add_peak_share(table, row->flops_misfit, rates.has_flops_share,
		rates.flops_share);
	add_in_unit(table, rates.has_bytes, rates.bytes_per_s, UNIT_BYTES);
	add_peak_share(table, row->bytes_misfit, rates.has_bytes_share,
		rates.bytes_share);
	table_add(table,
		label_name(strtab_text(view->trace->text, row->name, NULL)));
}

static bool print_table(const struct kernels_view *view, uint32_t first,
	const struct peak *peak, FILE *out)
{
	static const struct table_column columns[] = {
		{"count", true},
		{"total ms", true},
		{"share %", true},
		{"mean us", true},
		{"min us", true},
		{"max us", true},
		{"TFLOP/s", true},
		{"peak %", true},
		{"GB/s", true},
		{"peak %", true},
		{"kernel", false},
	};
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);
	uint32_t end = shown_end(view, first);
	uint32_t hidden = next_device(view, first) - end;
	struct table table;
	bool printed;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	if (view->sort != KERNELS_MIN)
		table_hide_below(&table, "min us", FULL);
	if (view->sort != KERNELS_MAX)
		table_hide_below(&table, "max us", FULL);
	table_hide_below(&table, "share %", WIDE);
	for (uint32_t i = first; i < end; i++)
		add_row(view, &table, &rows[i], peak);
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	if (hidden > 0)
		fprintf(out, "(%" PRIu32 " more not shown; see --top)\n",
			hidden);
	return printed;
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
	for (uint32_t first = 0; first < count;
		first = next_device(view, first)) {
		const struct kernels_device *device =
			&devices[rows[first].device];
		const struct peak *peak = kernels_peak_of(view, device);

		if (first > 0)
			putc('\n', out);
		print_device_name(view, device, out);
		if (!print_table(view, first, peak, out)) {
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

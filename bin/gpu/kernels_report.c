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
#include "cli/columns_page.h"
#include "input/devices.h"
#include "io/amount.h"
#include "profiles/label.h"

/* Line widths for all columns, and for most. */
#define FULL 105
#define WIDE 90

/* Largest share of a peak, in hundredths of a percent. */
#define OP_SHARE_MAX (10000u + 100u * KERNELS_BOOST)

/* The peaks of a device; NULL if unknown. */
static const struct peak *peak_of(
	const struct kernels_view *view, const struct kernels_device *device)
{
	const char *name = kernels_model(view->kernels, device, NULL);
	uint64_t memory = device->memory_bytes;
	const struct peak *peak;

	if (name == NULL)
		return NULL;
	peak = peak_find(view->peaks->peaks, view->peaks->count, name, memory);
	return peak != NULL ? peak
			    : peak_find(peaks_known, peaks_known_count, name,
				      memory);
}

void kernels_apply_peaks(
	struct kernels *kernels, const struct kernels_view *view)
{
	uint32_t count;
	const struct kernels_device *devices = kernels_devices(kernels, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct peak *peak = peak_of(view, &devices[i]);

		if (peak != NULL)
			kernels_apply_peak(kernels, i, peak, view->dtype);
	}
}

/* The rates of a row, if known. */
struct kernels_rates {
	bool has_flops;
	bool has_bytes;
	bool has_flops_share;
	bool has_bytes_share;
	uint64_t flops_per_s;
	uint64_t bytes_per_s;
	uint64_t flops_share; /* hundredths of a percent, like the next */
	uint64_t bytes_share;
};

/* `peak` may be NULL. */
static struct kernels_rates rates_of(const struct kernels_view *view,
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

static const struct column_unit ms = {"ms", 1000000};
static const struct column_unit us = {"us", 1000};
static const struct column_unit tera = {"", UINT64_C(1000000000000)};
static const struct column_unit giga = {"", 1000000000};

/* Bits of the sheet. */
#define SINGLE 1u /* the report is on one input */
#define SUM 2u    /* or on a sum of several */

struct line {
	const char *input;
	struct kernels_device device;
	struct value device_name;
	const char *name;
	struct kernels_row row;
	uint64_t mean_ns, flops;
	struct value share, flops_per_s, bytes_per_s, flops_share, bytes_share;
	struct value moved;
	struct value_name label;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct line, member)
static const struct column items[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input", OF(input), .when = SINGLE),
	COLUMN(INTEGER, "pid", NULL, "the process", OF(device.pid),
		.when = SINGLE),
	COLUMN(COUNT, "device", NULL, "the device's number, from 0",
		OF(device.number), .when = SINGLE),
	COLUMN_IN_CSV(TEXT, "device_name",
		"the name of the devices; empty if it is not known",
		OF(device_name), .when = SUM),
	COLUMN_IN_JSON(TEXT, "device_name",
		"the device's name; null if it is not known", OF(device_name),
		.nullable = true),
	COLUMN(TEXT, "name", NULL, "the kernel's name", OF(name),
		.sort = "name"),
	COLUMN(COUNT, "count", "count", "number of launches", OF(row.count),
		.sort = "count"),
	COLUMN(TIME, "total_ns", "total ", "the time of all launches",
		OF(row.total_ns), .unit = &ms,
		.sort = "total"),
	COLUMN_IN_TEXT(PERCENT, "share %", OF(share), .min_line = WIDE),
	COLUMN(TIME, "mean_ns", "mean ", "the mean time of a launch",
		OF(mean_ns), .unit = &us,
		.sort = "mean"),
	COLUMN(TIME, "min_ns", "min ", "the shortest launch", OF(row.min_ns),
		.unit = &us, .min_line = FULL,
		.sort = "min"),
	COLUMN(TIME, "max_ns", "max ", "the longest launch", OF(row.max_ns),
		.unit = &us, .min_line = FULL,
		.sort = "max"),
	COLUMN(COUNT, "flops", NULL, "known floating-point operations",
		OF(flops)),
	COLUMN(COUNT, "bytes", NULL, "known bytes moved", OF(row.bytes.amount)),
	COLUMN(COUNT, "flops_per_s", "TFLOP/s",
		"floating-point operations per second; null if unknown",
		OF(flops_per_s), .nullable = true, .unit = &tera, .place = 1,
		.sort = "flops", .page = "FLOP/s"),
	COLUMN(COUNT, "bytes_per_s", "GB/s",
		"bytes per second; null if unknown",
		OF(bytes_per_s), .nullable = true, .unit = &giga, .place = 3,
		.sort = "bytes", .page = "B/s"),
	COLUMN(PERCENT, "flops_percent", "peak %",
		"flops_per_s in percent of the device's peak; null if unknown",
		OF(flops_share), .nullable = true, .place = 2),
	COLUMN(PERCENT, "bandwidth_percent", "peak %",
		"bytes_per_s in percent of the device's peak; null if unknown",
		OF(bytes_share), .nullable = true, .place = 4),
	COLUMN(BOOL, "flops_misfit", NULL, "the model does not fit: the "
		"operations would exceed the device's peak and are left out",
		OF(row.flops_misfit)),
	COLUMN(BOOL, "bytes_misfit", NULL, "the model does not fit: the bytes "
		"would exceed the device's peak and are left out",
		OF(row.bytes_misfit)),
	COLUMN_ON_PAGE(BYTES, "moved", OF(moved), .place = 5),
	COLUMN_IN_TEXT(TEXT, "kernel", OF(label), .place = 5,
		.page = "kernel, copy or memset"),
};
/* clang-format on */

/* A share that would exceed the peak is unknown. */
static struct value share_value(bool misfit, bool known, uint64_t share)
{
	struct value value = value_maybe(known, share);

	value.text = misfit && !known ? "no fit" : NULL;
	return value;
}

const struct columns kernels_table = COLUMNS(
	"rows", "each kernel on each GPU, in the order of --sort", items);

static struct value model_value(
	const struct kernels_view *view, const struct kernels_device *device)
{
	size_t size;
	struct value value =
		value_text(kernels_model(view->kernels, device, &size));

	value.size = size;
	return value;
}

static struct line line_of(const struct kernels_view *view,
	const struct kernels_device *device, const char *name,
	const struct kernels_row *row, const struct peak *peak)
{
	struct kernels_rates rates = rates_of(view, row, peak);

	return (struct line){
		.input = view->input,
		.device = *device,
		.name = name,
		.row = *row,
		.mean_ns = quantity_mean(row->total_ns, row->count),
		.flops = kernels_flops(row).amount,
		.share = value_share(row->total_ns, device->total_ns),
		.flops_per_s = value_maybe(rates.has_flops, rates.flops_per_s),
		.bytes_per_s = value_maybe(rates.has_bytes, rates.bytes_per_s),
		.flops_share = share_value(row->flops_misfit,
			rates.has_flops_share, rates.flops_share),
		.bytes_share = share_value(row->bytes_misfit,
			rates.has_bytes_share, rates.bytes_share),
		.label = {.name = label_name(name), .tail = ""},
	};
}

static struct line line_of_row(const struct kernels_view *view,
	const struct kernels_row *row, const struct peak *peak)
{
	uint32_t count;
	const struct kernels_device *device =
		&kernels_devices(view->kernels, &count)[row->device];
	struct line line = line_of(
		view, device, kernels_name(view->kernels, row), row, peak);

	line.device_name = model_value(view, device);
	return line;
}

void kernels_put_function(struct sheet *sheet, const struct kernels_view *view,
	const struct profile_function *function, const struct kernels_row *work)
{
	static const char *const kinds[] = {[PROFILE_KERNEL] = "kernel",
		[PROFILE_COPY] = "copy",
		[PROFILE_SET] = "memset"};
	const struct peak *peak = NULL;
	struct kernels_row row = *work;
	const struct kernels_device device = {
		.number = function->device.number, .total_ns = view->all_ns};
	uint32_t count;
	size_t size = 0;
	const char *name = devices_function_name(function, &size);
	struct line line;
	char *tail = NULL;

	row.count = function->cost.ncalls;
	row.total_ns = function->device.self_ns;
	row.min_ns = function->device.min_ns;
	row.max_ns = function->device.max_ns;
	if (row.device != UINT32_MAX)
		peak = peak_of(view,
			&kernels_devices(view->kernels, &count)[row.device]);
	line = line_of(view, &device, function->name, &row, peak);
	line.moved = value_maybe(
		function->device.bytes != 0, function->device.bytes);
	if (asprintf(&tail, "%s \xc2\xb7 GPU %" PRIu32 "%s%.*s",
		    kinds[function->device.kind], device.number,
		    name == NULL ? "" : " ", (int)size,
		    name == NULL ? "" : name) < 0) {
		sheet->failed = true;
		return;
	}
	line.label.tail = tail;
	columns_page_cells(sheet, &kernels_table, &line);
	free(tail);
}

/* ---- operators ---- */

struct op_line {
	struct line line;
	struct value_name label;
};

/* clang-format off */
#define OF_OP(member) COLUMN_OF(struct op_line, member)
static const struct column op_items[] = {
	{.type = COLUMN_TIME, .json = "total_ns", .page = "GPU time",
		.help = "the time of its kernels", OF_OP(line.row.total_ns)},
	COLUMN_ON_PAGE(COUNT, "calls", OF_OP(line.row.count),
		.help = "number of calls that launched kernels"),
	COLUMN_ON_PAGE(COUNT, "FLOP/s", OF_OP(line.flops_per_s), .unit = &tera,
		.help = "floating-point operations per second"),
	COLUMN_ON_PAGE(PERCENT, "peak %", OF_OP(line.flops_share),
		.help = "share of the device's peak of operations"),
	COLUMN_ON_PAGE(COUNT, "B/s", OF_OP(line.bytes_per_s), .unit = &giga,
		.help = "bytes per second"),
	COLUMN_ON_PAGE(PERCENT, "peak %", OF_OP(line.bytes_share),
		.help = "share of the device's peak of its memory"),
	COLUMN_ON_PAGE(TEXT, "operator", OF_OP(label),
		.help = "its name, and the shapes of its inputs"),
};
#undef OF_OP
/* clang-format on */
static const struct columns op_table = COLUMNS(
	"operators", "each operator with each shape of its inputs", op_items);

static void add_op(struct sheet *sheet, const struct kernels_view *view,
	const struct kernels_row *row)
{
	uint32_t count;
	const struct kernels_device *device =
		&kernels_devices(view->kernels, &count)[row->device];
	char *name = strdup(kernels_op_name(view->kernels, row));
	struct op_line line = {.label = {.tail = ""}};
	char *end = name == NULL ? NULL : strchr(name, '\n');

	sheet->failed |= name == NULL;
	if (name == NULL)
		return;
	if (end != NULL) {
		*end = '\0';
		line.label.tail = end + 1;
	}
	line.label.name = name;
	line.line = line_of(view, device, name, row, peak_of(view, device));
	/* The model of the work does not fit. */
	if (line.line.flops_share.number > OP_SHARE_MAX)
		line.line.flops_share = value_maybe(false, 0);
	if (line.line.bytes_share.number > OP_SHARE_MAX)
		line.line.bytes_share = value_maybe(false, 0);
	columns_add(sheet, &op_table, TABLE_PLAIN, &line);
	free(name);
}

void kernels_write_ops(struct sheet *sheet, const struct kernels_view *view)
{
	uint32_t count;
	const struct kernels_row *rows = kernels_ops(view->kernels, &count);
	uint32_t i = 0;

	columns_begin(sheet, &op_table);
	for (; i < count && !columns_full(sheet); i++)
		add_op(sheet, view, &rows[i]);
	columns_end(sheet, &op_table);
	columns_hidden(sheet, count - i);
}

/* No key depends on the device's peak. */
static uint64_t sort_value(const struct kernels_row *row, const void *user)
{
	const struct kernels_view *view = user;
	struct line line = line_of_row(view, row, NULL);

	return columns_value(view->sort, &line).number;
}

void kernels_report_sort(
	struct kernels *kernels, const struct kernels_view *view)
{
	if (view->sort != NULL)
		kernels_sort(kernels, sort_value, view);
}

/* ---- devices ---- */

static struct value peak_value(const struct column *column, const void *row)
{
	const struct peak *peak = row;
	uint32_t gflops = peak->gflops[column->index];

	return gflops == 0 ? (struct value){.state = VALUE_ABSENT}
			   : value_number(gflops);
}

static struct value bandwidth_value(
	const struct column *column, const void *row)
{
	const struct peak *peak = row;

	(void)column;
	return value_maybe(peak->gb_per_s != 0, peak->gb_per_s);
}

struct device_line {
	struct kernels_device device;
	struct value name;
	const struct peak *peak;
};

/* clang-format off */
#define GFLOPS(dtype, key) \
	COLUMN_IN_JSON(COUNT, key, "with " key ", in GFLOP/s", \
		.get = peak_value, .index = dtype, .absent = true)
static const struct column gflops_members[] = {
	GFLOPS(DTYPE_FP64, "fp64"),
	GFLOPS(DTYPE_FP32, "fp32"),
	GFLOPS(DTYPE_TF32, "tf32"),
	GFLOPS(DTYPE_BF16, "bf16"),
	GFLOPS(DTYPE_FP16, "fp16"),
	GFLOPS(DTYPE_FP8, "fp8"),
	GFLOPS(DTYPE_INT8, "int8"),
};
static const struct columns gflops_table =
	COLUMNS("gflops", "operations per second by type", gflops_members);

static const struct column peak_members[] = {
	COLUMN_IN_JSON(TEXT, "source", "the origin of the figures",
		COLUMN_OF(struct peak, source)),
	COLUMN_IN_JSON(OBJECT, "gflops",
		"floating-point operations per second, by type",
		.table = &gflops_table),
	COLUMN_IN_JSON(COUNT, "gb_per_s",
		"of its memory, in GB/s; null if unknown",
		.get = bandwidth_value, .nullable = true),
};
static const struct columns peak_table =
	COLUMNS("peak", "the peak of the GPU; null if unknown", peak_members);

#define OF_DEVICE(member) COLUMN_OF(struct device_line, member)
static const struct column device_columns[] = {
	COLUMN_IN_JSON(INTEGER, "pid", "the process", OF_DEVICE(device.pid),
		.when = SINGLE),
	COLUMN_IN_JSON(COUNT, "device", "the device's number, from 0",
		OF_DEVICE(device.number), .when = SINGLE),
	COLUMN_IN_JSON(COUNT, "devices", "number of devices added up",
		OF_DEVICE(device.devices), .when = SUM),
	COLUMN_IN_JSON(TEXT, "device_name",
		"the device's name; null if unknown", OF_DEVICE(name),
		.nullable = true),
	COLUMN_IN_JSON(COUNT, "count", "number of launches",
		OF_DEVICE(device.count)),
	COLUMN_IN_JSON(TIME, "total_ns", "the time of all launches",
		OF_DEVICE(device.total_ns)),
	COLUMN_IN_JSON(COUNT, "flops", "known floating-point operations",
		OF_DEVICE(device.flops.amount)),
	COLUMN_IN_JSON(TIME, "flops_known_ns",
		"the time of kernels whose operations are known",
		OF_DEVICE(device.flops.time_ns)),
	COLUMN_IN_JSON(TIME, "flops_misfit_ns",
		"the time of kernels with flops_misfit",
		OF_DEVICE(device.flops_misfit_ns)),
	COLUMN_IN_JSON(TIME, "helpers_ns",
		"the time of kernels that prepare or finish work",
		OF_DEVICE(device.helper_ns)),
	COLUMN_IN_JSON(COUNT, "bytes", "known bytes moved",
		OF_DEVICE(device.bytes.amount)),
	COLUMN_IN_JSON(TIME, "bytes_known_ns",
		"the time of kernels whose bytes are known",
		OF_DEVICE(device.bytes.time_ns)),
	COLUMN_IN_JSON(TIME, "bytes_misfit_ns",
		"the time of kernels with bytes_misfit",
		OF_DEVICE(device.bytes_misfit_ns)),
	COLUMN_IN_JSON(OBJECT, "peak",
		"the peak of the GPU; null if unknown", OF_DEVICE(peak),
		.table = &peak_table, .nullable = true),
};
/* clang-format on */
static const struct columns device_table =
	COLUMNS("devices", "each GPU", device_columns);

/* clang-format off */
static const struct column head_items[] = {
	COLUMN_IN_JSON(COUNT, "late",
		"number of kernels too late for a share of their operator's "
		"work", .size = sizeof(uint64_t)),
};
/* clang-format on */
static const struct columns head_table = COLUMNS(NULL, NULL, head_items);
const struct report_form kernels_form = {.schema = "ctprof/kernels/1",
	.title = "ctprof kernels",
	.always = SINGLE,
	.never = SUM,
	.heads = {&head_table},
	.arrays = {&device_table, &kernels_table},
	.csv = &kernels_table};
const struct report_form kernels_sum_form = {.schema = "ctprof/kernels_sum/1",
	.title = "ctprof kernels --sum",
	.always = SUM,
	.never = SINGLE,
	.heads = {&head_table},
	.arrays = {&device_table, &kernels_table},
	.csv = &kernels_table};

static void add_devices(struct sheet *sheet, const struct kernels_view *view)
{
	uint32_t count;
	const struct kernels_device *devices =
		kernels_devices(view->kernels, &count);

	columns_begin(sheet, &device_table);
	for (uint32_t i = 0; i < count; i++) {
		struct device_line line = {
			.device = devices[i],
			.name = model_value(view, &devices[i]),
			.peak = peak_of(view, &devices[i]),
		};

		columns_add(sheet, &device_table, TABLE_PLAIN, &line);
	}
	columns_end(sheet, &device_table);
	columns_members(sheet, &head_table, &view->late);
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

/* "Device 0 of 12: NAME", or for a sum "NAME: 8 devices". */
static void print_device_name(const struct kernels_view *view,
	const struct kernels_device *device, FILE *out)
{
	uint32_t count;
	const struct kernels_device *all =
		kernels_devices(view->kernels, &count);
	size_t size;
	const char *name = kernels_model(view->kernels, device, &size);

	if (kernels_is_sum(view->kernels)) {
		if (name == NULL)
			fputs("unnamed", out);
		else
			table_text(out, name, size);
		fprintf(out, ": %" PRIu64 " %s\n", device->devices,
			device->devices == 1 ? "device" : "devices");
		return;
	}
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

bool kernels_has_more(const struct kernels_view *view)
{
	uint32_t count;

	(void)kernels_rows(view->kernels, &count);
	for (uint32_t i = 0, next; view->top != 0 && i < count; i = next) {
		next = next_device(view, i);
		if (next - i > view->top)
			return true;
	}
	return false;
}

/* Writes the rows of a device, which end at `next`. */
static void add_rows(struct sheet *sheet, const struct kernels_view *view,
	uint32_t first, uint32_t next)
{
	bool is_text = sheet->style == REPORT_TEXT;
	uint32_t device_count;
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);
	const struct kernels_device *device = &kernels_devices(
		view->kernels, &device_count)[rows[first].device];
	const struct peak *peak = peak_of(view, device);
	uint32_t end = view->top != 0 && next - first > view->top
			       ? first + view->top
			       : next;

	if (is_text) {
		columns_note(sheet, first > 0 ? "\n" : "");
		print_device_name(view, device, sheet->out);
		columns_begin(sheet, &kernels_table);
	}
	for (uint32_t i = first; i < end; i++) {
		struct line line = line_of_row(view, &rows[i], peak);

		columns_add(sheet, &kernels_table, TABLE_PLAIN, &line);
	}
	if (!is_text)
		return;
	columns_end(sheet, &kernels_table);
	columns_hidden(sheet, next - end);
	print_coverage(device, sheet->out);
	print_peak(view, first, peak, sheet->out);
}

void kernels_write(struct sheet *sheet, const void *user)
{
	const struct kernels_view *view = user;
	bool is_text = sheet->style == REPORT_TEXT;
	uint32_t count;

	(void)kernels_rows(view->kernels, &count);
	sheet->shown = kernels_is_sum(view->kernels) ? SUM : SINGLE;
	sheet->sort = view->sort;
	if (sheet->style == REPORT_JSON)
		add_devices(sheet, view);
	if (count == 0)
		columns_note(sheet, "No GPU ran a kernel.\n");
	if (!is_text)
		columns_begin(sheet, &kernels_table);
	for (uint32_t first = 0, next; first < count; first = next) {
		next = next_device(view, first);
		add_rows(sheet, view, first, next);
	}
	if (!is_text)
		columns_end(sheet, &kernels_table);
	else if (count > 0 && view->late > 0)
		columns_note(sheet,
			"Kernels too late for a share of their operator's "
			"work, which earlier ones have: %" PRIu64 ".\n",
			view->late);
}

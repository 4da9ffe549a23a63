/* SPDX-License-Identifier: MIT */
/* What kernels did, for people: a table for each device, and what is not known
 * about it. */
#include <inttypes.h>
#include <string.h>

#include "io/amount.h"
#include "cli/command.h"
#include "input/devices.h"
#include "gpu/kernels_private.h"
#include "profiles/label.h"
#include "cli/quantity.h"
#include "cli/say.h"
#include "cli/table.h"

#define UNIT_TOTAL_NS 1000000 /* ms */
#define UNIT_NS 1000          /* us */
#define UNIT_FLOPS UINT64_C(1000000000000)
#define UNIT_BYTES 1000000000
#define HUNDREDTHS 100

/* Lines with room for all of the columns, and for most. */
#define FULL 105
#define WIDE 90

static void add_in(
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
	add_in(table, true, row->total_ns, UNIT_TOTAL_NS);
	add_percent(table, device->total_ns != 0,
		amount_share(row->total_ns, device->total_ns));
	add_in(table, true, kernels_mean_of(row), UNIT_NS);
	add_in(table, true, row->min_ns, UNIT_NS);
	add_in(table, true, row->max_ns, UNIT_NS);
	add_in(table, rates.has_flops, rates.flops_per_s, UNIT_FLOPS);
	add_percent(table, rates.has_flops_share, rates.flops_share);
	add_in(table, rates.has_bytes, rates.bytes_per_s, UNIT_BYTES);
	add_percent(table, rates.has_bytes_share, rates.bytes_share);
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
	uint32_t end = kernels_end_of(view, first);
	uint32_t hidden = kernels_next_of(view, first) - end;
	struct table table;
	bool printed;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	if (view->sort != KERNELS_MIN)
		table_need(&table, "min us", FULL);
	if (view->sort != KERNELS_MAX)
		table_need(&table, "max us", FULL);
	table_need(&table, "share %", WIDE);
	for (uint32_t i = first; i < end; i++)
		add_row(view, &table, &rows[i], peak);
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	if (hidden > 0)
		fprintf(out, "(%" PRIu32 " more not shown; see --top)\n",
			hidden);
	return printed;
}

static void print_name(const struct kernels_view *view,
	const struct kernels_device *device, FILE *out)
{
	uint32_t count;
	const struct kernels_device *all =
		kernels_devices(view->kernels, &count);
	size_t size = 0;
	const char *name = devices_likely_name(
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

/* What part of the time nothing is known of. */
static void print_known(const struct kernels_device *device, FILE *out)
{
	uint64_t known = device->flops.time_ns + device->helper_ns;
	char text[AMOUNT_TEXT];

	if (device->flops.time_ns == 0 && device->bytes.time_ns == 0) {
		fputs("Operations and bytes: not known, as the trace does not "
		      "have the shapes of inputs\n(record_shapes=True of "
		      "PyTorch's profiler).\n",
			out);
		return;
	}
	fprintf(out, "Operations: known for %s %% of the time",
		share_of(text, device->flops.time_ns, device->total_ns));
	if (device->helper_ns > 0)
		fprintf(out, ", and %s %% was spent beside these",
			share_of(text, device->helper_ns, device->total_ns));
	fprintf(out, "; not known for %s %%.\n",
		share_of(text,
			known < device->total_ns ? device->total_ns - known : 0,
			device->total_ns));
	fprintf(out, "Bytes: known for %s %% of the time.\n",
		share_of(text, device->bytes.time_ns, device->total_ns));
}

/* Of some rows the operations are known, but not with what type. */
static bool lacks_dtype(const struct kernels_view *view, uint32_t first)
{
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);

	for (uint32_t i = first; i < kernels_next_of(view, first); i++)
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
		fputs("The type is not known that some kernels compute with; "
		      "see --dtype.\n",
			out);
}

int kernels_print_text(const struct kernels_view *view, FILE *out)
{
	uint32_t device_count;
	const struct kernels_device *devices =
		kernels_devices(view->kernels, &device_count);
	uint32_t count;
	const struct kernels_row *rows = kernels_rows(view->kernels, &count);

	for (uint32_t first = 0; first < count;
		first = kernels_next_of(view, first)) {
		const struct kernels_device *device =
			&devices[rows[first].device];
		const struct peak *peak = kernels_peak_of(view, device);

		if (first > 0)
			putc('\n', out);
		print_name(view, device, out);
		if (!print_table(view, first, peak, out)) {
			if (ferror(out))
				return EXIT_OUTPUT;
			say_no_memory(NULL);
			return EXIT_LIMIT;
		}
		print_known(device, out);
		print_peak(view, first, peak, out);
	}
	if (kernels_late(view->kernels) > 0)
		fprintf(out,
			"Kernels that came too late to have a part of their "
			"operator's work, which the first have: %" PRIu64 ".\n",
			kernels_late(view->kernels));
	return EXIT_DONE;
}

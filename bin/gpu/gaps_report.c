/* SPDX-License-Identifier: MIT */
#include "gpu/gaps_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "io/amount.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "input/devices.h"
#include "profiles/label.h"
#include "cli/quantity.h"
#include "cli/diag.h"

#define FULL 95 /* lines with all columns of devices */
#define THOUSANDTHS 1000
#define NUMBER_TEXT 48 /* "4294967295 of -9223372036854775808" */

static const struct column_unit thousandths = {"", THOUSANDTHS};

static struct columns with_view(
	struct columns columns, const struct gaps_view *view)
{
	columns.user = view;
	columns.unit = (struct column_unit){"ms", 1000000};
	columns.width = view->width;
	columns.color = view->color;
	return columns;
}

static struct value share_value(uint64_t part, uint64_t whole)
{
	return value_maybe(whole != 0, amount_share(part, whole));
}

/* ---- devices ---- */

struct device_line {
	struct gaps_device device;
	struct value name;
	struct value busy_share, kernel_share, idle_share;
	column_json_fn *causes;
	double queue_mean;
	char *label; /* "0 NAME" */
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct device_line, member)
static const struct column device_columns[] = {
	COLUMN_IN_JSON(INTEGER, "pid", "the process", OF(device.pid)),
	COLUMN_IN_JSON(COUNT, "device", "the device's number, from 0",
		OF(device.number)),
	COLUMN_IN_JSON(TEXT, "device_name",
		"the device's name; null if it is not known", OF(name)),
	COLUMN(TIME, "span_ns", "span ",
		"from the first to the last activity", OF(device.span_ns)),
	COLUMN_IN_JSON(TIME, "busy_ns", "the time with any activity",
		OF(device.busy_ns)),
	COLUMN_IN_TEXT(PERCENT, "busy %", OF(busy_share)),
	COLUMN_IN_JSON(TIME, "kernel_ns", "the time with a kernel",
		OF(device.kernel_ns)),
	COLUMN_IN_TEXT(PERCENT, "kernels %", OF(kernel_share),
		.min_line = FULL),
	COLUMN(TIME, "idle_ns", "idle ", "the time without any activity",
		OF(device.idle_ns)),
	COLUMN_IN_TEXT(PERCENT, "idle %", OF(idle_share)),
	COLUMN_IN_JSON(JSON, "causes", "the idle time by cause", OF(causes)),
	COLUMN(COUNT, "gaps", "gaps", "number of gaps", OF(device.gaps)),
	COLUMN(TIME, "longest_ns", "longest ", "the longest gap",
		OF(device.longest_ns)),
	COLUMN_IN_JSON(COUNT, "activities", "kernels, copies and memsets",
		OF(device.activities)),
	COLUMN_IN_TEXT(COUNT, "queue", OF(device.queue_mean),
		.unit = &thousandths),
	COLUMN(COUNT, "queue_depth_max", "most",
		"most activities launched and not yet done",
		OF(device.queue_max), .min_line = FULL),
	COLUMN_IN_JSON(REAL, "queue_depth_mean",
		"the mean number of activities launched and not yet done",
		OF(queue_mean)),
	COLUMN_IN_TEXT(TEXT, "device", OF(label)),
};
#undef OF
/* clang-format on */

static void put_causes(const void *row, struct json *json)
{
	const struct device_line *line = row;

	json_begin(json, '{');
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		report_uint(json, gap_cause_name((enum gap_cause)cause),
			line->device.cause_ns[cause]);
	json_end(json, '}');
}

/* "0"; with several processes "0 of 12". */
static const char *number_text(const struct gaps_view *view,
	const struct gaps_device *device, char text[NUMBER_TEXT])
{
	uint32_t count;
	const struct gaps_device *all = gaps_devices(view->gaps, &count);
	int size = snprintf(text, NUMBER_TEXT, "%" PRIu32, device->number);

	if (all[0].pid != all[count - 1].pid)
		(void)snprintf(text + size, (size_t)(NUMBER_TEXT - size),
			" of %" PRId64, device->pid);
	return text;
}

/* "0 NAME" */
static char *device_text(
	const struct gaps_view *view, const struct gaps_device *device)
{
	size_t size = 0;
	const char *name = devices_guess_name(
		view->trace, device->pid, device->number, &size);
	char number[NUMBER_TEXT];
	char *text = NULL;

	if (asprintf(&text, "%s%s%.*s", number_text(view, device, number),
		    name == NULL ? "" : " ", (int)size,
		    name == NULL ? "" : name) < 0)
		return NULL;
	return text;
}

static enum table_style fill_device(
	const struct columns *columns, uint32_t index, void *row)
{
	const struct gaps_view *view = columns->user;
	uint32_t count;
	const struct gaps_device *device =
		&gaps_devices(view->gaps, &count)[index];
	char *label = device_text(view, device);

	*(struct device_line *)row = (struct device_line){
		.device = *device,
		.name = devices_name_value(
			view->trace, device->pid, device->number),
		.busy_share = share_value(device->busy_ns, device->span_ns),
		.kernel_share = share_value(device->kernel_ns, device->span_ns),
		.idle_share = share_value(device->idle_ns, device->span_ns),
		.causes = put_causes,
		.queue_mean = (double)device->queue_mean / THOUSANDTHS,
		.label = label,
	};
	return label == NULL ? COLUMNS_NO_MEMORY : TABLE_PLAIN;
}

static void clear_device(void *row)
{
	free(((struct device_line *)row)->label);
}

static struct columns device_table(const struct gaps_view *view)
{
	struct columns columns = {COLUMNS(device_columns, struct device_line),
		.fill = fill_device, .clear = clear_device};

	(void)gaps_devices(view->gaps, &columns.row_count);
	return with_view(columns, view);
}

/* ---- causes ---- */

struct cause_line {
	uint64_t idle_ns;
	struct value share;
	const char *description;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct cause_line, member)
static const struct column cause_columns[] = {
	COLUMN_IN_TEXT(TIME, "idle ", OF(idle_ns)),
	COLUMN_IN_TEXT(PERCENT, "share %", OF(share)),
	COLUMN_IN_TEXT(TEXT, "cause", OF(description)),
};
#undef OF
/* clang-format on */

static uint64_t idle_of(const struct gaps_view *view)
{
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);
	uint64_t idle_ns = 0;

	for (uint32_t i = 0; i < count; i++)
		idle_ns += devices[i].idle_ns;
	return idle_ns;
}

static enum table_style fill_cause(
	const struct columns *columns, uint32_t cause, void *row)
{
	const struct gaps_view *view = columns->user;
	struct cause_line *line = row;
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);

	for (uint32_t i = 0; i < count; i++)
		line->idle_ns += devices[i].cause_ns[cause];
	line->share = share_value(line->idle_ns, idle_of(view));
	line->description = gap_cause_description((enum gap_cause)cause);
	return line->idle_ns == 0 ? COLUMNS_LEFT_OUT : TABLE_PLAIN;
}

static struct columns cause_table(const struct gaps_view *view)
{
	return with_view(
		(struct columns){COLUMNS(cause_columns, struct cause_line),
			.fill = fill_cause, .row_count = GAP_CAUSES},
		view);
}

/* ---- places: the host's work during gaps ---- */

static const char *name_of(const struct gaps_view *view, uint32_t number)
{
	return strtab_text(view->trace->text, number, NULL);
}

struct place_line {
	const char *input;
	struct gaps_device device;
	struct gaps_place place;
	const char *cause, *name, *file, *call;
	struct value share, device_number;
	char number[NUMBER_TEXT];
	char *label; /* see place_text() */
};

#define SEVERAL 1u /* devices */

/* clang-format off */
#define OF(member) COLUMN_OF(struct place_line, member)
static const struct column place_columns[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input", OF(input)),
	COLUMN(INTEGER, "pid", NULL, "the process", OF(device.pid)),
	COLUMN(COUNT, "device", NULL, "the device's number, from 0",
		OF(device.number)),
	COLUMN(TEXT, "cause", NULL, "the reason for the gaps", OF(cause)),
	COLUMN(TEXT, "name", NULL,
		"the innermost range of the host; empty if there is none",
		OF(name)),
	COLUMN(TEXT, "file", NULL, "the range's file; may be empty", OF(file)),
	COLUMN(COUNT, "line", NULL, "its line; 0 if it is unknown",
		OF(place.line)),
	COLUMN(TEXT, "call", NULL,
		"the call of the GPU's library in it; empty if there is none",
		OF(call)),
	COLUMN(TIME, "idle_ns", "idle ", "the sum of the gaps",
		OF(place.idle_ns)),
	COLUMN_IN_TEXT(PERCENT, "share %", OF(share)),
	COLUMN(COUNT, "count", "count", "number of gaps", OF(place.count)),
	COLUMN(TIME, "longest_ns", "longest ", "the longest gap",
		OF(place.longest_ns)),
	COLUMN_IN_TEXT(COUNT, "device", OF(device_number), .when = SEVERAL),
	COLUMN_IN_TEXT(TEXT, "cause", OF(cause)),
	COLUMN_IN_TEXT(TEXT, "what the host did", OF(label)),
};
#undef OF
/* clang-format on */

/* "NAME (file:line) > CALL" */
static char *place_text(
	const struct gaps_view *view, const struct gaps_place *place)
{
	const char *name = name_of(view, place->name);
	const char *file = name_of(view, place->file);
	const char *call = name_of(view, place->call);
	char where[16] = "";
	char *text = NULL;

	if (*name == '\0')
		name = *call == '\0' ? "(outside of any range)" : "";
	else
		name = label_name(name);
	if (place->line != 0)
		(void)snprintf(where, sizeof(where), ":%" PRIu32, place->line);
	if (asprintf(&text, "%s%s%s%s%s%s%s", name, *file == '\0' ? "" : " (",
		    file, *file == '\0' ? "" : where, *file == '\0' ? "" : ")",
		    *call == '\0' || *name == '\0' ? "" : " > ", call) < 0)
		return NULL;
	return text;
}

/* The text leaves out gaps without host code. */
static enum table_style fill_place(
	const struct columns *columns, uint32_t index, void *row)
{
	const struct gaps_view *view = columns->user;
	struct place_line *line = row;
	uint32_t count;
	const struct gaps_place *place =
		&gaps_places(view->gaps, &count)[index];
	const struct gaps_device *device =
		&gaps_devices(view->gaps, &count)[place->device];

	if (columns->is_text && !gaps_place_has_code(place))
		return COLUMNS_LEFT_OUT;
	*line = (struct place_line){
		.input = view->input,
		.device = *device,
		.place = *place,
		.cause = gap_cause_name(place->cause),
		.name = name_of(view, place->name),
		.file = name_of(view, place->file),
		.call = name_of(view, place->call),
		.share = share_value(place->idle_ns, idle_of(view)),
		.label = place_text(view, place),
	};
	line->device_number.text = number_text(view, device, line->number);
	return line->label == NULL ? COLUMNS_NO_MEMORY : TABLE_PLAIN;
}

static void clear_place(void *row)
{
	free(((struct place_line *)row)->label);
}

static struct columns place_table(const struct gaps_view *view)
{
	struct columns columns = {COLUMNS(place_columns, struct place_line),
		.fill = fill_place, .clear = clear_place, .top = view->top};

	(void)gaps_devices(view->gaps, &columns.row_count);
	columns.shown = columns.row_count > 1 ? SEVERAL : 0;
	(void)gaps_places(view->gaps, &columns.row_count);
	return with_view(columns, view);
}

/* ---- the report ---- */

static bool print_idle(const struct gaps_view *view, FILE *out)
{
	struct columns causes = cause_table(view);
	struct columns places = place_table(view);

	if (idle_of(view) == 0)
		return fputs("No GPU was ever idle.\n", out) != EOF;
	if (!columns_print(&causes, out) || putc('\n', out) == EOF)
		return false;
	if (columns_count_text(&places) != 0)
		return columns_print(&places, out);
	fputs("The table of host work leaves these causes out.\n", out);
	return true;
}

int gaps_print_text(const struct gaps_view *view, FILE *out)
{
	struct columns devices = device_table(view);

	if (devices.row_count == 0) {
		fputs("No GPU activity: no kernels, copies or memsets.\n", out);
		return EXIT_DONE;
	}
	if (columns_print(&devices, out) && putc('\n', out) != EOF &&
		print_idle(view, out))
		return EXIT_DONE;
	if (ferror(out))
		return EXIT_OUTPUT;
	return diag_no_memory(NULL);
}

int gaps_print_json(
	const struct gaps_view *view, const struct report *report, FILE *out)
{
	struct columns devices = device_table(view);
	struct columns places = place_table(view);
	struct report complete = *report;
	struct json json;
	int status;

	complete.truncated |= columns_has_more(&places);
	status = report_begin(&complete, &json, out);
	if (status != EXIT_DONE)
		return status;
	columns_put_rows(&devices, &json, "rows");
	columns_put_rows(&places, &json, "places");
	return report_end(&json);
}

int gaps_print_csv(const struct gaps_view *view, FILE *out)
{
	struct columns places = place_table(view);

	if (view->titles)
		columns_put_titles(&places, out);
	if (columns_put_lines(&places, out))
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

/* SPDX-License-Identifier: MIT */
#include "gpu/gaps_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "io/amount.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "profiles/label.h"
#include "cli/quantity.h"
#include "cli/diag.h"

#define FULL 95 /* lines with all columns of devices */
#define THOUSANDTHS 1000
#define UNNAMED "unnamed"
#define NUMBER_TEXT 48 /* "4294967295 of -9223372036854775808" */

static const struct column_unit thousandths = {"", THOUSANDTHS};

/* Bits of the sheet. */
#define SEVERAL 1u /* devices */
#define SINGLE 2u  /* the report is on one input */
#define SUM 4u     /* or on a sum of several */

/* ---- devices ---- */

struct device_line {
	struct gaps_device device;
	struct value name;
	struct value busy_share, kernel_share, idle_share, hidden_share;
	uint64_t exposed_ns;
	double queue_mean;
	char *label; /* see device_text() */
};

#define CAUSE(cause, key, help) \
	COLUMN_IN_JSON(TIME, key, help, \
		COLUMN_OF(struct device_line, device.cause_ns[cause])),
static const struct column cause_members[] = {GAP_CAUSES_IN_JSON(CAUSE)};
static const struct columns causes_table =
	COLUMNS("causes", "the idle time by cause", cause_members);

/* clang-format off */
#define OF(member) COLUMN_OF(struct device_line, member)
static const struct column device_columns[] = {
	COLUMN_IN_JSON(INTEGER, "pid", "the process", OF(device.pid),
		.when = SINGLE),
	COLUMN_IN_JSON(COUNT, "device", "the device's number, from 0",
		OF(device.number), .when = SINGLE),
	COLUMN_IN_JSON(COUNT, "devices", "number of devices added up",
		OF(device.devices), .when = SUM),
	COLUMN_IN_JSON(TEXT, "device_name",
		"the device's name; null if it is not known", OF(name),
		.nullable = true),
	COLUMN(TIME, "span_ns", "span ",
		"the time in which its process is known", OF(device.span_ns)),
	COLUMN_IN_JSON(TIME, "busy_ns", "the time with any activity",
		OF(device.busy_ns)),
	COLUMN_IN_TEXT(PERCENT, "busy %", OF(busy_share)),
	COLUMN_IN_JSON(TIME, "kernel_ns", "the time with a kernel",
		OF(device.kernel_ns)),
	COLUMN_IN_TEXT(PERCENT, "kernels %", OF(kernel_share),
		.min_line = FULL),
	COLUMN_IN_JSON(TIME, "compute_ns",
		"the time with a kernel that computes", OF(device.compute_ns)),
	COLUMN_IN_JSON(TIME, "comm_ns",
		"the time with a kernel that communicates, such as NCCL's",
		OF(device.communication_ns)),
	COLUMN_IN_JSON(TIME, "exposed_comm_ns",
		"the part of comm_ns without a kernel that computes",
		OF(exposed_ns)),
	COLUMN_IN_JSON(TIME, "copy_ns", "the time with a copy or memset",
		OF(device.copy_ns)),
	COLUMN(TIME, "idle_ns", "idle ", "the time without any activity",
		OF(device.idle_ns)),
	COLUMN_IN_TEXT(PERCENT, "idle %", OF(idle_share)),
	COLUMN_IN_JSON(OBJECT, "causes", "the parts of idle_ns",
		.table = &causes_table),
	COLUMN(COUNT, "gaps", "gaps", "number of gaps", OF(device.gaps)),
	COLUMN(TIME, "longest_ns", "longest ", "the longest gap",
		OF(device.longest_ns)),
	COLUMN_IN_JSON(COUNT, "activities", "kernels, copies and memsets",
		OF(device.activities)),
	COLUMN_IN_TEXT(COUNT, "queue", OF(device.queue_mean),
		.unit = &thousandths),
	COLUMN(COUNT, "queue_depth_max", "most",
		"the most kernels launched and not started",
		OF(device.queue_max), .min_line = FULL),
	COLUMN_IN_JSON(REAL, "queue_depth_mean",
		"the mean number of kernels launched and not started",
		OF(queue_mean)),
	COLUMN_IN_TEXT(TEXT, "device", OF(label), .page = "GPU"),
};
#undef OF
/* clang-format on */

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

static struct value model_value(
	const struct gaps_view *view, const struct gaps_device *device)
{
	size_t size;
	struct value value = value_text(gaps_model(view->gaps, device, &size));

	value.size = size;
	return value;
}

/* "0 NAME", or for a sum "NAME (8 devices)". */
static char *device_text(
	const struct gaps_view *view, const struct gaps_device *device)
{
	size_t size;
	const char *name = gaps_model(view->gaps, device, &size);
	char number[NUMBER_TEXT];
	char *text = NULL;

	if (gaps_is_sum(view->gaps)) {
		if (asprintf(&text, "%s (%" PRIu64 " %s)",
			    name == NULL ? UNNAMED : name, device->devices,
			    device->devices == 1 ? "device" : "devices") < 0)
			return NULL;
		return text;
	}
	if (asprintf(&text, "%s%s%.*s", number_text(view, device, number),
		    name == NULL ? "" : " ", (int)size,
		    name == NULL ? "" : name) < 0)
		return NULL;
	return text;
}

static const struct columns device_table =
	COLUMNS("rows", "each GPU", device_columns);

/* clang-format off */
#define OF(member) COLUMN_OF(struct device_line, member)
static const struct column overlap_columns[] = {
	COLUMN_IN_TEXT(TIME, "compute ", OF(device.compute_ns)),
	COLUMN_IN_TEXT(TIME, "communication ", OF(device.communication_ns)),
	COLUMN_IN_TEXT(TIME, "exposed ", OF(exposed_ns)),
	COLUMN_IN_TEXT(PERCENT, "hidden %", OF(hidden_share)),
	COLUMN_IN_TEXT(TIME, "copies ", OF(device.copy_ns)),
	COLUMN_IN_TEXT(TEXT, "device", OF(label)),
};
#undef OF
/* clang-format on */
static const struct columns overlap_table =
	COLUMNS(NULL, NULL, overlap_columns);

/* Writes one of the tables that have a row for each device. */
static void write_devices(struct sheet *sheet, const struct gaps_view *view,
	const struct columns *table)
{
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);
	uint32_t i = 0;

	columns_begin(sheet, table);
	for (; i < count && !columns_full(sheet); i++) {
		const struct gaps_device *device = &devices[i];
		struct device_line line = {
			.device = *device,
			.name = model_value(view, device),
			.busy_share =
				value_share(device->busy_ns, device->span_ns),
			.kernel_share =
				value_share(device->kernel_ns, device->span_ns),
			.idle_share =
				value_share(device->idle_ns, device->span_ns),
			.exposed_ns = gaps_device_exposed_ns(device),
			.queue_mean = (double)device->queue_mean / THOUSANDTHS,
			.label = device_text(view, device),
		};

		line.hidden_share =
			value_share(device->communication_ns - line.exposed_ns,
				device->communication_ns);
		sheet->failed |= line.label == NULL;
		columns_add(sheet, table, TABLE_PLAIN, &line);
		free(line.label);
	}
	columns_end(sheet, table);
	columns_hidden(sheet, count - i);
}

static bool communicates(const struct gaps_view *view)
{
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);

	for (uint32_t i = 0; i < count; i++)
		if (devices[i].communication_ns != 0)
			return true;
	return false;
}

static void set_shown(struct sheet *sheet, const struct gaps_view *view)
{
	uint32_t count;

	(void)gaps_devices(view->gaps, &count);
	sheet->shown = (count > 1 ? SEVERAL : 0) |
		       (gaps_is_sum(view->gaps) ? SUM : SINGLE);
}

void gaps_write_devices(struct sheet *sheet, const struct gaps_view *view)
{
	set_shown(sheet, view);
	if (sheet->style == REPORT_CSV)
		return;
	write_devices(sheet, view, &device_table);
	if (sheet->style == REPORT_TEXT && communicates(view)) {
		columns_note(sheet, "\n");
		write_devices(sheet, view, &overlap_table);
	}
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
		idle_ns = saturate_sum(idle_ns, devices[i].idle_ns);
	return idle_ns;
}

static const struct columns cause_table = COLUMNS(NULL, NULL, cause_columns);

static void add_causes(struct sheet *sheet, const struct gaps_view *view)
{
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);

	columns_begin(sheet, &cause_table);
	for (enum gap_cause cause = 0; cause < GAP_CAUSES; cause++) {
		struct cause_line line = {
			.description = gap_cause_description(cause)};

		for (uint32_t i = 0; i < count; i++)
			line.idle_ns = saturate_sum(
				line.idle_ns, devices[i].cause_ns[cause]);
		line.share = value_share(line.idle_ns, idle_of(view));
		if (line.idle_ns != 0)
			columns_add(sheet, &cause_table, TABLE_PLAIN, &line);
	}
	columns_end(sheet, &cause_table);
}

/* ---- places: the host's work during gaps ---- */

struct place_line {
	const char *input;
	struct gaps_device device;
	struct gaps_place place;
	const char *cause, *name, *file, *call;
	struct value share, device_label, device_name;
	char number[NUMBER_TEXT];
	char *label; /* see place_text() */
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct place_line, member)
static const struct column place_columns[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input", OF(input), .when = SINGLE),
	COLUMN(INTEGER, "pid", NULL, "the process", OF(device.pid),
		.when = SINGLE),
	COLUMN(COUNT, "device", NULL, "the device's number, from 0",
		OF(device.number), .when = SINGLE),
	COLUMN(TEXT, "device_name", NULL,
		"the name of the devices; null if it is not known",
		OF(device_name), .when = SUM, .nullable = true),
	COLUMN(TEXT, "cause", NULL, "the reason for the gaps", OF(cause),
		.words = "host|synchronization|copies|data_loading|queued|"
			 "nothing_launched|unknown"),
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
	COLUMN_IN_TEXT(COUNT, "device", OF(device_label), .when = SEVERAL),
	COLUMN_IN_TEXT(TEXT, "cause", OF(cause)),
	COLUMN_IN_TEXT(TEXT, "what the host did", OF(label)),
};
#undef OF
/* clang-format on */

/* "NAME (file:line) > CALL" */
static char *place_text(
	const struct gaps_view *view, const struct gaps_place *place)
{
	const char *name = gaps_text(view->gaps, place->name);
	const char *file = gaps_text(view->gaps, place->file);
	const char *call = gaps_text(view->gaps, place->call);
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

/* Tells the devices of places apart. */
static const char *device_label(const struct gaps_view *view,
	const struct gaps_device *device, char text[NUMBER_TEXT])
{
	const char *name = gaps_model(view->gaps, device, NULL);

	if (!gaps_is_sum(view->gaps))
		return number_text(view, device, text);
	return name == NULL ? UNNAMED : name;
}

static const struct columns place_table = COLUMNS("places",
	"the host's work during gaps, the longest first", place_columns);

static void add_place(struct sheet *sheet, const struct gaps_view *view,
	const struct gaps_place *place)
{
	uint32_t count;
	const struct gaps_device *device =
		&gaps_devices(view->gaps, &count)[place->device];
	struct place_line line = {
		.input = view->input,
		.device = *device,
		.place = *place,
		.cause = gap_cause_name(place->cause),
		.name = gaps_text(view->gaps, place->name),
		.file = gaps_text(view->gaps, place->file),
		.call = gaps_text(view->gaps, place->call),
		.share = value_share(place->idle_ns, idle_of(view)),
		.device_name = model_value(view, device),
		.label = place_text(view, place),
	};

	line.device_label.text = device_label(view, device, line.number);
	sheet->failed |= line.label == NULL;
	columns_add(sheet, &place_table, TABLE_PLAIN, &line);
	free(line.label);
}

void gaps_write_places(struct sheet *sheet, const struct gaps_view *view)
{
	uint32_t count;
	const struct gaps_place *places = gaps_places(view->gaps, &count);
	bool lacks_causes =
		sheet->style == REPORT_TEXT || sheet->style == REPORT_PAGE;
	uint32_t added = 0;
	uint32_t hidden = 0;

	set_shown(sheet, view);
	columns_begin(sheet, &place_table);
	for (uint32_t i = 0; i < count; i++) {
		/* Gaps without host code are left out. */
		if (lacks_causes && !gaps_place_has_code(&places[i]))
			continue;
		if ((view->top != 0 && added == view->top) ||
			columns_full(sheet)) {
			hidden++;
			continue;
		}
		add_place(sheet, view, &places[i]);
		added++;
	}
	if (added != 0 || sheet->style != REPORT_TEXT)
		columns_end(sheet, &place_table);
	else
		columns_note(sheet, "The table of host work leaves these "
				    "causes out.\n");
	columns_hidden(sheet, hidden);
}

/* ---- the report ---- */

const struct report_form gaps_form = {.schema = "ctprof/gaps/1",
	.title = "ctprof gaps",
	.always = SINGLE,
	.never = SUM,
	.arrays = {&device_table, &place_table},
	.csv = &place_table};
const struct report_form gaps_sum_form = {.schema = "ctprof/gaps_sum/1",
	.title = "ctprof gaps --sum",
	.always = SUM,
	.never = SINGLE,
	.arrays = {&device_table, &place_table},
	.csv = &place_table};

bool gaps_has_more(const struct gaps_view *view)
{
	uint32_t count;

	(void)gaps_places(view->gaps, &count);
	return view->top != 0 && count > view->top;
}

void gaps_write(struct sheet *sheet, const void *user)
{
	const struct gaps_view *view = user;
	bool is_text = sheet->style == REPORT_TEXT;
	uint32_t count;

	(void)gaps_devices(view->gaps, &count);
	sheet->unit = (struct column_unit){"ms", 1000000};
	if (is_text && count == 0) {
		columns_note(sheet, "No GPU activity: no kernels, copies or "
				    "memsets.\n");
		return;
	}
	gaps_write_devices(sheet, view);
	columns_note(sheet, "\n");
	if (is_text && idle_of(view) == 0) {
		columns_note(sheet, "No GPU was ever idle.\n");
		return;
	}
	add_causes(sheet, view);
	columns_note(sheet, "\n");
	gaps_write_places(sheet, view);
}

/* SPDX-License-Identifier: MIT */
#include "gpu/gaps_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "io/amount.h"
#include "cli/command.h"
#include "input/devices.h"
#include "profiles/label.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "cli/table.h"

#define FULL 95         /* lines with all columns of devices */
#define UNIT_NS 1000000 /* for text: ms */
#define THOUSANDTHS 1000
#define NUMBER_TEXT 48 /* "4294967295 of -9223372036854775808" */

static const char *text_of(const struct gaps_view *view, uint32_t number)
{
	return strtab_text(view->trace->text, number, NULL);
}

static void add_ms(struct table *table, uint64_t time_ns)
{
	char text[QUANTITY_TEXT];

	table_add(table, quantity_in(text, time_ns, UNIT_NS));
}

static void add_share(struct table *table, uint64_t part, uint64_t whole)
{
	char text[AMOUNT_TEXT];

	table_add(table, whole == 0 ? "-"
				    : amount_hundredths(
					      text, amount_share(part, whole)));
}

static void add_count(struct table *table, uint64_t count)
{
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, count);
	table_add(table, text);
}

static void add_format(struct table *table, char *text)
{
	table_add(table, text == NULL ? "" : text);
	table->text.failed = table->text.failed || text == NULL;
	free(text);
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

static void add_device(const struct gaps_view *view, struct table *table,
	const struct gaps_device *device)
{
	char text[QUANTITY_TEXT];

	table_add_row(table, TABLE_PLAIN);
	add_ms(table, device->span_ns);
	add_share(table, device->busy_ns, device->span_ns);
	add_share(table, device->kernel_ns, device->span_ns);
	add_ms(table, device->idle_ns);
	add_share(table, device->idle_ns, device->span_ns);
	add_count(table, device->gaps);
	add_ms(table, device->longest_ns);
	table_add(table, quantity_in(text, device->queue_mean, THOUSANDTHS));
	add_count(table, device->queue_max);
	add_format(table, device_text(view, device));
}

static bool print_devices(const struct gaps_view *view, FILE *out)
{
	static const struct table_column columns[] = {
		{"span ms", true},
		{"busy %", true},
		{"kernels %", true},
		{"idle ms", true},
		{"idle %", true},
		{"gaps", true},
		{"longest ms", true},
		{"queue", true},
		{"most", true},
		{"device", false},
	};
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);
	struct table table;
	bool printed;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	table_hide_below(&table, "kernels %", FULL);
	table_hide_below(&table, "most", FULL);
	for (uint32_t i = 0; i < count; i++)
		add_device(view, &table, &devices[i]);
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	return printed;
}

static uint64_t idle_of(const struct gaps_view *view)
{
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);
	uint64_t idle_ns = 0;

	for (uint32_t i = 0; i < count; i++)
		idle_ns += devices[i].idle_ns;
	return idle_ns;
}

static bool print_causes(const struct gaps_view *view, FILE *out)
{
	static const struct table_column columns[] = {
		{"idle ms", true}, {"share %", true}, {"cause", false}};
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);
	uint64_t idle_ns = idle_of(view);
	struct table table;
	bool printed;

	table_init(&table, columns, 3);
	for (int cause = 0; cause < GAP_CAUSES; cause++) {
		uint64_t sum_ns = 0;

		for (uint32_t i = 0; i < count; i++)
			sum_ns += devices[i].cause_ns[cause];
		if (sum_ns == 0)
			continue;
		table_add_row(&table, TABLE_PLAIN);
		add_ms(&table, sum_ns);
		add_share(&table, sum_ns, idle_ns);
		table_add(&table, gap_cause_description((enum gap_cause)cause));
	}
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	return printed;
}

/* "NAME (file:line) > CALL" */
static char *place_text(
	const struct gaps_view *view, const struct gaps_place *place)
{
	const char *name = text_of(view, place->name);
	const char *file = text_of(view, place->file);
	const char *call = text_of(view, place->call);
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

static void add_place(const struct gaps_view *view, struct table *table,
	const struct gaps_place *place, uint64_t idle_ns)
{
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(view->gaps, &count);
	char number[NUMBER_TEXT];

	table_add_row(table, TABLE_PLAIN);
	add_ms(table, place->idle_ns);
	add_share(table, place->idle_ns, idle_ns);
	add_count(table, place->count);
	add_ms(table, place->longest_ns);
	if (count > 1)
		table_add(table,
			number_text(view, &devices[place->device], number));
	table_add(table, gap_cause_name(place->cause));
	add_format(table, place_text(view, place));
}

/* The device column is omitted for a single device. */
static void init_places(const struct gaps_view *view, struct table *table)
{
	static const struct table_column one[] = {
		{"idle ms", true},
		{"share %", true},
		{"count", true},
		{"longest ms", true},
		{"cause", false},
		{"what the host did", false},
	};
	static const struct table_column several[] = {
		{"idle ms", true},
		{"share %", true},
		{"count", true},
		{"longest ms", true},
		{"device", true},
		{"cause", false},
		{"what the host did", false},
	};
	uint32_t count;

	(void)gaps_devices(view->gaps, &count);
	if (count > 1)
		table_init(
			table, several, sizeof(several) / sizeof(several[0]));
	else
		table_init(table, one, sizeof(one) / sizeof(one[0]));
}

static bool print_places(const struct gaps_view *view, FILE *out)
{
	uint32_t count;
	const struct gaps_place *places = gaps_places(view->gaps, &count);
	uint64_t idle_ns = idle_of(view);
	struct table table;
	uint32_t shown = 0;
	uint32_t hidden = 0;
	bool printed;

	init_places(view, &table);
	for (uint32_t i = 0; i < count; i++) {
		if (!gaps_place_has_code(&places[i]))
			continue;
		if (view->top != 0 && shown == view->top) {
			hidden++;
			continue;
		}
		shown++;
		add_place(view, &table, &places[i], idle_ns);
	}
	if (shown == 0)
		fputs("The table of host work leaves these causes out.\n", out);
	printed = shown == 0 ||
		  table_print(&table, out, view->color, view->width);
	table_clear(&table);
	if (hidden > 0)
		fprintf(out, "(%" PRIu32 " more not shown; see --top)\n",
			hidden);
	return printed;
}

static bool print_idle(const struct gaps_view *view, FILE *out)
{
	if (idle_of(view) == 0)
		return fputs("No GPU was ever idle.\n", out) != EOF;
	return print_causes(view, out) && putc('\n', out) != EOF &&
	       print_places(view, out);
}

int gaps_print_text(const struct gaps_view *view, FILE *out)
{
	uint32_t count;

	(void)gaps_devices(view->gaps, &count);
	if (count == 0) {
		fputs("No GPU activity: no kernels, copies or memsets.\n", out);
		return EXIT_DONE;
	}
	if (print_devices(view, out) && putc('\n', out) != EOF &&
		print_idle(view, out))
		return EXIT_DONE;
	if (ferror(out))
		return EXIT_OUTPUT;
	return diag_no_memory(NULL);
}

static void put_device(struct json *json, const struct gaps_view *view,
	const struct gaps_device *device)
{
	json_begin(json, '{');
	report_int(json, "pid", device->pid);
	report_uint(json, "device", device->number);
	devices_write_name(json, view->trace, device->pid, device->number);
	report_uint(json, "span_ns", device->span_ns);
	report_uint(json, "busy_ns", device->busy_ns);
	report_uint(json, "kernel_ns", device->kernel_ns);
	report_uint(json, "idle_ns", device->idle_ns);
	json_key(json, "causes");
	json_begin(json, '{');
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		report_uint(json, gap_cause_name((enum gap_cause)cause),
			device->cause_ns[cause]);
	json_end(json, '}');
	report_uint(json, "gaps", device->gaps);
	report_uint(json, "longest_ns", device->longest_ns);
	report_uint(json, "activities", device->activities);
	report_uint(json, "queue_depth_max", device->queue_max);
	json_key(json, "queue_depth_mean");
	json_double(json, (double)device->queue_mean / THOUSANDTHS);
	json_end(json, '}');
}

static void put_place(struct json *json, const struct gaps_view *view,
	const struct gaps_place *place, const struct gaps_device *device)
{
	json_begin(json, '{');
	report_int(json, "pid", device->pid);
	report_uint(json, "device", device->number);
	report_text(json, "cause", gap_cause_name(place->cause));
	report_text(json, "name", text_of(view, place->name));
	report_text(json, "file", text_of(view, place->file));
	report_uint(json, "line", place->line);
	report_text(json, "call", text_of(view, place->call));
	report_uint(json, "idle_ns", place->idle_ns);
	report_uint(json, "count", place->count);
	report_uint(json, "longest_ns", place->longest_ns);
	json_end(json, '}');
}

/* Number of places shown. */
static uint32_t shown_count(const struct gaps_view *view, uint32_t count)
{
	return view->top != 0 && view->top < count ? view->top : count;
}

int gaps_print_json(
	const struct gaps_view *view, const struct report *report, FILE *out)
{
	uint32_t device_count;
	const struct gaps_device *devices =
		gaps_devices(view->gaps, &device_count);
	uint32_t count;
	const struct gaps_place *places = gaps_places(view->gaps, &count);
	struct report complete = *report;
	struct json json;
	int status;

	complete.truncated =
		report->truncated || shown_count(view, count) < count;
	status = report_begin(&complete, &json, out);
	if (status != EXIT_DONE)
		return status;
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < device_count; i++)
		put_device(&json, view, &devices[i]);
	json_end(&json, ']');
	json_key(&json, "places");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < shown_count(view, count); i++)
		put_place(&json, view, &places[i], &devices[places[i].device]);
	json_end(&json, ']');
	return report_end(&json);
}

int gaps_print_csv(const struct gaps_view *view, FILE *out)
{
	uint32_t device_count;
	const struct gaps_device *devices =
		gaps_devices(view->gaps, &device_count);
	uint32_t count;
	const struct gaps_place *places = gaps_places(view->gaps, &count);

	if (view->titles)
		fputs("input,pid,device,cause,name,file,line,call,idle_ns,"
		      "count,longest_ns\n",
			out);
	for (uint32_t i = 0; i < shown_count(view, count); i++) {
		const struct gaps_place *place = &places[i];
		const struct gaps_device *device = &devices[place->device];

		table_csv(out, view->input, ',');
		fprintf(out, "%" PRId64 ",%" PRIu32 ",%s,", device->pid,
			device->number, gap_cause_name(place->cause));
		table_csv(out, text_of(view, place->name), ',');
		table_csv(out, text_of(view, place->file), ',');
		fprintf(out, "%" PRIu32 ",", place->line);
		table_csv(out, text_of(view, place->call), ',');
		fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			place->idle_ns, place->count, place->longest_ns);
	}
	return EXIT_DONE;
}

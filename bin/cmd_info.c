/* SPDX-License-Identifier: MIT */
/* Reports a file's format, origin and contents. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "cli/arguments.h"
#include "input/trace_summary.h"
#include "input/devices.h"
#include "input/input.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "input/report.h"
#include "input/sum.h"
#include "cli/diag.h"
#include "cli/table.h"

#define LINE_TEXT 96
#define FACT_SHOWN 512
#define NAMES_SHOWN 10 /* of each kind, as text */

struct request {
	struct inputs inputs;
	struct report_options report_options;
	bool json;
	bool sum;
	bool allows_repeats;
	uint32_t jobs;
	bool printed; /* a report was printed before */
	/* Several inputs have a row each; --verbose shows them in full. */
	bool has_table;
	struct table table;
	struct buffer remarks; /* lines below the table */
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->jobs != 0 && !request->sum)
		argp_error(state, "--jobs needs --sum");
	return 0;
}

/* Data of one input's report. */
struct file_info {
	const struct input *input;
	const struct trace *trace;
	const struct trace_summary *summary;
	struct devices devices;
	bool has_start;
	int64_t start_ns; /* since 1970 */
};

static const char *start_text(char *text, const struct file_info *info)
{
	return info->has_start ? quantity_date(text, info->start_ns)
			       : "unknown";
}

static void add(struct table *table, const char *key, const char *value)
{
	table_add_row(table, TABLE_PLAIN);
	table_add(table, key);
	table_add(table, value);
}

static void add_count(struct table *table, const char *key, uint64_t count)
{
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, count);
	add(table, key, text);
}

/* Clips a long value; --json has it completely. */
static const char *shorten(char *shown, size_t room, const char *value)
{
	size_t size = room - sizeof("...");

	if (strlen(value) < room)
		return value;
	while (size > 0 && ((uint8_t)value[size] & 0xc0) == 0x80)
		size--;
	(void)snprintf(shown, room, "%.*s...", (int)size, value);
	return shown;
}

/* Adds the file's facts, except those printed above. */
static void add_facts(struct table *table, const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];
		const char *name = strtab_text(trace->text, fact->key, NULL);
		char key[LINE_TEXT];
		char shown[FACT_SHOWN];
		const char *value = strtab_text(trace->text, fact->value, NULL);

		if (strcmp(name, "format") == 0 ||
			strcmp(name, "realtime") == 0 ||
			(strcmp(name, "parent") == 0 &&
				strcmp(value, "0") == 0))
			continue;
		(void)snprintf(key, sizeof(key), "  %.60s", name);
		add(table, key, shorten(shown, sizeof(shown), value));
	}
}

/* Adds the modules of functions known only by address. */
static void add_modules(struct table *table, const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->module_count; i++) {
		const struct trace_module *module = &trace->modules[i];
		const char *path = strtab_text(trace->text, module->path, NULL);
		const char *build_id =
			strtab_text(trace->text, module->build_id, NULL);
		char size[QUANTITY_TEXT];
		char *text = NULL;

		if (asprintf(&text, "%s at 0x%" PRIx64 ", %s%s%s%s", path,
			    module->base, quantity_bytes(size, module->bytes),
			    build_id[0] == '\0' ? "" : ", build id ", build_id,
			    module->closed ? ", closed" : "") < 0)
			text = NULL;
		add(table, "  module", text == NULL ? path : text);
		free(text);
	}
}

/* A profile has sums without times or threads. */
static void add_counts(
	struct table *table, const struct census *events, bool profile)
{
	const struct {
		const char *key;
		uint64_t count;
		bool always;
	} counts[] = {
		{"  processes", events->processes, !profile},
		{"  threads", events->threads, !profile},
		{"  devices", events->devices, false},
		{"  ranges", events->ranges, true},
		{"  open", events->open_ranges, false},
		{"  activities", events->activities, false},
		{"  other device", events->device_other, false},
		{"  calls", events->calls, false},
		{"  instants", events->instants, false},
		{"  counters", events->counters, false},
		{"  async", events->async, false},
		{"  memory", events->memory, false},
		{"  steps", events->steps, false},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i].always || counts[i].count != 0)
			add_count(table, counts[i].key, counts[i].count);
}

static void add_losses(struct table *table, const uint64_t losses[LOSS_KINDS])
{
	bool any = false;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		bool note = trace_loss_is_note(loss);
		char text[LINE_TEXT];

		if (losses[loss] == 0)
			continue;
		any = any || !note;
		(void)snprintf(text, sizeof(text), "%" PRIu64 " %s",
			losses[loss], trace_loss_description(loss));
		add(table, note ? "  note" : "  lost", text);
	}
	if (!any)
		add(table, "  lost", "nothing");
}

/* Adds the cost of recording, if it matters. */
static void add_cost(struct table *table, const struct recording_cost *cost)
{
	if (cost->waits[0] != '\0')
		add(table, "  note", cost->waits);
	if (cost->line[0] != '\0')
		add(table, "  cost", cost->line);
}

static void add_skew(struct table *table, uint64_t skew_ns)
{
	char time[QUANTITY_TEXT];
	char text[LINE_TEXT + QUANTITY_TEXT];

	if (skew_ns == 0)
		return;
	(void)snprintf(text, sizeof(text),
		"at least %s: activities start before their launch",
		quantity_time(time, skew_ns));
	add(table, "  clock skew", text);
}

static void print_text(struct sheet *sheet, const struct file_info *info)
{
	static const struct table_column columns[] = {{"", false}, {"", false}};
	bool profile = info->input->file.source->read_profile != NULL;
	char text[LINE_TEXT];
	struct table table;

	table_init(&table, columns, 2);
	add(&table, "  format", info->input->file.format->name);
	add(&table, "  start", start_text(text, info));
	add(&table, "  span",
		profile ? "unknown"
			: quantity_time(text, info->summary->events.span_ns));
	add_counts(&table, &info->summary->events, profile);
	add_losses(&table, info->trace->losses);
	if (input_has_spool(info->input))
		add(&table, "", INPUT_HAS_SPOOL);
	add_cost(&table, &info->summary->cost);
	add_skew(&table, info->summary->events.skew_ns);
	devices_add_rows(&info->devices, info->trace, &table);
	add_facts(&table, info->trace);
	add_modules(&table, info->trace);
	table_text(sheet->out, info->input->name, strlen(info->input->name));
	columns_note(sheet, "\n");
	sheet->failed |= !table_print(&table, sheet->out, false, 0);
	table_clear(&table);
}

/* ---- several inputs ---- */

static const struct table_column many_columns[] = {{"format", false},
	{"start", false}, {"span", true}, {"processes", true},
	{"threads", true}, {"ranges", true}, {"activities", true},
	{"lost", false}, {"file", false}};

static void add_number(struct table *table, uint64_t number)
{
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	table_add(table, text);
}

/* Adds a line below the table: what is lost, or what recording cost. */
static void add_remark(
	struct buffer *remarks, const struct input *input, const char *text)
{
	if (*text == '\0')
		return;
	buffer_add_text(remarks, input->name);
	buffer_add_text(remarks, ": ");
	buffer_add_text(remarks, text);
	buffer_add_byte(remarks, '\0');
}

/* Counts the kinds of losses, and adds a remark about each. */
static unsigned add_lost(struct buffer *remarks, const struct input *input)
{
	const struct trace *trace = input->file.source->trace;
	char text[LINE_TEXT + QUANTITY_TEXT];
	unsigned kinds = 0;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		if (trace->losses[loss] == 0 || trace_loss_is_note(loss))
			continue;
		(void)snprintf(text, sizeof(text), "%" PRIu64 " %s",
			trace->losses[loss], trace_loss_description(loss));
		add_remark(remarks, input, text);
		kinds++;
	}
	return kinds;
}

static int add_to_table(struct request *request, const struct file_info *info)
{
	const struct trace_summary *summary = info->summary;
	const struct input *input = info->input;
	bool profile = input->file.source->read_profile != NULL;
	struct table *table = &request->table;
	char text[LINE_TEXT];

	table_add_row(table, TABLE_PLAIN);
	table_add(table, input->file.format->name);
	table_add(table, start_text(text, info));
	table_add(
		table, profile ? "unknown"
			       : quantity_time(text, summary->events.span_ns));
	add_number(table, summary->events.processes);
	add_number(table, summary->events.threads);
	add_number(table, summary->events.ranges);
	add_number(table, summary->events.activities);
	table_add(table, add_lost(&request->remarks, input) == 0 ? "nothing"
								 : "see below");
	table_add(table, input->name);
	add_remark(&request->remarks, input, summary->cost.waits);
	add_remark(&request->remarks, input, summary->cost.line);
	return EXIT_DONE;
}

/* Each remark ends in a zero byte. */
static void put_remarks(const struct buffer *remarks, FILE *out)
{
	const char *at = (const char *)remarks->bytes;
	const char *end = at + remarks->used;

	while (at < end) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));

		table_text(out, at, (size_t)(stop - at));
		(void)putc('\n', out);
		at = stop + 1;
	}
}

static int print_many(void *user, FILE *out)
{
	struct request *request = user;
	bool printed = table_print(&request->table, out, false, 0);

	if (request->remarks.used > 0) {
		(void)putc('\n', out);
		put_remarks(&request->remarks, out);
	}
	printed = printed && !request->remarks.failed;
	table_clear(&request->table);
	buffer_clear(&request->remarks);
	return printed ? EXIT_DONE : diag_no_memory(NULL);
}

/* ---- JSON ---- */

struct clock_line {
	const char *name;
	struct value hz;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct clock_line, member)
static const struct column clock_items[] = {
	COLUMN_IN_JSON(TEXT, "name", "the clock's name", OF(name)),
	COLUMN_IN_JSON(COUNT, "hz", "its ticks per second; missing if unknown",
		OF(hz), .absent = true),
};
#undef OF
static const struct columns clock_table = COLUMNS("clock", NULL, clock_items);

#define OF(member) COLUMN_OF(struct census, member)
static const struct column count_items[] = {
	COLUMN_IN_JSON(COUNT, "ranges", "ranges", OF(ranges)),
	COLUMN_IN_JSON(COUNT, "device",
		"activities of devices: kernels, copies and memsets",
		OF(activities)),
	COLUMN_IN_JSON(COUNT, "device_other",
		"other records of devices, such as waits and annotations",
		OF(device_other)),
	COLUMN_IN_JSON(COUNT, "calls",
		"calls of a device's API, reported by its driver", OF(calls)),
	COLUMN_IN_JSON(COUNT, "instants", "instants", OF(instants)),
	COLUMN_IN_JSON(COUNT, "counters", "values of counters", OF(counters)),
	COLUMN_IN_JSON(COUNT, "async", "asynchronous ranges", OF(async)),
	COLUMN_IN_JSON(COUNT, "memory", "allocations and frees", OF(memory)),
	COLUMN_IN_JSON(COUNT, "steps", "steps", OF(steps)),
	COLUMN_IN_JSON(COUNT, "open", "ranges without an end", OF(open_ranges)),
};
#undef OF
/* clang-format on */
static const struct columns count_table =
	COLUMNS("counts", "number of events of each kind", count_items);

struct head {
	const char *format, *producer, *host;
	struct value start_ns, skew_ns;
	struct census events;
	const struct census *counts;
	const struct trace *trace;
};

static void put_clocks(
	struct sheet *sheet, const struct column *column, const void *row)
{
	const struct trace *trace = ((const struct head *)row)->trace;
	const char *hertz = trace_find_fact(trace, "clock_hz");
	struct clock_line line = {.name = trace_find_fact(trace, "clock")};

	(void)column;
	if (hertz != NULL)
		line.hz = value_number(strtoull(hertz, NULL, 10));
	if (line.name != NULL)
		columns_add(sheet, &clock_table, TABLE_PLAIN, &line);
}

/* Writes the facts as in the file: all are text, even numbers. The first of
 * equal keys, which may come from several recordings, wins. */
static void put_facts(
	struct sheet *sheet, const struct column *column, const void *row)
{
	const struct trace *trace = row;
	bool *seen = calloc(strtab_count(trace->text), sizeof(*seen));

	(void)column;
	for (uint32_t i = 0; seen != NULL && i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (!seen[fact->key])
			report_text(&sheet->json,
				strtab_text(trace->text, fact->key, NULL),
				strtab_text(trace->text, fact->value, NULL));
		seen[fact->key] = true;
	}
	sheet->failed |= seen == NULL;
	free(seen);
}

/* clang-format off */
/* Columns of an input and of a sum. */
#define COUNTS_IN_JSON \
	COLUMN_IN_JSON(COUNT, "processes", "number of processes", \
		OF(events.processes)), \
	COLUMN_IN_JSON(COUNT, "threads", "number of threads", \
		OF(events.threads)), \
	COLUMN_IN_JSON(COUNT, "devices", "number of devices", \
		OF(events.devices)), \
	COLUMN_IN_JSON(OBJECT, "counts", "number of events of each kind", \
		OF(counts), .table = &count_table)

#define OF(member) COLUMN_OF(struct head, member)
static const struct column head_items[] = {
	COLUMN_IN_JSON(TEXT, "format", "the format's name, as in ctprof formats",
		OF(format)),
	COLUMN_IN_JSON(TEXT, "producer",
		"the program that wrote it; null if unknown", OF(producer),
		.nullable = true),
	COLUMN_IN_JSON(TEXT, "host", "the recorded machine; null if unknown",
		OF(host), .nullable = true),
	COLUMN_IN_JSON(INTEGER, "start_ns",
		"begin of the recording, in nanoseconds since 1970; null if "
		"unknown", OF(start_ns), .nullable = true),
	COLUMN_IN_JSON(TIME, "span_ns",
		"from the first event to the end of the last",
		OF(events.span_ns)),
	COUNTS_IN_JSON,
	COLUMN_IN_JSON(LIST, "clocks", "the clocks of the times",
		.put = put_clocks, .table = &clock_table),
	COLUMN_IN_JSON(TIME, "clock_skew_ns",
		"how far activities start before their launch; null if no "
		"launch is known", OF(skew_ns), .nullable = true),
};
#undef OF

static const struct column fact_items[] = {
	COLUMN_IN_JSON(MAP, "facts", "the file's facts about itself, as texts",
		.put = put_facts, .words = "text"),
};

struct module_line {
	const char *path, *build_id;
	int64_t pid;
	uint64_t base, bytes;
	bool closed;
};

#define OF(member) COLUMN_OF(struct module_line, member)
static const struct column module_items[] = {
	COLUMN_IN_JSON(TEXT, "path", "its path", OF(path)),
	COLUMN_IN_JSON(TEXT, "build_id",
		"its build id, in hexadecimal; empty if unknown", OF(build_id)),
	COLUMN_IN_JSON(INTEGER, "pid", "the process", OF(pid)),
	COLUMN_IN_JSON(COUNT, "base", "its lowest address", OF(base)),
	COLUMN_IN_JSON(COUNT, "bytes", "its size, in bytes", OF(bytes)),
	COLUMN_IN_JSON(BOOL, "closed", "it was unloaded before the end",
		OF(closed)),
};
#undef OF
/* clang-format on */
static const struct columns head_table = COLUMNS(NULL, NULL, head_items);
static const struct columns fact_table = COLUMNS(NULL, NULL, fact_items);
static const struct columns module_table = COLUMNS(
	"modules", "the modules of functions known by address", module_items);

static const struct report_form form = {.schema = "ctprof/info/1",
	.title = "ctprof info",
	.heads = {&head_table, &fact_table},
	.arrays = {&devices_table, &module_table}};

static void write_modules(struct sheet *sheet, const struct trace *trace)
{
	columns_begin(sheet, &module_table);
	for (uint32_t i = 0; i < trace->module_count; i++) {
		const struct trace_module *module = &trace->modules[i];

		columns_add(sheet, &module_table, TABLE_PLAIN,
			&(struct module_line){.path = strtab_text(trace->text,
						      module->path, NULL),
				.build_id = strtab_text(
					trace->text, module->build_id, NULL),
				.pid = module->pid,
				.base = module->base,
				.bytes = module->bytes,
				.closed = module->closed});
	}
	columns_end(sheet, &module_table);
}

/* ---- the report ---- */

static void write_info(struct sheet *sheet, const void *user)
{
	const struct file_info *info = user;
	const struct trace *trace = info->trace;
	const struct trace_summary *summary = info->summary;

	if (sheet->style == REPORT_TEXT) {
		print_text(sheet, info);
		return;
	}
	columns_members(sheet, &head_table,
		&(struct head){.format = info->input->file.format->name,
			.producer = trace_find_fact(trace, "tool"),
			.host = trace_find_fact(trace, "host"),
			.start_ns = value_maybe(
				info->has_start, (uint64_t)info->start_ns),
			/* Without a matched launch there is no value. */
			.skew_ns = value_maybe(summary->events.matched != 0,
				summary->events.skew_ns),
			.events = summary->events,
			.counts = &summary->events,
			.trace = trace});
	devices_write(sheet, &info->devices, trace);
	columns_members(sheet, &fact_table, trace);
	write_modules(sheet, trace);
}

static int read_summary(const struct request *request, struct input *input,
	struct trace_summary *summary)
{
	const struct inputs *inputs = &request->inputs;
	struct ctp_error err = {0};
	enum ctp_status status;

	input_start_progress(input, inputs_progress(inputs));
	status = trace_summary_read(summary, input->file.source,
		input_update_progress, input, &err);
	progress_hide(&input->progress);
	return status == CTP_OK ? EXIT_DONE
				: input_diag_error(input, input->name, &err);
}

static int report_input(void *user, const struct report_target *to)
{
	struct request *request = user;
	struct trace_summary summary;
	struct file_info info = {.input = to->input, .summary = &summary};
	int status = read_summary(request, to->input, &summary);

	if (status != EXIT_DONE)
		return status;
	info.trace = to->input->file.source->trace;
	info.has_start = trace_is_wall(info.trace) &&
			 !__builtin_add_overflow(info.trace->base_realtime_ns,
				 summary.events.start_ns, &info.start_ns);
	if (request->has_table)
		return add_to_table(request, &info);
	if (!devices_find(&info.devices, info.trace))
		return diag_no_memory(NULL);
	if (request->printed && !request->json)
		putc('\n', to->out);
	request->printed = true;
	status = report_finish(to, &form, false, write_info, &info);
	devices_clear(&info.devices);
	return status;
}

/* ---- --sum ---- */

struct sum_info {
	uint64_t files;
	struct value start_ns, end_ns, skew_ns;
	struct census events;
	const struct census *counts;
	uint64_t longest_ns;
	const struct summary *summary;
	const uint64_t *losses;
};

static void put_names(
	struct sheet *sheet, const struct column *column, const void *row);

/* clang-format off */
#define OF(member) COLUMN_OF(struct summary_name, member)
static const struct column name_items[] = {
	COLUMN_IN_JSON(TEXT, "name", "the name; empty if unknown", OF(name)),
	COLUMN_IN_JSON(COUNT, "count", "number of inputs, or of devices",
		OF(count)),
};
#undef OF
static const struct columns name_table =
	COLUMNS("name", "a name and how often it occurs", name_items);

#define OF(member) COLUMN_OF(struct sum_info, member)
static const struct column sum_items[] = {
	COLUMN_IN_JSON(COUNT, "files", "number of inputs", OF(files)),
	COLUMN_IN_JSON(INTEGER, "start_ns",
		"begin of the first recording, in nanoseconds since 1970; null "
		"if unknown", OF(start_ns), .nullable = true),
	COLUMN_IN_JSON(INTEGER, "end_ns",
		"end of the last recording, in nanoseconds since 1970; null if "
		"unknown", OF(end_ns), .nullable = true),
	COLUMN_IN_JSON(TIME, "span_ns", "the spans of all inputs together",
		OF(events.span_ns)),
	COLUMN_IN_JSON(TIME, "longest_ns", "the span of the longest input",
		OF(longest_ns)),
	COUNTS_IN_JSON,
	COLUMN_IN_JSON(TIME, "clock_skew_ns",
		"how far activities start before their launch, at most; null "
		"if no launch is known", OF(skew_ns), .nullable = true),
	COLUMN_IN_JSON(LIST, "formats", "the inputs' formats",
		.put = put_names, .index = SUMMARY_NAME_FORMAT,
		.table = &name_table),
	COLUMN_IN_JSON(LIST, "hosts", "the recorded machines, where known",
		.put = put_names, .index = SUMMARY_NAME_HOST,
		.table = &name_table),
	COLUMN_IN_JSON(LIST, "tools",
		"the programs that wrote the inputs, where known",
		.put = put_names, .index = SUMMARY_NAME_TOOL,
		.table = &name_table),
	COLUMN_IN_JSON(LIST, "device_names", "the names of devices",
		.put = put_names, .index = SUMMARY_NAME_DEVICE,
		.table = &name_table),
};
#undef OF
/* clang-format on */
static const struct columns sum_table = COLUMNS(NULL, NULL, sum_items);
static const struct report_form sum_form = {.schema = "ctprof/info_sum/1",
	.title = "ctprof info --sum",
	.heads = {&sum_table}};

static void put_names(
	struct sheet *sheet, const struct column *column, const void *row)
{
	const struct summary *summary = ((const struct sum_info *)row)->summary;

	for (size_t i = 0; i < summary->name_count; i++)
		if ((uint32_t)summary->names[i].kind == column->index)
			columns_add(sheet, &name_table, TABLE_PLAIN,
				&summary->names[i]);
}

/* Adds the names of a kind, which may be as many as inputs, to the text. */
static void add_names(struct table *table, const struct summary *summary,
	enum summary_name_kind kind, const char *key)
{
	unsigned added = 0;
	size_t hidden = 0;
	char text[LINE_TEXT + QUANTITY_TEXT];

	for (size_t i = 0; i < summary->name_count; i++) {
		const struct summary_name *name = &summary->names[i];
		char shown[LINE_TEXT];

		if (name->kind != kind)
			continue;
		if (added == NAMES_SHOWN) {
			hidden++;
			continue;
		}
		(void)snprintf(text, sizeof(text), "%s: %" PRIu64,
			name->name[0] == '\0'
				? "unknown"
				: shorten(shown, sizeof(shown), name->name),
			name->count);
		add(table, key, text);
		added++;
	}
	if (hidden == 0)
		return;
	(void)snprintf(text, sizeof(text), "(%zu more; see --json)", hidden);
	add(table, key, text);
}

static void add_date(
	struct table *table, const char *key, const struct value *time)
{
	char text[LINE_TEXT];

	add(table, key,
		time->state == VALUE_KNOWN
			? quantity_date(text, (int64_t)time->number)
			: "unknown");
}

static void print_sum_text(struct sheet *sheet, const struct sum_info *info)
{
	static const struct table_column columns[] = {{"", false}, {"", false}};
	char span[QUANTITY_TEXT], longest[QUANTITY_TEXT];
	char text[LINE_TEXT + QUANTITY_TEXT];
	struct table table;

	table_init(&table, columns, 2);
	add_count(&table, "  inputs", info->files);
	add_names(&table, info->summary, SUMMARY_NAME_FORMAT, "  format");
	add_date(&table, "  start", &info->start_ns);
	add_date(&table, "  end", &info->end_ns);
	(void)snprintf(text, sizeof(text), "%s together, %s the longest",
		quantity_time(span, info->events.span_ns),
		quantity_time(longest, info->longest_ns));
	add(&table, "  spans", text);
	add_counts(&table, &info->events, false);
	add_losses(&table, info->losses);
	add_skew(&table, info->events.skew_ns);
	add_names(&table, info->summary, SUMMARY_NAME_DEVICE, "  device");
	add_names(&table, info->summary, SUMMARY_NAME_HOST, "  host");
	add_names(&table, info->summary, SUMMARY_NAME_TOOL, "  tool");
	sheet->failed |= !table_print(&table, sheet->out, false, 0);
	table_clear(&table);
}

static void write_sum(struct sheet *sheet, const void *user)
{
	if (sheet->style == REPORT_TEXT)
		print_sum_text(sheet, user);
	else
		columns_members(sheet, &sum_table, user);
}

static int print_sum(
	void *user, struct summary *summary, const struct sum_target *to)
{
	const struct summary_extent *extent = &summary->extent;
	struct sum_info info = {
		.files = summary->input_count,
		.start_ns = value_maybe(
			extent->has_time, (uint64_t)extent->start_ns),
		.end_ns =
			value_maybe(extent->has_time, (uint64_t)extent->end_ns),
		.longest_ns = extent->longest_ns,
		.summary = summary,
	};
	struct sum_target with_unmatched = *to;
	uint64_t *unmatched = &with_unmatched.report.losses[LOSS_UNMATCHED];

	(void)user;
	summary_get_census(summary, &info.events);
	info.events.skew_ns = extent->skew_ns;
	info.skew_ns = value_maybe(info.events.matched != 0, extent->skew_ns);
	info.counts = &info.events;
	/* The census counts them, not the reader. */
	*unmatched = saturate_sum(*unmatched, info.events.unmatched);
	info.losses = with_unmatched.report.losses;
	return sum_finish(&with_unmatched, &sum_form, false, write_sum, &info);
}

static int run(int argc, char **argv)
{
	struct request request = {.report_options.is_whole = true};
	int status;

	arguments_parse(&cmd_info, argc, argv, &request);
	if (request.json)
		request.report_options.style = REPORT_JSON;
	if (request.sum) {
		status = sum_run(&(struct sum){.inputs = &request.inputs,
			.report_options = &request.report_options,
			.section = SUMMARY_CENSUS,
			.allows_repeats = request.allows_repeats,
			.jobs = request.jobs,
			.print = print_sum,
			.user = &request});
		inputs_clear(&request.inputs);
		return status;
	}
	request.has_table = request.inputs.count > 1 && !request.json &&
			    !request.inputs.verbose;
	if (request.has_table) {
		table_init(&request.table, many_columns,
			sizeof(many_columns) / sizeof(many_columns[0]));
		request.report_options.finish = print_many;
	}
	status = report_print_inputs(&request.report_options, &request.inputs,
		report_input, &request);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	{"json", 0, NULL, ARGUMENT_FLAG, "print JSON, one object per input",
		GROUP_OUTPUT, OF(json)},
	SUM_OPTIONS(OF(sum), OF(jobs)),
	SUM_REPEATS(OF(allows_repeats)),
	ARGUMENTS_OF(&inputs_unnamed_arguments, OF(inputs)),
	ARGUMENTS_OF(&output_arguments, OF(report_options.output)),
};
/* clang-format on */

const struct command cmd_info = {
	.name = "info",
	.group = "Look at a recording",
	.forms = {&form, &sum_form},
	.summary = "describe a file and its contents",
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "Describe a file: its format, where and when it was recorded, "
		"with which clock, its size in events, and what was "
		"lost.\vExamples:\n"
		"  ctprof info run.ctp\n"
		"  ctprof info --strict run.ctp >/dev/null && echo complete\n"
		"  ctprof info --json run.ctp | jq .counts.ranges\n"
		"  ctprof info --sum traces/",
	.run = run,
};

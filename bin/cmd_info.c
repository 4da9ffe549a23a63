/* SPDX-License-Identifier: MIT */
/* Reports a file's format, origin and contents. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "input/trace_summary.h"
#include "input/devices.h"
#include "input/input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "input/report.h"
#include "cli/diag.h"
#include "cli/table.h"

#define LINE_TEXT 96
#define FACT_SHOWN 512

struct request {
	struct inputs inputs;
	struct output_options output;
	bool json;
	bool printed; /* a report was printed before */
};

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
	struct table *table, const struct trace_summary *summary, bool profile)
{
	const struct {
		const char *key;
		uint64_t count;
		bool always;
	} counts[] = {
		{"  processes", summary->processes, !profile},
		{"  threads", summary->threads, !profile},
		{"  devices", summary->devices, false},
		{"  ranges", summary->ranges, true},
		{"  open", summary->open_ranges, false},
		{"  activities", summary->activities, false},
		{"  other device", summary->device_other, false},
		{"  calls", summary->calls, false},
		{"  instants", summary->instants, false},
		{"  counters", summary->counters, false},
		{"  async", summary->async, false},
		{"  memory", summary->memory, false},
		{"  steps", summary->steps, false},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i].always || counts[i].count != 0)
			add_count(table, counts[i].key, counts[i].count);
}

static void add_losses(struct table *table, const struct input *input)
{
	const struct trace *trace = input->file.source->trace;
	bool any = false;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		bool note = trace_loss_is_note(loss);
		char text[LINE_TEXT];

		if (trace->losses[loss] == 0)
			continue;
		any = any || !note;
		(void)snprintf(text, sizeof(text), "%" PRIu64 " %s",
			trace->losses[loss], trace_loss_description(loss));
		add(table, note ? "  note" : "  lost", text);
	}
	if (!any)
		add(table, "  lost", "nothing");
	if (input_has_spool(input))
		add(table, "", INPUT_HAS_SPOOL);
}

/* Adds the cost of recording, if it matters. */
static void add_cost(struct table *table, const struct recording_cost *cost)
{
	if (cost->waits[0] != '\0')
		add(table, "  note", cost->waits);
	if (cost->line[0] != '\0')
		add(table, "  cost", cost->line);
}

static void add_skew(struct table *table, const struct trace_summary *summary)
{
	char time[QUANTITY_TEXT];
	char text[LINE_TEXT + QUANTITY_TEXT];

	if (summary->skew_ns == 0)
		return;
	(void)snprintf(text, sizeof(text),
		"at least %s: activities start before their launch",
		quantity_time(time, summary->skew_ns));
	add(table, "  clock skew", text);
}

static int print_text(const struct file_info *info, FILE *out)
{
	static const struct table_column columns[] = {{"", false}, {"", false}};
	bool profile = info->input->file.source->read_profile != NULL;
	char text[LINE_TEXT];
	struct table table;
	bool printed;

	table_init(&table, columns, 2);
	add(&table, "  format", info->input->file.format->name);
	add(&table, "  start", start_text(text, info));
	add(&table, "  span",
		profile ? "unknown"
			: quantity_time(text, info->summary->span_ns));
	add_counts(&table, info->summary, profile);
	add_losses(&table, info->input);
	add_cost(&table, &info->summary->cost);
	add_skew(&table, info->summary);
	devices_add_rows(&info->devices, info->trace, &table);
	add_facts(&table, info->trace);
	add_modules(&table, info->trace);
	table_text(out, info->input->name, strlen(info->input->name));
	(void)putc('\n', out);
	printed = table_print(&table, out, false, 0);
	table_clear(&table);
	if (!printed)
		return diag_no_memory(NULL);
	return EXIT_DONE;
}

static void put_fact(struct json *json, const char *key,
	const struct trace *trace, const char *fact)
{
	const char *value = trace_find_fact(trace, fact);

	json_key(json, key);
	if (value == NULL)
		json_none(json);
	else
		json_text(json, value);
}

static void put_counts(struct json *json, const struct trace_summary *summary)
{
	json_key(json, "counts");
	json_begin(json, '{');
	report_uint(json, "ranges", summary->ranges);
	report_uint(json, "device", summary->activities);
	report_uint(json, "device_other", summary->device_other);
	report_uint(json, "calls", summary->calls);
	report_uint(json, "instants", summary->instants);
	report_uint(json, "counters", summary->counters);
	report_uint(json, "async", summary->async);
	report_uint(json, "memory", summary->memory);
	report_uint(json, "steps", summary->steps);
	report_uint(json, "open", summary->open_ranges);
	json_end(json, '}');
}

static void put_clocks(struct json *json, const struct trace *trace)
{
	const char *clock = trace_find_fact(trace, "clock");
	const char *hertz = trace_find_fact(trace, "clock_hz");

	json_key(json, "clocks");
	json_begin(json, '[');
	if (clock != NULL) {
		json_begin(json, '{');
		report_text(json, "name", clock);
		if (hertz != NULL)
			report_uint(json, "hz", strtoull(hertz, NULL, 10));
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* Without a matched launch there is no value. */
static void put_skew(struct json *json, const struct trace_summary *summary)
{
	json_key(json, "clock_skew_ns");
	if (summary->matched == 0)
		json_none(json);
	else
		json_uint(json, summary->skew_ns);
}

/* Writes the facts as in the file: all are text, even numbers. The first of
 * equal keys, which may come from several recordings, wins. */
static void put_facts(struct json *json, const struct trace *trace)
{
	bool *seen = calloc(strtab_count(trace->text), sizeof(*seen));

	json_key(json, "facts");
	json_begin(json, '{');
	for (uint32_t i = 0; seen != NULL && i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (!seen[fact->key])
			report_text(json,
				strtab_text(trace->text, fact->key, NULL),
				strtab_text(trace->text, fact->value, NULL));
		seen[fact->key] = true;
	}
	json_end(json, '}');
	json->failed = json->failed || seen == NULL;
	free(seen);
}

static void put_modules(struct json *json, const struct trace *trace)
{
	json_key(json, "modules");
	json_begin(json, '[');
	for (uint32_t i = 0; i < trace->module_count; i++) {
		const struct trace_module *module = &trace->modules[i];

		json_begin(json, '{');
		report_text(json, "path",
			strtab_text(trace->text, module->path, NULL));
		report_text(json, "build_id",
			strtab_text(trace->text, module->build_id, NULL));
		report_int(json, "pid", module->pid);
		report_uint(json, "base", module->base);
		report_uint(json, "bytes", module->bytes);
		report_bool(json, "closed", module->closed);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static int print_json(
	const struct file_info *info, char *const *path, FILE *out)
{
	const struct trace_summary *summary = info->summary;
	const struct trace *trace = info->trace;
	struct report report = {
		.schema = "ctprof/info/1",
		.inputs = path,
		.input_count = 1,
		.truncated = trace->losses[LOSS_TRUNCATED] != 0,
	};
	struct json json;
	int status;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		report.losses[loss] = trace->losses[loss];
	status = report_begin(&report, &json, out);
	if (status != EXIT_DONE)
		return status;
	report_text(&json, "format", info->input->file.format->name);
	put_fact(&json, "producer", trace, "tool");
	put_fact(&json, "host", trace, "host");
	json_key(&json, "start_ns");
	if (info->has_start)
		json_int(&json, info->start_ns);
	else
		json_none(&json);
	report_uint(&json, "span_ns", summary->span_ns);
	report_uint(&json, "processes", summary->processes);
	report_uint(&json, "threads", summary->threads);
	report_uint(&json, "devices", summary->devices);
	put_counts(&json, summary);
	put_clocks(&json, trace);
	put_skew(&json, summary);
	devices_write(&info->devices, trace, &json);
	put_facts(&json, trace);
	put_modules(&json, trace);
	return report_end(&json);
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

static int print(const struct request *request, struct file_info *info,
	char *const *path, FILE *out)
{
	int status;

	if (!devices_find(&info->devices, info->trace))
		return diag_no_memory(NULL);
	status = request->json ? print_json(info, path, out)
			       : print_text(info, out);
	devices_clear(&info->devices);
	return status;
}

static int report_one(struct request *request, char *const *path, FILE *out)
{
	/* The report contains the losses, so stderr need not repeat them. */
	struct inputs closing = request->inputs;
	struct input input;
	struct trace_summary summary;
	struct file_info info = {.input = &input, .summary = &summary};
	int status = input_open(&input, *path, &request->inputs);

	if (status != EXIT_DONE)
		return status;
	status = read_summary(request, &input, &summary);
	if (status == EXIT_DONE) {
		info.trace = input.file.source->trace;
		info.has_start =
			info.trace->base_realtime_ns != 0 &&
			!__builtin_add_overflow(info.trace->base_realtime_ns,
				summary.start_ns, &info.start_ns);
		if (request->printed && !request->json)
			putc('\n', out);
		request->printed = true;
		status = print(request, &info, path, out);
	}
	closing.quiet = true;
	return exit_worse(status, input_close(&input, &closing));
}

static int run_request(struct request *request)
{
	struct output output;
	int worst = output_open(
		&output, request->output.path, request->output.force, false);
	int status;

	if (worst != EXIT_DONE)
		return worst;
	for (size_t i = 0; i < request->inputs.count; i++) {
		status = report_one(
			request, &request->inputs.paths[i], output.file);
		worst = exit_worse(worst, status);
	}
	return exit_worse(worst,
		output_close(&output, worst == EXIT_DONE ||
					      worst == EXIT_DAMAGED ||
					      request->inputs.count > 1));
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(&cmd_info, argc, argv, &request);
	status = run_request(&request);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	{"json", 0, NULL, ARGUMENT_FLAG, "print JSON, one object per input",
		GROUP_OUTPUT, OF(json)},
	ARGUMENTS_OF(&inputs_unnamed_arguments, OF(inputs)),
	ARGUMENTS_OF(&output_arguments, OF(output)),
};
/* clang-format on */

const struct command cmd_info = {
	.name = "info",
	.group = "Look at a recording",
	.summary = "describe a file and its contents",
	.arguments = {ARGUMENTS(options)},
	.usage = "[FILE...]",
	.help = "Describe a file: its format, where and when it was recorded, "
		"with which clock, its size in events, and what was "
		"lost.\vExamples:\n"
		"  ctprof info run.ctp\n"
		"  ctprof info --strict run.ctp >/dev/null && echo complete\n"
		"  ctprof info --json run.ctp | jq .counts.ranges",
	.run = run,
};

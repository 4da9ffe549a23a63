/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <inttypes.h>
#include <string.h>

#include "flamegraph/flame_files.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "cli/columns_page.h"
#include "report/page_hash.h"
#include "report/page_part.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "input/recording_cost.h"
#include "input/report.h"
#include "io/xml.h"
#include "summary/census.h"
#include "cli/quantity.h"

#define FACTS_HUNDREDTHS 2
#define TITLE_MAX 240  /* bytes */
#define COMPILE_PART 8 /* of the room, if there are compilations */
#define RANKS_PART 3   /* likewise, if there are ranks */
#define SOURCE_PART 8  /* likewise, if there are sources */

/* The timeline's share of the room, and its slices and bins: about the numbers
 * that fit. */
#define TIMELINE_HUNDREDTHS 45
#define TIMELINE_SLICES 50000
#define TIMELINE_BINS 16000
#define PIECE_HUNDREDTHS 75 /* likewise, if the input is cut */
#define PIECE_SLICES 120000

/* ---- writing ---- */

static void put_lines(FILE *out, const char *const *lines)
{
	for (; *lines != NULL; lines++)
		fputs(*lines, out);
}

static size_t lines_bytes(const char *const *lines)
{
	size_t size = 0;

	for (; *lines != NULL; lines++)
		size += strlen(*lines);
	return size;
}

static const char *const *const styles[] = {
	page_css, page_table_css, page_flame_css, page_timeline_css};
static const char *const *const scripts[] = {flame_fit_js, page_format_js,
	page_view_js, page_table_js, page_functions_js, page_sandwich_js,
	page_source_js, page_flame_js, page_lanes_js, page_lanes_range_js,
	page_timeline_draw_js, page_timeline_input_js, page_timeline_js,
	page_device_js, page_operators_js, page_memory_js, page_compile_js,
	page_diff_js, page_ranks_js, page_findings_js, page_summary_js,
	page_js};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define SCRIPT_START "\n\"use strict\";\n"

/* The hash of the script, for the policy. */
static void hash_script(char text[PAGE_HASH_TEXT])
{
	struct page_hash hash;

	page_hash_init(&hash);
	page_hash_add(&hash, SCRIPT_START, strlen(SCRIPT_START));
	for (size_t i = 0; i < COUNT_OF(scripts); i++)
		for (const char *const *line = scripts[i]; *line != NULL;
			line++)
			page_hash_add(&hash, *line, strlen(*line));
	page_hash_end(&hash, text);
}

/* Bytes of every page without its data and title. */
static size_t fixed_bytes(void)
{
	size_t size = lines_bytes(page_html) + 2048;

	for (size_t i = 0; i < COUNT_OF(styles); i++)
		size += lines_bytes(styles[i]);
	for (size_t i = 0; i < COUNT_OF(scripts); i++)
		size += lines_bytes(scripts[i]);
	return size;
}

/* Writes the title, which is a path, shortened if necessary. */
static void put_title(FILE *out, const char *title)
{
	size_t size = strnlen(title, TITLE_MAX);

	/* Do not split a character. */
	while (size > 0 && ((unsigned char)title[size] & 0xc0) == 0x80)
		size--;
	/* Without memory the page fails anyway. */
	(void)xml_put_line(out, title, size);
}

bool page_init(struct page *page, FILE *out, const struct page_options *options)
{
	size_t diff_bytes = options->diff == NULL ? 0 : options->diff->bytes;
	uint64_t slices = options->is_piece ? PIECE_SLICES : TIMELINE_SLICES;

	*page = (struct page){.out = out,
		.title = input_name(options->inputs->paths[0]),
		.left_bytes = options->bytes - fixed_bytes() - diff_bytes,
		.inputs = options->inputs,
		.diff = options->diff,
		.timeline_hundredths = options->is_piece ? PIECE_HUNDREDTHS
							 : TIMELINE_HUNDREDTHS,
		.slices = (uint32_t)(slices * options->bytes / PAGE_BYTES),
		.bins = (uint32_t)((uint64_t)TIMELINE_BINS * options->bytes /
				   PAGE_BYTES)};
	page->budget_bytes = page->left_bytes / options->inputs->count;
	return compile_init(&page->compile);
}

void page_clear(struct page *page)
{
	compile_clear(&page->compile);
}

/* Writes everything before the first input. */
static void write_head(const struct page *page)
{
	FILE *out = page->out;
	char hash[PAGE_HASH_TEXT];

	/* The policy prevents any request and any other script, whatever the
	 * data contains. */
	hash_script(hash);
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src 'sha256-%s'; base-uri 'none'; "
		"form-action 'none'\">\n",
		hash);
	fputs("<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
		out);
	put_title(out, page->title);
	fputs(" - ctprof</title>\n<style>\n", out);
	for (size_t i = 0; i < COUNT_OF(styles); i++)
		put_lines(out, styles[i]);
	fputs("</style>\n</head>\n<body>\n", out);
	put_lines(out, page_html);
	fputs("<script type=\"application/json\" id=\"data\">\n"
	      "{\"schema\":\"ctprof/page/1\",\"version\":\"" PACKAGE_VERSION
	      "\",\"inputs\":[",
		out);
}

static void put_losses(struct page_part *part, const char *key, bool notes)
{
	struct json *json = &part->sheet.json;

	json_key(json, key);
	json_begin(json, '[');
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		if (part->trace->losses[loss] == 0 ||
			trace_loss_is_note(loss) != notes)
			continue;
		json_begin(json, '[');
		json_uint(json, part->trace->losses[loss]);
		json_text(json, trace_loss_description(loss));
		json_end(json, ']');
	}
	json_end(json, ']');
}

/* Writes lines about the cost of recording, if it matters. */
static void put_cost(struct page_part *part)
{
	struct recording_cost cost;

	recording_cost_find(&cost, part->trace, part->data->profile);
	json_key(&part->sheet.json, "cost");
	json_begin(&part->sheet.json, '[');
	if (cost.waits[0] != '\0')
		json_text(&part->sheet.json, cost.waits);
	if (cost.line[0] != '\0')
		json_text(&part->sheet.json, cost.line);
	json_end(&part->sheet.json, ']');
}

static void put_facts(struct page_part *part)
{
	const struct trace *trace = part->trace;
	struct json *json = &part->sheet.json;
	size_t limit = page_part_limit(part, FACTS_HUNDREDTHS);

	json_key(json, "facts");
	json_begin(json, '[');
	for (uint32_t i = 0; i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (page_part_bytes(part) >= limit)
			break;
		json_begin(json, '[');
		columns_page_text(&part->sheet,
			strtab_text(trace->text, fact->key, NULL));
		columns_page_text(&part->sheet,
			strtab_text(trace->text, fact->value, NULL));
		json_end(json, ']');
	}
	json_end(json, ']');
}

/* Writes the start of the recording, or of the first one of a sum. */
static void put_start(struct page_part *part, int64_t first_ns)
{
	const struct summary *summary = part->data->summary;
	const struct trace *trace = part->trace;
	struct json *json = &part->sheet.json;
	char text[QUANTITY_TEXT];
	int64_t start_ns = summary == NULL ? 0 : summary->extent.start_ns;
	bool known = summary != NULL ? summary->extent.has_time
				     : trace_is_wall(trace) &&
					       !__builtin_add_overflow(
						       trace->base_realtime_ns,
						       first_ns, &start_ns);

	json_key(json, "start");
	if (known)
		json_text(json, quantity_date(text, start_ns));
	else
		json_none(json);
}

static void put_counts(struct page_part *part)
{
	const struct overview *overview = part->data->overview;
	const struct overview_counts *counts = overview_counts(overview);
	struct json *json = &part->sheet.json;

	report_uint(json, "ranges", counts->ranges);
	report_uint(json, "activities", counts->activities);
	report_uint(json, "instants", counts->instants);
	report_uint(json, "counters", counts->counters);
	report_uint(json, "async", counts->async);
	report_uint(json, "memory", counts->memory);
	report_uint(json, "steps", counts->steps);
}

static uint64_t count_calls(const struct profile *profile)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].device.kind == PROFILE_HOST)
			calls = saturate_sum(
				calls, profile->functions[i].cost.ncalls);
	return calls;
}

static void write_facts(struct page_part *part)
{
	const struct profile *profile = part->data->profile;
	struct json *json = &part->sheet.json;
	struct census census = {0};
	int64_t first_ns = part->trace->start_ns;
	int64_t last_ns = part->trace->end_ns;

	if (part->data->overview != NULL)
		overview_span(part->data->overview, &first_ns, &last_ns);
	census_window(part->trace, &first_ns, &last_ns);
	json_key(json, "name");
	columns_page_text(&part->sheet, part->name);
	report_text(json, "format", part->format);
	report_bool(json, "events", part->data->overview != NULL);
	put_start(part, first_ns);
	if (part->data->summary != NULL)
		page_sum_write(part);
	if (part->data->overview != NULL) {
		report_uint(json, "span_ns",
			(uint64_t)last_ns - (uint64_t)first_ns);
		put_counts(part);
		if (!census_count_tracks(&census, part->trace))
			json->failed = true;
		report_uint(json, "processes", census.processes);
		report_uint(json, "threads", census.threads);
		report_uint(json, "devices", census.devices);
	}
	if (part->data->kernels != NULL)
		report_uint(json, "late", part->data->late);
	report_uint(json, "calls", count_calls(profile));
	put_losses(part, "lost", false);
	put_losses(part, "notes", true);
	put_cost(part);
	put_facts(part);
}

static enum ctp_status write_part(struct page_part *part, struct ctp_error *err)
{
	enum ctp_status status;

	json_begin(&part->sheet.json, '{');
	write_facts(part);
	if (!page_findings_write(part))
		return ctp_no_memory(err);
	status = page_functions_write(part, err);
	if (status != CTP_OK)
		return status;
	page_flames_write(part);
	status = page_tracks_write(part, err);
	if (status != CTP_OK)
		return status;
	page_operators_write(part);
	page_gaps_write(part);
	page_memory_write(part);
	page_ranks_write(part);
	status = page_source_write(part, err);
	if (status != CTP_OK)
		return status;
	report_uint(&part->sheet.json, "clipped", part->sheet.clipped);
	json_end(&part->sheet.json, '}');
	return part->sheet.json.failed || part->sheet.failed
		       ? ctp_fail(err, CTP_ERR_NOMEM,
				 "out of memory while making the page")
		       : CTP_OK;
}

/* Adds a part with its name, format, data and trace. */
static enum ctp_status add_part(
	struct page *page, struct page_part *part, struct ctp_error *err)
{
	const struct stats_options options = {
		.key = stats_key("cumtime"), .gpu = true};
	const struct page_data *data = part->data;
	enum ctp_status status = CTP_ERR_NOMEM;

	part->budget_bytes = page->budget_bytes;
	/* The rest is for their section. */
	if (!compile_is_empty(&page->compile))
		part->budget_bytes -= part->budget_bytes / COMPILE_PART;
	if (page_ranks_shown(data->summary))
		part->ranks_bytes = part->budget_bytes / RANKS_PART;
	part->budget_bytes -= part->ranks_bytes;
	part->source = &page->source;
	if (page->source.wanted)
		part->source_bytes = part->budget_bytes / SOURCE_PART;
	part->budget_bytes -= part->source_bytes;
	part->sheet = (struct sheet){.style = REPORT_PAGE, .brief = true};
	part->function_numbers =
		memory_new_zeroed((size_t)data->profile->function_count + 1,
			sizeof(*part->function_numbers));
	if (stats_init(&part->stats, data->profile, &options, err) == CTP_OK)
		part->kernels =
			page_kernels_new(data->kernels, part->stats.device_ns);
	if (part->function_numbers == NULL || part->kernels == NULL ||
		!json_init(&part->sheet.json, NULL))
		(void)ctp_no_memory(err);
	else
		status = write_part(part, err);
	if (status == CTP_OK) {
		if (!page->has_input)
			write_head(page);
		fputs(page->has_input ? ",\n" : "\n", page->out);
		xml_put_json(page->out, part->sheet.json.bytes,
			part->sheet.json.used);
		page->left_bytes -= page_part_bytes(part) < page->left_bytes
					    ? page_part_bytes(part)
					    : page->left_bytes;
		page->has_input = true;
	}
	flame_tree_free(part->host);
	flame_tree_free(part->device);
	page_kernels_free(part->kernels);
	stats_clear(&part->stats);
	memory_free(part->function_numbers);
	json_clear(&part->sheet.json);
	return status;
}

int page_add_input(struct page *page, struct input *input)
{
	struct ctp_error err = {0};
	struct page_data data;
	int status = page_data_read(&data,
		&(struct page_data_source){.inputs = page->inputs,
			.compile = &page->compile,
			.slices = page->slices,
			.bins = page->bins},
		input);
	struct page_part part = {.name = input->name,
		.format = input->file.format->name,
		.data = &data,
		.timeline_hundredths = page->timeline_hundredths,
		.trace = input->file.source->trace};

	if (status == EXIT_DONE && add_part(page, &part, &err) != CTP_OK) {
		diag_error(input->name, &err);
		status = EXIT_LIMIT;
	}
	page_data_clear(&data);
	return status;
}

int page_add_sum(struct page *page, const char *name, const char *format,
	const struct aggregate *aggregate)
{
	struct page_data data;
	struct trace *trace = trace_new(NULL);
	struct page_part part = {.name = name,
		.format = format,
		.data = &data,
		.trace = trace,
		.groups = aggregate->groups};
	struct ctp_error err = {0};
	int status = EXIT_DONE;

	if (trace == NULL ||
		page_data_of_sum(&data, aggregate, &err) != CTP_OK ||
		!page_sum_add_facts(trace, aggregate->summary)) {
		status = diag_no_memory(name);
	} else {
		memcpy(trace->losses, aggregate->losses, sizeof(trace->losses));
		if (add_part(page, &part, &err) != CTP_OK) {
			diag_error(name, &err);
			status = EXIT_LIMIT;
		}
	}
	trace_free(trace);
	return status;
}

int page_add_compilations(struct page *page, const char *path)
{
	static const char *const readers[] = {"log", "torch_trace"};
	struct inputs inputs = *page->inputs;
	struct ctp_error err = {0};
	struct input input;
	bool done = true;

	inputs.quiet = true;
	inputs.strict = false;
	if (input_try_open(&input, path, &inputs, &err) != CTP_OK)
		return EXIT_DONE;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (strcmp(input.file.format->name, readers[i]) != 0 ||
			input.file.source->read_profile != NULL)
			continue;
		/* Its sum was reported already. */
		done = compile_begin(&page->compile, input.file.source->trace,
			       input.name) &&
		       report_read(&inputs, &input, compile_add, &page->compile,
			       &err) != CTP_ERR_NOMEM &&
		       compile_end(&page->compile);
	}
	(void)input_close(&input, &inputs);
	return done ? EXIT_DONE : diag_no_memory(path);
}

/* Writes the findings about compilations, which are of all inputs. */
static int put_findings(struct page *page)
{
	struct sheet sheet = {.style = REPORT_PAGE, .brief = true};
	bool done = json_init(&sheet.json, NULL);

	if (done) {
		page_findings_of_compile(&sheet, &page->compile);
		done = !sheet.failed && !sheet.json.failed;
	}
	if (done) {
		fputs(",\"findings\":", page->out);
		xml_put_json(page->out, sheet.json.bytes, sheet.json.used);
	}
	json_clear(&sheet.json);
	return done ? EXIT_DONE : diag_no_memory(NULL);
}

/* Writes the section of compilations. */
static int put_compilations(struct page *page)
{
	struct json json;
	bool made = false;

	if (!compile_finish(&page->compile) ||
		!page_compile_make(
			&page->compile, page->left_bytes, &json, &made))
		return diag_no_memory(NULL);
	if (!made)
		return EXIT_DONE;
	fputs(",\"compile\":", page->out);
	xml_put_json(page->out, json.bytes, json.used);
	json_clear(&json);
	return put_findings(page);
}

int page_end(struct page *page)
{
	int status;

	if (!page->has_input)
		return EXIT_DONE;
	fputs("\n]", page->out);
	if (page->diff != NULL) {
		fputs(",\"diff\":", page->out);
		xml_put_json(page->out, page->diff->json.bytes,
			page->diff->json.used);
	}
	status = put_compilations(page);
	fputs("}\n</script>\n<script>" SCRIPT_START, page->out);
	for (size_t i = 0; i < COUNT_OF(scripts); i++)
		put_lines(page->out, scripts[i]);
	fputs("</script>\n</body>\n</html>\n", page->out);
	return status;
}

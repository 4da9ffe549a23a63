/* SPDX-License-Identifier: MIT */
/* The table as JSON and CSV, in nanoseconds. */
#include "stats/stats.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "cli/quantity.h"
#include "input/devices.h"
#include "stats/stats_memory.h"
#include "cli/table.h"

static bool shows_device(const struct stats *stats)
{
	return stats->has_device || stats->options->gpu;
}

static bool shows_captures(const struct stats *stats)
{
	return shows_device(stats) && stats->has_captures;
}

/* Shapes, or the call stack, innermost first. */
static void put_details(
	const struct stats *stats, struct json *json, const char *details)
{
	if (stats->options->ops->group == AVERAGES_SHAPE) {
		report_text(json, "shapes", details);
		return;
	}
	json_key(json, "stack");
	json_begin(json, '[');
	while (*details != '\0') {
		size_t size = strcspn(details, "\n");

		json_text_sized(json, details, size);
		details += size;
		details += *details == '\n';
	}
	json_end(json, ']');
}

/* Common fields of functions and edges. */
static void put_fields(const struct stats *stats, struct json *json,
	const struct profile_function *function,
	const struct profile_cost *cost)
{
	const char *details = stats_details(stats, function);

	report_text(json, "name", function->name);
	report_text(json, "file", details == NULL ? function->file : "");
	report_uint(json, "line", function->line);
	report_uint(json, "ncalls", cost->ncalls);
	report_uint(json, "pcalls", cost->pcalls);
	report_uint(json, "tottime_ns", cost->tottime_ns);
	report_uint(json, "cumtime_ns", cost->cumtime_ns);
	if (details != NULL)
		put_details(stats, json, details);
}

static const char *const kinds[] = {
	[PROFILE_HOST] = "host",
	[PROFILE_KERNEL] = "kernel",
	[PROFILE_COPY] = "gpu_memcpy",
	[PROFILE_SET] = "gpu_memset",
};

/* Additional members of operations. */
static void put_operation(const struct stats *stats, struct json *json,
	const struct profile_function *function)
{
	report_text(json, "kind", kinds[function->device.kind]);
	report_uint(json, "mean_ns", stats_percall(stats, &function->cost));
	if (shows_device(stats))
		report_uint(json, "device_mean_ns",
			stats_device_percall(stats, function));
	stats_memory_put_row(stats, json, function);
	if (stats->profile->flops != 0)
		report_uint(json, "flops", function->use.flops);
}

/* The callers or callees of a function. */
static void put_edges(const struct stats *stats, struct json *json,
	uint32_t number, bool callers)
{
	const struct profile *profile = stats->profile;
	const uint32_t *first = callers ? stats->callers : stats->callees;

	json_key(json, callers ? "callers" : "callees");
	json_begin(json, '[');
	for (uint32_t i = first[number]; i < first[number + 1]; i++) {
		const struct profile_edge *edge =
			&profile->edges[callers ? i : stats->callee_edges[i]];
		uint32_t other = callers ? edge->caller : edge->callee;

		json_begin(json, '{');
		put_fields(
			stats, json, &profile->functions[other], &edge->cost);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_function(
	const struct stats *stats, struct json *json, uint32_t number)
{
	const struct profile_function *function =
		&stats->profile->functions[number];

	json_begin(json, '{');
	if (stats->group != NULL)
		report_text(json, "group", stats->group);
	put_fields(stats, json, function, &function->cost);
	if (stats->phases_ns != NULL) {
		report_uint(json, "frontend_ns", stats->phases_ns[number]);
		report_uint(json, "backend_ns",
			stats->phases_ns[stats->profile->function_count +
					 number]);
	}
	if (shows_device(stats)) {
		report_uint(json, "self_device_ns", function->device.self_ns);
		report_uint(json, "device_ns", function->device.total_ns);
	}
	if (shows_captures(stats))
		report_uint(json, "captured_device_ns",
			function->device.captured_ns);
	if (stats->options->ops != NULL)
		put_operation(stats, json, function);
	if (stats->options->callers)
		put_edges(stats, json, number, true);
	if (stats->options->callees)
		put_edges(stats, json, number, false);
	json_end(json, '}');
}

/* The launching functions with their device time. */
static void put_launchers(
	const struct stats *stats, struct json *json, uint32_t number)
{
	const struct profile *profile = stats->profile;

	json_key(json, "callers");
	json_begin(json, '[');
	for (uint32_t i = stats->callers[number];
		i < stats->callers[number + 1]; i++) {
		const struct profile_edge *edge = &profile->edges[i];
		const struct profile_function *caller =
			&profile->functions[edge->caller];

		json_begin(json, '{');
		report_text(json, "name", caller->name);
		report_text(json, "file", caller->file);
		report_uint(json, "line", caller->line);
		report_uint(json, "count", edge->cost.ncalls);
		report_uint(json, "total_ns", edge->cost.tottime_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_work(
	const struct stats *stats, struct json *json, uint32_t number)
{
	const struct profile_function *function =
		&stats->profile->functions[number];
	const struct profile_device *device = &function->device;
	size_t size;
	const char *name = devices_function_name(function, &size);

	json_begin(json, '{');
	report_uint(json, "device", device->number);
	json_key(json, "device_name");
	if (name == NULL)
		json_none(json);
	else
		json_text_sized(json, name, size);
	report_text(json, "kind", kinds[device->kind]);
	report_text(json, "name", function->name);
	report_uint(json, "count", function->cost.ncalls);
	report_uint(json, "total_ns", device->self_ns);
	report_uint(json, "mean_ns",
		quantity_mean(device->self_ns, function->cost.ncalls));
	report_uint(json, "min_ns", device->min_ns);
	report_uint(json, "max_ns", device->max_ns);
	report_uint(json, "bytes", device->bytes);
	if (stats->options->callers)
		put_launchers(stats, json, number);
	json_end(json, '}');
}

/* Device functions. */
static void put_gpu(const struct stats *stats, struct json *json)
{
	report_uint(json, "device_ns", stats->device_ns);
	report_uint(json, "activities", stats->activities);
	report_uint(json, "unmatched", stats->profile->unmatched);
	json_key(json, "kernels");
	json_begin(json, '[');
	for (uint32_t i = 0; i < stats->work_count; i++)
		put_work(stats, json, stats->work[i]);
	json_end(json, ']');
}

/* The sum over all operations. */
static void put_operations(const struct stats *stats, struct json *json)
{
	struct profile_function sum = {.name = ""};

	stats_total(stats, &sum);
	report_text(
		json, "group", averages_group_name(stats->options->ops->group));
	report_uint(json, "operations", sum.cost.ncalls);
	report_uint(json, "self_cpu_ns", stats->host_ns);
	report_uint(json, "device_ns", stats->device_ns);
	report_uint(json, "activities", stats->activities);
	report_uint(json, "unmatched", stats->profile->unmatched);
	stats_memory_put(stats, json);
	if (stats->profile->flops != 0)
		report_uint(json, "flops", stats->profile->flops);
}

void stats_put_rows(const struct stats *stats, struct json *json)
{
	for (uint32_t i = 0; i < stats->count; i++)
		put_function(stats, json, stats->order[i]);
}

int stats_print_json(
	const struct stats *stats, const struct report *report, FILE *out)
{
	const struct profile *profile = stats->profile;
	struct json json;
	int status = report_begin(report, &json, out);

	if (status != EXIT_DONE)
		return status;
	report_uint(&json, "total_ns", profile->total_ns);
	report_uint(&json, "functions", profile->function_count);
	report_uint(&json, "threads", profile->thread_count);
	report_uint(&json, "open_calls", profile->open_calls);
	if (stats->options->gpu)
		put_gpu(stats, &json);
	if (stats->options->ops != NULL)
		put_operations(stats, &json);
	json_key(&json, "rows");
	json_begin(&json, '[');
	stats_put_rows(stats, &json);
	json_end(&json, ']');
	return report_end(&json);
}

static void put_line(const struct stats *stats, FILE *out, const char *relation,
	const struct profile_function *function,
	const struct profile_cost *cost)
{
	if (stats->group != NULL)
		table_csv(out, stats->group, ',');
	if (relation != NULL)
		table_csv(out, relation, ',');
	table_csv(out, function->name, ',');
	table_csv(out,
		stats_details(stats, function) == NULL ? function->file : "",
		',');
	fprintf(out, "%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		function->line, cost->ncalls, cost->pcalls, cost->tottime_ns,
		cost->cumtime_ns);
}

/* Additional fields of an operation or of an edge, `edge`. */
static void put_operation_line(const struct stats *stats, FILE *out,
	const struct profile_function *function, bool edge)
{
	const char *details = stats_details(stats, function);

	fprintf(out, ",%s", kinds[function->device.kind]);
	if (edge)
		fputs(shows_device(stats) ? ",," : ",", out);
	else
		fprintf(out, ",%" PRIu64,
			stats_percall(stats, &function->cost));
	if (shows_device(stats) && !edge)
		fprintf(out, ",%" PRIu64,
			stats_device_percall(stats, function));
	stats_memory_put_line(stats, out, edge ? NULL : function);
	if (stats->profile->flops != 0 && edge)
		putc(',', out);
	else if (stats->profile->flops != 0)
		fprintf(out, ",%" PRIu64, function->use.flops);
	if (stats_has_details(stats)) {
		putc(',', out);
		table_csv(out, details == NULL ? "" : details, '\n');
	} else {
		putc('\n', out);
	}
}

static void put_operation_titles(const struct stats *stats, FILE *out)
{
	fputs(",kind,mean_ns", out);
	fputs(shows_device(stats) ? ",device_mean_ns" : "", out);
	stats_memory_put_titles(stats, out);
	fputs(stats->profile->flops != 0 ? ",flops" : "", out);
	if (stats_has_details(stats))
		fprintf(out, ",%s",
			stats->options->ops->group == AVERAGES_SHAPE ? "shapes"
								     : "stack");
	putc('\n', out);
}

/* Ends a line, after the requested columns. */
static void end_line(const struct stats *stats, FILE *out,
	const struct profile_function *function, bool edge)
{
	if (stats->options->ops != NULL)
		put_operation_line(stats, out, function, edge);
	else
		putc('\n', out);
}

static void put_edge_line(
	const struct stats *stats, FILE *out, uint32_t number, bool caller)
{
	const struct profile_edge *edge = &stats->profile->edges[number];
	const struct profile_function *other =
		&stats->profile
			 ->functions[caller ? edge->caller : edge->callee];

	put_line(stats, out, caller ? "caller" : "callee", other, &edge->cost);
	/* The device time below an edge is unknown. */
	fputs(shows_device(stats) ? ",," : "", out);
	fputs(shows_captures(stats) ? "," : "", out);
	end_line(stats, out, other, true);
}

/* Edges follow their function; the first field tells them apart. */
static void put_lines(const struct stats *stats, FILE *out, uint32_t number)
{
	const struct profile *profile = stats->profile;
	const struct stats_options *options = stats->options;
	const struct profile_function *function = &profile->functions[number];
	bool edges = options->callers || options->callees;

	put_line(stats, out, edges ? "function" : NULL, function,
		&function->cost);
	if (shows_device(stats))
		fprintf(out, ",%" PRIu64 ",%" PRIu64, function->device.self_ns,
			function->device.total_ns);
	if (shows_captures(stats))
		fprintf(out, ",%" PRIu64, function->device.captured_ns);
	end_line(stats, out, function, false);
	if (options->callers)
		for (uint32_t i = stats->callers[number];
			i < stats->callers[number + 1]; i++)
			put_edge_line(stats, out, i, true);
	if (options->callees)
		for (uint32_t i = stats->callees[number];
			i < stats->callees[number + 1]; i++)
			put_edge_line(
				stats, out, stats->callee_edges[i], false);
}

void stats_put_csv_titles(const struct stats *stats, FILE *out)
{
	fputs(stats->group != NULL ? "group," : "", out);
	if (stats->options->callers || stats->options->callees)
		fputs("relation,", out);
	fputs("name,file,line,ncalls,pcalls,tottime_ns,cumtime_ns", out);
	fputs(shows_device(stats) ? ",self_device_ns,device_ns" : "", out);
	fputs(shows_captures(stats) ? ",captured_device_ns" : "", out);
	if (stats->options->ops != NULL)
		put_operation_titles(stats, out);
	else
		putc('\n', out);
}

void stats_put_csv(const struct stats *stats, FILE *out)
{
	for (uint32_t i = 0; i < stats->work_count; i++)
		put_lines(stats, out, stats->work[i]);
	for (uint32_t i = 0; i < stats->count; i++)
		put_lines(stats, out, stats->order[i]);
}

int stats_print_csv(const struct stats *stats, FILE *out)
{
	stats_put_csv_titles(stats, out);
	stats_put_csv(stats, out);
	return EXIT_DONE;
}

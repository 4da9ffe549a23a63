/* SPDX-License-Identifier: MIT */
/*
 * The functions and call edges of a page: all functions in the flame graphs,
 * which refer to them by number, and of the others those with the most time. If
 * the names of the former take too much room, the graphs get smaller.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "cli/columns_page.h"
#include "flamegraph/flamegraph.h"
#include "gpu/kernels_report.h"
#include "report/page_part.h"
#include "input/report.h"
#include "stats/stats_table.h"

#define FUNCTIONS_HUNDREDTHS 40
#define EDGES_HUNDREDTHS 12
#define ROOTS_HUNDREDTHS 4 /* of them */
#define HOST_HUNDREDTHS 18
#define DEVICE_HUNDREDTHS 8
#define NODE_BYTES 48 /* largest size in JSON */
#define NODES_LEAST 8
#define FLAME_DEPTH 400

/* The omitted part of the list. */
struct hidden {
	uint64_t count;
	uint64_t tottime_ns;
};

/* Kind and scopes for the flame graphs, and the cells of a table. */
static void put_function(struct page_part *part, uint32_t number)
{
	const struct profile_function *function =
		&part->data->profile->functions[number];
	struct json *json = &part->sheet.json;
	struct stats_row row;

	json_begin(json, '[');
	json_uint(json, function->device.kind);
	json_begin(json, '[');
	flamegraph_put_scopes(json, function->name, strlen(function->name));
	json_end(json, ']');
	if (function->device.kind == PROFILE_HOST) {
		stats_row_init(&row, &part->stats, function, NULL);
		columns_page_cells(&part->sheet, &stats_table, &row);
	} else {
		page_kernels_put(part, function);
	}
	json_end(json, ']');
}

static void mark_functions(
	struct page_part *part, const struct flame_tree *tree)
{
	uint32_t functions = part->data->profile->function_count;

	for (uint32_t i = 0; i < tree->count; i++)
		if (tree->nodes[i].function < functions)
			part->function_numbers[tree->nodes[i].function] = 1;
}

/* Largest number of nodes of a tree after `halvings` halvings; 0 in the end. */
static uint32_t node_limit(
	const struct page_part *part, unsigned hundredths, unsigned halvings)
{
	size_t most = part->budget_bytes / 100 / NODE_BYTES * hundredths;

	return (uint32_t)(most + NODES_LEAST) >> halvings;
}

/* Makes a tree of at most options.nodes nodes, including those of folded ones,
 * whose number is known only afterwards. */
static enum ctp_status make_tree(const struct profile *profile,
	struct flame_options options, struct flame_tree **tree,
	struct ctp_error *err)
{
	uint32_t most = options.nodes;
	enum ctp_status status;

	for (;;) {
		flame_tree_free(*tree);
		*tree = NULL;
		status = flame_tree_new(profile, &options, tree, err);
		if (status != CTP_OK || (*tree)->count <= most ||
			options.nodes == 0)
			return status;
		options.nodes = (uint32_t)((uint64_t)options.nodes * most /
					   (*tree)->count);
	}
}

/* Makes both trees and marks their functions in `places`. */
static enum ctp_status make_trees(
	struct page_part *part, unsigned halvings, struct ctp_error *err)
{
	const struct profile *profile = part->data->profile;
	struct flame_options options = {.side = FLAME_HOST,
		.nodes = node_limit(part, HOST_HUNDREDTHS, halvings),
		.depth = FLAME_DEPTH};
	enum ctp_status status;

	status = make_tree(profile, options, &part->host, err);
	options.side = FLAME_DEVICE;
	options.nodes = node_limit(part, DEVICE_HUNDREDTHS, halvings);
	if (status == CTP_OK)
		status = make_tree(profile, options, &part->device, err);
	if (status != CTP_OK)
		return status;
	memset(part->function_numbers, 0,
		profile->function_count * sizeof(*part->function_numbers));
	mark_functions(part, part->host);
	mark_functions(part, part->device);
	return CTP_OK;
}

/* Writes all marked functions, and as many others as fit; sets `places` to the
 * numbers. */
static struct hidden put_functions(struct page_part *part, size_t limit)
{
	const struct profile *profile = part->data->profile;
	struct hidden hidden = {0};
	uint32_t count = 0;
	bool full = false;

	json_begin(&part->sheet.json, '[');
	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct page_mark mark = page_part_mark(part);

		if (part->function_numbers[i] != 0 || !full)
			put_function(part, i);
		full = full || page_part_bytes(part) > limit;
		if (part->function_numbers[i] != 0 || !full) {
			part->function_numbers[i] = ++count;
			continue;
		}
		page_part_rewind(part, &mark);
		hidden.count++;
		hidden.tottime_ns = saturate_sum(hidden.tottime_ns,
			profile->functions[i].cost.tottime_ns);
	}
	json_end(&part->sheet.json, ']');
	return hidden;
}

/* Describes the tables of host and device. */
static void put_tables(struct page_part *part)
{
	const struct profile *profile = part->data->profile;
	struct sheet *sheet = &part->sheet;
	bool is_recursive = false;

	for (uint32_t i = 0; i < profile->function_count; i++)
		is_recursive |=
			profile->functions[i].device.kind == PROFILE_HOST &&
			profile->functions[i].cost.pcalls !=
				profile->functions[i].cost.ncalls;
	sheet->shown = stats_bits(&part->stats);
	if (!part->stats.has_device)
		sheet->shown &= ~(uint32_t)STATS_NEEDS_DEVICE;
	if (!is_recursive)
		sheet->shown &= ~(uint32_t)HAS_RECURSION;
	json_key(&sheet->json, "host");
	json_begin(&sheet->json, '{');
	columns_page_describe(sheet, &stats_table);
	json_end(&sheet->json, '}');
	if (!part->stats.has_device)
		return;
	json_key(&sheet->json, "device");
	json_begin(&sheet->json, '{');
	columns_page_describe(sheet, &kernels_table);
	json_end(&sheet->json, '}');
}

static enum ctp_status fit_functions(
	struct page_part *part, struct hidden *hidden, struct ctp_error *err)
{
	size_t limit = page_part_limit(part, FUNCTIONS_HUNDREDTHS);
	struct page_mark mark;

	json_key(&part->sheet.json, "functions");
	json_begin(&part->sheet.json, '{');
	put_tables(part);
	json_key(&part->sheet.json, "rows");
	mark = page_part_mark(part);
	for (unsigned halvings = 0;; halvings++) {
		enum ctp_status status = make_trees(part, halvings, err);

		if (status != CTP_OK)
			return status;
		*hidden = put_functions(part, limit);
		if (page_part_bytes(part) < limit + part->budget_bytes / 100 ||
			node_limit(part, HOST_HUNDREDTHS, halvings) == 0)
			break;
		page_part_rewind(part, &mark);
	}
	json_end(&part->sheet.json, '}');
	return CTP_OK;
}

static int compare_cumtime(const void *a, const void *b)
{
	const struct profile_edge *left =
		*(const struct profile_edge *const *)a;
	const struct profile_edge *right =
		*(const struct profile_edge *const *)b;

	if (left->cost.cumtime_ns != right->cost.cumtime_ns)
		return left->cost.cumtime_ns < right->cost.cumtime_ns ? 1 : -1;
	/* In the order of the profile, which is the order of addresses. */
	return (left > right) - (left < right);
}

/* An edge without a caller has the calls of roots. */
static void put_edge(struct page_part *part, const struct profile_edge *edge)
{
	struct json *json = &part->sheet.json;
	struct stats_row row;

	json_begin(json, '[');
	if (edge->caller == PROFILE_NONE)
		json_int(json, PAGE_NOT_SHOWN);
	else
		json_uint(json, part->function_numbers[edge->caller] - 1);
	json_uint(json, part->function_numbers[edge->callee] - 1);
	stats_row_init(&row, &part->stats,
		&part->data->profile->functions[edge->callee], &edge->cost);
	columns_page_cells(&part->sheet, &stats_edge_table, &row);
	json_end(json, ']');
}

/* Writes the calls without a caller of the functions with the most time. */
static void put_roots(struct page_part *part, size_t limit)
{
	const struct profile *profile = part->data->profile;

	for (uint32_t i = 0;
		i < profile->function_count && page_part_bytes(part) < limit;
		i++)
		if (part->function_numbers[i] != 0 &&
			profile->functions[i].root.ncalls != 0)
			put_edge(part,
				&(struct profile_edge){.caller = PROFILE_NONE,
					.callee = i,
					.cost = profile->functions[i].root});
}

/* Writes the edges with the most time; returns the number omitted. */
static enum ctp_status put_edges(
	struct page_part *part, uint64_t *left_out, struct ctp_error *err)
{
	const struct profile *profile = part->data->profile;
	const struct profile_edge **edges = memory_resize_array(
		NULL, (size_t)profile->edge_count + 1, sizeof(*edges));
	size_t limit = page_part_limit(part, EDGES_HUNDREDTHS);
	uint32_t put = 0;

	if (edges == NULL)
		return ctp_no_memory(err);
	for (uint32_t i = 0; i < profile->edge_count; i++)
		edges[i] = &profile->edges[i];
	qsort(edges, profile->edge_count, sizeof(*edges), compare_cumtime);
	json_key(&part->sheet.json, "edges");
	json_begin(&part->sheet.json, '{');
	columns_page_describe(&part->sheet, &stats_edge_table);
	json_key(&part->sheet.json, "rows");
	json_begin(&part->sheet.json, '[');
	put_roots(part, page_part_limit(part, ROOTS_HUNDREDTHS));
	for (uint32_t i = 0;
		i < profile->edge_count && page_part_bytes(part) < limit; i++) {
		if (part->function_numbers[edges[i]->caller] == 0 ||
			part->function_numbers[edges[i]->callee] == 0)
			continue;
		put_edge(part, edges[i]);
		put++;
	}
	json_end(&part->sheet.json, ']');
	json_end(&part->sheet.json, '}');
	*left_out = profile->edge_count - put;
	memory_free(edges);
	return CTP_OK;
}

static uint32_t count_host(const struct profile *profile)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->function_count; i++)
		count += profile->functions[i].device.kind == PROFILE_HOST;
	return count;
}

enum ctp_status page_functions_write(
	struct page_part *part, struct ctp_error *err)
{
	struct json *json = &part->sheet.json;
	struct hidden hidden = {0};
	uint64_t left_out = 0;
	enum ctp_status status = fit_functions(part, &hidden, err);

	if (status == CTP_OK)
		status = put_edges(part, &left_out, err);
	report_uint(json, "total_ns", part->stats.host_ns);
	report_uint(json, "host_functions", count_host(part->data->profile));
	report_uint(json, "functions_hidden", hidden.count);
	report_uint(json, "functions_hidden_ns", hidden.tottime_ns);
	report_uint(json, "edges_hidden", left_out);
	return status;
}

/* Preorder and depth determine the parents; a sibling begins where the previous
 * one ends. */
static void put_tree(
	struct page_part *part, const char *key, const struct flame_tree *tree)
{
	struct json *json = &part->sheet.json;
	uint32_t functions = part->data->profile->function_count;

	json_key(json, key);
	json_begin(json, '{');
	report_uint(json, "folded", tree->folded);
	json_key(json, "nodes");
	json_begin(json, '[');
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct flame_node *node = &tree->nodes[i];

		if (node->function < functions)
			json_uint(json,
				part->function_numbers[node->function] - 1);
		else
			json_int(json, PAGE_NOT_SHOWN);
		json_uint(json, node->depth);
		json_uint(json, node->cost.total_ns);
		json_uint(json, node->cost.self_ns);
		json_uint(json, node->function < functions ? node->cost.calls
							   : node->folded);
	}
	json_end(json, ']');
	json_end(json, '}');
}

void page_flames_write(struct page_part *part)
{
	put_tree(part, "host", part->host);
	put_tree(part, "device", part->device);
}

/* SPDX-License-Identifier: MIT */
/* lib/summary: a summary is read as it was written, merging has no order, and
 * damaged files are refused. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_write.h"
#include "log/msgpack_out.h"
#include "summary/summary.h"
#include "support/run_suite.h"

static char *bytes; /* the last file */
static size_t size;
static struct ctp_error err;
static uint64_t losses[LOSS_KINDS]; /* of the last file that was read */

static void tear_down(void)
{
	free(bytes);
	bytes = NULL;
}

static struct summary *new_summary(const char *names)
{
	struct summary *summary = summary_new();

	ck_assert_ptr_nonnull(summary);
	ck_assert(summary_add_option(summary, "tool", "ctprof 1"));
	ck_assert(summary_add_option(summary, "names", names));
	return summary;
}

static uint32_t add_function(
	struct profile *profile, const char *name, uint64_t ns)
{
	uint32_t number = profile_add_function(profile, name, "a.c", 7);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile_cost_add(&profile->functions[number].cost,
		&(struct profile_cost){1, 1, ns, ns});
	return number;
}

/* The phases of an input: of three, or none. */
static void add_phases(struct summary *summary, const char *name, uint64_t ns)
{
	struct phase_total *total =
		phase_totals_find(&summary->phases, ns % 4 == 0 ? "" : "clang");

	ck_assert_ptr_nonnull(total);
	total->file_count = 1;
	total->thread_count = ns % 3;
	total->idle_ns = ns;
	if (total->rules[0] != '\0')
		phase_totals_row(
			&summary->phases, total, (uint32_t)(ns % 2), name)
			->sum = (struct phase_sum){1, ns, 2 * ns};
}

/* A summary of one input: functions main and `name`, a kernel, memory. */
static struct summary *make(const char *path, const char *name, uint64_t ns)
{
	struct summary *summary = new_summary("full");
	struct profile *profile = summary_profile(summary, SUMMARY_FUNCTIONS);
	struct profile_amount amount = {-3, 4, 1};
	struct profile_owner device = {PROFILE_OF_DEVICE, 1, (int64_t)ns % 3};
	uint32_t caller = add_function(profile, "main", 10);
	uint32_t callee = add_function(profile, name, ns);
	uint32_t kernel = add_function(profile, "kernel", 0);
	uint32_t edge = profile_add_edge(profile, caller, callee);

	profile->edges[edge].cost = profile->functions[callee].cost;
	profile->functions[kernel].device =
		(struct profile_device){.self_ns = ns,
			.total_ns = ns,
			.min_ns = ns,
			.max_ns = ns,
			.kind = PROFILE_KERNEL,
			.number = (uint32_t)ns % 2};
	profile->thread_count = 1;
	profile->memory = profile_memory_new();
	profile_memory_add(profile->memory,
		&profile->functions[callee].use.memory,
		profile_memory_find(profile->memory, device), amount);
	profile_memory_add(profile->memory, &profile->memory->all,
		profile_memory_find(profile->memory, device), amount);
	profile->memory->owners[1].records = 2;
	add_phases(summary, name, ns);
	(void)add_function(summary_profile(summary, "header"), path, ns);
	ck_assert(summary_add_count(summary, "", SUMMARY_INPUTS, 1));
	ck_assert(summary_add_count(summary, SUMMARY_LOST, "truncated", ns));
	ck_assert(summary_add_input(summary,
		(struct summary_input){
			.path = path, .bytes = ns, .rank = (int64_t)ns}));
	ck_assert(summary_add_lost(summary, "bad.json", name));
	return summary;
}

static void write_file(struct summary *summary)
{
	FILE *out;

	tear_down();
	out = open_memstream(&bytes, &size);
	ck_assert_int_eq(summary_write(summary, out, &err), CTP_OK);
	ck_assert_int_eq(fclose(out), 0);
}

static enum ctp_status read_bytes(
	const void *from, size_t from_size, struct summary **out)
{
	struct trace *trace = trace_new(NULL);
	FILE *in = fmemopen((void *)(uintptr_t)from, from_size, "rb");
	enum ctp_status status =
		summary_read((struct summary_file){.in = in}, trace, out, &err);

	memcpy(losses, trace->losses, sizeof(losses));
	(void)fclose(in);
	trace_free(trace);
	return status;
}

static struct summary *read_file(void)
{
	struct summary *summary = NULL;

	ck_assert_msg(
		read_bytes(bytes, size, &summary) == CTP_OK, "%s", err.message);
	return summary;
}

static void add(struct summary *to, struct summary *from)
{
	ck_assert_msg(summary_add(to, from, &err) == CTP_OK, "%s", err.message);
	summary_free(from);
}

START_TEST(a_summary_is_read_as_it_was_written)
{
	struct summary *summary = make("x.json", "work", 500);
	struct summary *again;
	const struct profile *profile;
	char *first;
	size_t first_size;

	write_file(summary);
	ck_assert_uint_gt(summary_probe(bytes, size), 8 * LOG_MAGIC_BYTES);
	again = read_file();
	profile = summary_find_profile(again, SUMMARY_FUNCTIONS);
	ck_assert_uint_eq(profile->function_count, 3);
	ck_assert_uint_eq(profile->total_ns, 510);
	ck_assert_str_eq(profile->functions[0].name, "work");
	ck_assert_uint_eq(profile->functions[0].line, 7);
	ck_assert_uint_eq(profile->functions[2].device.kind, PROFILE_KERNEL);
	ck_assert_int_eq(profile_memory_of(profile->memory,
				 profile->functions[0].use.memory, 1)
				 .self_bytes,
		-3);
	ck_assert_uint_eq(profile_memory_records(profile->memory), 2);
	ck_assert_int_eq(again->inputs[0].rank, 500);
	ck_assert_str_eq(again->lost[0].reason, "work");
	ck_assert_uint_eq(
		summary_find_count(again, SUMMARY_LOST, "truncated"), 500);
	ck_assert_str_eq(summary_find_option(again, "names"), "full");
	first = bytes;
	first_size = size;
	bytes = NULL;
	write_file(again);
	ck_assert_uint_eq(size, first_size);
	ck_assert_mem_eq(bytes, first, size);
	free(first);
	summary_free(summary);
	summary_free(again);
}
END_TEST

/* Merges six summaries as a tree that the seed gives. */
static struct summary *merge_tree(unsigned seed)
{
	struct summary *parts[6];
	size_t count = sizeof(parts) / sizeof(*parts);

	for (size_t i = 0; i < count; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "f%zu", i % 4);
		parts[i] = make(i % 2 == 0 ? "b.json" : "a.json", name,
			100 * i * i + i);
	}
	srand(seed);
	while (count > 1) {
		size_t to = (size_t)rand() % count;
		size_t from = (size_t)rand() % count;

		if (to == from)
			continue;
		/* Some go through a file. */
		if (rand() % 2 == 0) {
			write_file(parts[from]);
			summary_free(parts[from]);
			parts[from] = read_file();
		}
		add(parts[to], parts[from]);
		parts[from] = parts[--count];
	}
	return parts[0];
}

START_TEST(merging_has_no_order)
{
	struct summary *summary = merge_tree(1);
	char *first;
	size_t first_size;

	write_file(summary);
	summary_free(summary);
	first = bytes;
	first_size = size;
	bytes = NULL;
	for (unsigned seed = 2; seed < 100; seed++) {
		summary = merge_tree(seed);
		write_file(summary);
		summary_free(summary);
		ck_assert_uint_eq(size, first_size);
		ck_assert_mem_eq(bytes, first, size);
	}
	free(first);
}
END_TEST

/* Everything that is added, at or near its limit. */
static struct summary *make_huge(void)
{
	struct summary *summary = make("x", "f", 500);
	struct profile *profile = summary_profile(summary, SUMMARY_FUNCTIONS);
	const struct profile_cost most = {
		UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX};
	uint32_t node = profile_add_node(profile, 0, 0);

	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct profile_function *function = &profile->functions[i];

		function->cost = most;
		function->root = most;
		function->device.self_ns = UINT64_MAX;
		function->device.total_ns = UINT64_MAX;
		function->device.captured_ns = UINT64_MAX - 3;
		function->device.bytes = UINT64_MAX;
		function->use.flops = UINT64_MAX;
	}
	profile->edges[0].cost = most;
	profile->nodes[node].ncalls = UINT64_MAX;
	profile->nodes[node].self_ns = UINT64_MAX;
	profile->open_calls = UINT64_MAX;
	profile->unmatched = UINT64_MAX;
	profile->flops = UINT64_MAX;
	profile->thread_count = UINT32_MAX;
	profile->memory->owners[1].records = UINT64_MAX;
	ck_assert(summary_add_count(
		summary, SUMMARY_LOST, "truncated", UINT64_MAX));
	return summary;
}

START_TEST(sums_stay_at_their_limits)
{
	struct summary *sum = make_huge();
	const struct profile *profile;
	const struct profile_function *function;

	add(sum, make_huge());
	add(sum, make_huge());
	write_file(sum);
	summary_free(sum);
	sum = read_file();
	profile = summary_find_profile(sum, SUMMARY_FUNCTIONS);
	function = &profile->functions[0];
	ck_assert_uint_eq(profile->total_ns, UINT64_MAX);
	ck_assert_uint_eq(profile->open_calls, UINT64_MAX);
	ck_assert_uint_eq(profile->unmatched, UINT64_MAX);
	ck_assert_uint_eq(profile->flops, UINT64_MAX);
	ck_assert_uint_eq(profile->thread_count, UINT32_MAX);
	ck_assert_uint_eq(function->cost.ncalls, UINT64_MAX);
	ck_assert_uint_eq(function->cost.pcalls, UINT64_MAX);
	ck_assert_uint_eq(function->cost.tottime_ns, UINT64_MAX);
	ck_assert_uint_eq(function->root.cumtime_ns, UINT64_MAX);
	ck_assert_uint_eq(function->device.self_ns, UINT64_MAX);
	ck_assert_uint_eq(function->device.captured_ns, UINT64_MAX);
	ck_assert_uint_eq(function->device.bytes, UINT64_MAX);
	ck_assert_uint_eq(profile->edges[0].cost.tottime_ns, UINT64_MAX);
	ck_assert_uint_eq(profile->nodes[1].ncalls, UINT64_MAX);
	ck_assert_uint_eq(profile->nodes[1].self_ns, UINT64_MAX);
	ck_assert_uint_eq(profile_memory_records(profile->memory), UINT64_MAX);
	ck_assert_uint_eq(
		summary_find_count(sum, SUMMARY_LOST, "truncated"), UINT64_MAX);
	summary_free(sum);
}
END_TEST

START_TEST(an_empty_summary_adds_nothing)
{
	struct summary *summary = summary_new();
	struct summary *one = make("x", "f", 1);
	char *first;
	size_t first_size;

	write_file(one);
	first = bytes;
	first_size = size;
	bytes = NULL;
	add(summary, one);
	add(summary, summary_new());
	write_file(summary);
	ck_assert_uint_eq(size, first_size);
	ck_assert_mem_eq(bytes, first, size);
	free(first);
	summary_free(summary);
}
END_TEST

START_TEST(different_options_are_refused_with_both_values)
{
	struct summary *one = new_summary("full");
	struct summary *other = new_summary("short");

	ck_assert_int_eq(summary_add(one, other, &err), CTP_ERR_UNSUPPORTED);
	ck_assert_str_eq(err.message, "cannot be merged: names is 'full' in "
				      "one, and 'short' in another one");
	summary_free(one);
	summary_free(other);
}
END_TEST

static void check_inputs(
	struct summary_input one, struct summary_input two, const char *message)
{
	struct summary *summary = summary_new();

	ck_assert(summary_add_input(summary, one));
	ck_assert(summary_add_input(summary, two));
	err.message[0] = '\0';
	ck_assert_int_eq(summary_check_inputs(summary, &err),
		message == NULL ? CTP_OK : CTP_ERR_UNSUPPORTED);
	ck_assert_str_eq(err.message, message == NULL ? "" : message);
	summary_free(summary);
}

#define INPUT(name, size, number, from) \
	((struct summary_input){.path = (name), \
		.bytes = (size), \
		.rank = (number), \
		.part = (from)})

START_TEST(an_input_or_a_rank_twice_is_refused)
{
	check_inputs(INPUT("a", 5, -1, 0), INPUT("a", 6, -1, 0),
		"input a is there twice: with 5 bytes and with 6");
	check_inputs(INPUT("d/a", 5, -1, 0), INPUT(".//d/./a", 5, -1, 0),
		"input .//d/./a is there twice: as .//d/./a and as d/a");
	check_inputs(INPUT("d/a", 5, -1, 0), INPUT("/d/a", 5, -1, 0), NULL);
	check_inputs(INPUT("d/.a", 5, -1, 0), INPUT("d/a", 5, -1, 0), NULL);
	check_inputs(INPUT("a", 5, 3, 1), INPUT("b", 5, 3, 2),
		"rank 3 is there twice (see --allow-repeats): as a and as b");
	/* One run may read several files of a rank. */
	check_inputs(INPUT("a", 5, 3, 0), INPUT("b", 5, 3, 0), NULL);
	check_inputs(INPUT("a", 5, -1, 1), INPUT("b", 5, -1, 2), NULL);
}
END_TEST

/* Number of members in the file. */
static size_t count_members(void)
{
	static const uint8_t magic[] = LOG_MAGIC;
	const char *at = bytes;
	size_t count = 0;

	while ((at = memmem(at, size - (size_t)(at - bytes), magic,
			sizeof(magic))) != NULL) {
		at++;
		count++;
	}
	return count;
}

START_TEST(a_damaged_summary_is_refused)
{
	struct summary *summary = make("x.json", "work", 500);
	struct summary *found = NULL;
	size_t accepted = 0;

	write_file(summary);
	summary_free(summary);
	for (size_t i = 1; i < size; i++)
		ck_assert_int_ne(read_bytes(bytes, i, &found), CTP_OK);
	for (size_t i = 0; i < size; i++) {
		bytes[i] = (char)(bytes[i] ^ 0x10);
		if (read_bytes(bytes, size, &found) == CTP_OK) {
			summary_free(found);
			accepted++;
		}
		bytes[i] = (char)(bytes[i] ^ 0x10);
	}
	/* A member's four bytes with its kind are only a hint, and so are the
	 * unused bits at the end of its packed data. */
	ck_assert_uint_le(accepted, 5 * count_members());
}
END_TEST

/* Writes a block with `rows` of a section, packed. */
static void add_block(struct log_writer *log, enum log_block kind,
	const char *section, const char *rows, size_t rows_size)
{
	struct buffer block = BUFFER_INIT;
	msgpack_packer out = msgpack_out(&block);

	(void)msgpack_pack_array(&out, section == NULL ? 2 : 4);
	(void)msgpack_pack_int(&out, (int)kind);
	if (section != NULL)
		msgpack_out_key(&out, section);
	buffer_add(&block, rows, rows_size);
	ck_assert_int_eq(log_writer_add(log, kind,
				 &(struct deflate_part){
					 block.bytes, block.used, DEFLATE_ANY},
				 1, &err),
		CTP_OK);
	buffer_clear(&block);
}

/* A file with one block of rows. */
static enum ctp_status read_made(const char *section, const char *rows,
	size_t rows_size, char end, struct summary **summary)
{
	static const char header[] = "\x82\xa6"
				     "format\xae"
				     "ctprof summary\xa6"
				     "reader\x01";
	struct log_writer *log;
	FILE *out;

	tear_down();
	out = open_memstream(&bytes, &size);
	log = log_writer_new_stream(out, 1);
	add_block(log, LOG_SUMMARY_HEADER, NULL, header, sizeof(header) - 1);
	add_block(log, LOG_SUMMARY_ROWS, section, rows, rows_size);
	add_block(log, LOG_SUMMARY_END, NULL, &end, 1);
	log_writer_free(log);
	ck_assert_int_eq(fclose(out), 0);
	return read_bytes(bytes, size, summary);
}

#define MADE(section, rows, end, summary) \
	read_made(section, rows, sizeof(rows) - 1, end, summary)

START_TEST(rows_of_unknown_sections_are_skipped_and_counted)
{
	struct summary *summary = NULL;

	ck_assert_int_eq(
		MADE("later", "\x90\x92\x91\x01\x90", 2, &summary), CTP_OK);
	ck_assert_uint_eq(losses[LOSS_UNKNOWN_BLOCKS], 2);
	summary_free(summary);
}
END_TEST

START_TEST(elements_beyond_the_known_ones_are_ignored)
{
	struct summary *summary = NULL;

	ck_assert_int_eq(MADE("counts", "\x91\xa1x\x91\x94\x01\x05\xc0\x90", 1,
				 &summary),
		CTP_OK);
	ck_assert_uint_eq(summary_find_count(summary, "", "x"), 5);
	summary_free(summary);
}
END_TEST

START_TEST(wrong_rows_are_refused)
{
	static const struct {
		const char *section;
		const char *rows;
		size_t size;
	} cases[] = {
#define CASE(section, rows) {section, rows, sizeof(rows) - 1}
		/* A text that does not exist, a text as a number, a count
		 * twice. */
		CASE("counts", "\x90\x91\x92\x01\x05"),
		CASE("counts", "\x91\xa1x\x91\x92\x01\xa1x"),
		CASE("counts", "\x91\xa1x\x92\x92\x01\x05\x92\x01\x05"),
		/* A text with a zero byte, rows that are not an array. */
		CASE("counts", "\x91\xa2x\0\x91\x92\x01\x05"),
		CASE("counts", "\x91\xa1x\x05"),
		/* A function of an unknown group, an edge without functions. */
		CASE("functions", "\x91\xa1x\x91\x92\x01\x01"),
		CASE("edges", "\x90\x91\x90"),
		CASE("memory", "\x90\x91\x90"),
		CASE("paths", "\x90\x91\x93\x00\x01\x01"),
		CASE("profiles", "\x90\x92\x90\x90"),
#undef CASE
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct summary *summary = NULL;

		ck_assert_msg(
			read_made(cases[i].section, cases[i].rows,
				cases[i].size, 1, &summary) == CTP_ERR_FORMAT,
			"case %zu", i);
	}
}
END_TEST

/* Two blocks; `rows` of the second one. */
/* No texts, and up to 15 rows. */
struct made {
	const char *bytes;
	size_t size;
};

static enum ctp_status read_pair(const char *const sections[2],
	const struct made rows[2], struct summary **summary)
{
	static const char header[] = "\x82\xa6"
				     "format\xae"
				     "ctprof summary\xa6"
				     "reader\x01";
	char end = (char)((rows[0].bytes[1] & 15) + (rows[1].bytes[1] & 15));
	struct log_writer *log;
	FILE *out;

	tear_down();
	out = open_memstream(&bytes, &size);
	log = log_writer_new_stream(out, 1);
	add_block(log, LOG_SUMMARY_HEADER, NULL, header, sizeof(header) - 1);
	for (int i = 0; i < 2; i++)
		add_block(log, LOG_SUMMARY_ROWS, sections[i], rows[i].bytes,
			rows[i].size);
	add_block(log, LOG_SUMMARY_END, NULL, &end, 1);
	log_writer_free(log);
	ck_assert_int_eq(fclose(out), 0);
	return read_bytes(bytes, size, summary);
}

#define MOST "\xcf\xff\xff\xff\xff\xff\xff\xff\xff"

#define DEVICE "\x90\x91\x92\x00\x01"
#define JOB "\x90\x91\x92\x01\x01"
#define RANK "\x90\x91\x91\x01"
#define RULES "\x91\xa1x\x91\x94\x01\x01\x00\x01"
/* The operation is unknown, and so another one. */
#define KIND \
	"\x90\x91\x9f\x00\x00\x00\x01\x01\x01\x05\x00\x19\x05\x01\x05\x01" \
	"\x05\x01"

/* Rows after one of the section that they refer to: no texts, and rows. */
static const struct {
	const char *sections[2];
	struct made rows[2];
	const char *message; /* NULL: accepted */
} section_cases[] = {
#define CASE(one, other, first, rows, message) \
	{ \
		{one, other}, \
			{{first, sizeof(first) - 1}, \
				{rows, sizeof(rows) - 1}}, \
			message \
	}
	CASE("job", "job", JOB, "\x90\x91\x92\x01\x01", "a second job"),
	/* Names: a kind that does not exist, twice, no count. */
	CASE("job", "names", JOB, "\x90\x91\x93\x04\x00\x01", "a wrong row"),
	CASE("job", "names", JOB, "\x90\x92\x93\x01\x00\x01\x93\x01\x00\x01",
		"a name is there twice"),
	CASE("job", "names", JOB, "\x90\x91\x92\x01\x00",
		"a name without a count"),
	CASE("job", "names", JOB, "\x90\x91\x93\x01\x00" MOST, NULL),
	CASE("job", "census", JOB, "\x90\x91\x93\x02\x00\x01", "a wrong row"),
	CASE("job", "census", JOB, "\x90\x92\x93\x01\x00\x02\x93\x01\x00\x02",
		"wrong times"),
	CASE("job", "census", JOB, "\x90\x91\x93\x01\x04\x02", "wrong times"),
	/* Kernels: of another device, twice, none, a wrong minimum. */
	CASE("kernel_devices", "kernel_devices", DEVICE, "\x90\x91\x92\x00\x01",
		"a device is there twice"),
	CASE("kernel_devices", "kernels", DEVICE, "\x90\x91\x93\x01\x00\x01",
		"a wrong"),
	CASE("kernel_devices", "kernels", DEVICE,
		"\x90\x92\x93\x00\x00\x01\x93\x00\x00\x01",
		"a kernel is there twice"),
	CASE("kernel_devices", "kernels", DEVICE, "\x90\x91\x90",
		"a wrong kernel"),
	CASE("kernel_devices", "kernels", DEVICE,
		"\x90\x91\x96\x00\x00\x01\x05\x04\x03", "a wrong kernel"),
	CASE("kernel_devices", "kernels", DEVICE,
		"\x90\x91\x94\x00\x00" MOST MOST, NULL),
	CASE("job", "kernels", JOB, "\x90\x91\x93\x00\x00\x01",
		"a kernel without a device"),
	/* Gaps. */
	CASE("idle_devices", "idle_devices", DEVICE, "\x90\x91\x92\x00\x01",
		"a device is there twice"),
	CASE("idle_devices", "idle_devices", DEVICE,
		"\x90\x91\x96\x01\x01\x01\x01\x01\x02", "a"),
	CASE("idle_devices", "places", DEVICE,
		"\x90\x92\x97\x00\x01\x00\x00\x00\x00\x01\x97\x00\x01"
		"\x00\x00\x00\x00\x01",
		"a place is there twice"),
	CASE("idle_devices", "places", DEVICE, "\x90\x91\x92\x00\x07",
		"a wrong row"),
	CASE("idle_devices", "places", DEVICE, "\x90\x91\x92\x01\x01",
		"a wrong row"),
	CASE("job", "places", JOB, "\x90\x91\x92\x00\x01",
		"a place without a device"),
	/* Phases: rules twice, more flat inputs than inputs, without rules, by
	 * unknown ones, beyond the last number, the rest as a phase, twice, a
	 * text as a number. */
	CASE("phase_sets", "phase_sets", RULES, "\x90\x91\x91\x01",
		"a set of rules is there twice"),
	CASE("phase_sets", "phase_sets", RULES, "\x90\x91\x93\x00\x01\x02",
		"a wrong number of inputs"),
	CASE("phase_sets", "phases", RULES, "\x91\xa1p\x91\x93\x00\x00\x02",
		"a phase without its rules"),
	CASE("phase_sets", "phases", RULES, "\x91\xa1p\x91\x93\x02\x00\x02",
		"a phase without its rules"),
	CASE("phase_sets", "phases", RULES, "\x91\xa1p\x91\x93\x01\xcc\xfa\x02",
		"a wrong"),
	CASE("phase_sets", "phases", RULES, "\x91\xa2(x\x91\x93\x01\x00\x02",
		"a wrong name"),
	CASE("phase_sets", "phases", RULES,
		"\x91\xa1p\x92\x93\x01\x00\x02\x93\x01\x00\x02",
		"a phase is there twice"),
	CASE("phase_sets", "phases", RULES,
		"\x91\xa1p\x91\x94\x01\x00\x02\xa1p", "a wrong row"),
	CASE("phase_sets", "phases", RULES,
		"\x91\xa1p\x91\x96\x01\x00\x02" MOST MOST MOST, NULL),
	/* Ranks: twice, computing without kernels, a device beyond 32
		 * bits. */
	CASE("job", "ranks", JOB, "\x90\x92\x91\x01\x91\x01",
		"a rank is there twice"),
	CASE("job", "ranks", JOB,
		"\x90\x91\x9d\x01\x00\x00\x00\x00\x01\x01\x01\x01\x05"
		"\x05\x05\x06",
		"a rank has impossible times"),
	CASE("job", "ranks", JOB, "\x90\x91\x94\x01\x00\x00" MOST,
		"a wrong row"),
	CASE("job", "ranks", JOB,
		"\x90\x91\x98" MOST "\x00" MOST "\x00\x00" MOST MOST MOST,
		NULL),
	/* Runs: of another row, beyond the last number. */
	CASE("ranks", "runs", RANK, "\x90\x91\x93\x01\x05\x01",
		"a run of collectives"),
	CASE("ranks", "runs", RANK, "\x90\x91\x94\x00\x05" MOST "\x01",
		"a run of collectives"),
	CASE("ranks", "runs", RANK, "\x90\x92\x93\x00\x05\x01\x93\x00\x05\x01",
		NULL),
	/* Spreads: another kind, empty, twice, a minimum outside of its
		 * bucket, another count, a bucket twice, half a bucket. */
	CASE("job", "spread", JOB, "\x90\x91\x91\x03", "a wrong row"),
	CASE("job", "spread", JOB, "\x90\x91\x90", "a histogram"),
	CASE("job", "spread", JOB,
		"\x90\x91\x9f\x00\x00\x00\x00\x00\x01\x05\x00\x19\x04"
		"\x01\x05\x01\x05\x01",
		"a histogram"),
	CASE("job", "spread", JOB,
		"\x90\x91\x9f\x00\x00\x00\x00\x00\x02\x05\x00\x19\x05"
		"\x01\x05\x01\x05\x01",
		"a histogram"),
	CASE("job", "spread", JOB,
		"\x90\x91\x9f\x00\x00\x00\x00\x00\x01\x05\x00\x19\x05"
		"\x01\x05\x01\x05\x01",
		NULL),
	CASE("job", "spread", JOB,
		"\x90\x92\x9f\x00\x00\x00\x00\x00\x01\x05\x00\x19\x05"
		"\x01\x05\x01\x05\x01\x9f\x00\x00\x00\x00\x00\x01\x05"
		"\x00\x19\x05\x01\x05\x01\x05\x01",
		"a spread is there twice"),
	CASE("job", "spread", JOB,
		"\x90\x91\x9e\x00\x00\x00\x00\x00\x01\x05\x00\x19\x05"
		"\x01\x05\x01\x05",
		"a histogram"),
	CASE("job", "spread", JOB,
		"\x90\x91\x9f\x00\x00\x00\x00\x00\x01\x05\x00\x19\x05"
		"\x01\x05\x01\xcd\x04\x00\x01",
		"a wrong row"),
	/* Collectives and their instances. */
	CASE("collectives", "collectives", KIND,
		"\x90\x91\x9f\x00\x00\x00\x01\x01\x01\x05\x00\x19\x05"
		"\x01\x05\x01\x05\x01",
		"a collective is there twice"),
	CASE("collectives", "instances", KIND,
		"\x90\x91\x97\x07\x01\x01\x01\x05\x05\x05",
		"an instance of a collective is wrong"),
	CASE("collectives", "instances", KIND,
		"\x90\x91\x97\x07\x01\x00\x00\x05\x05\x05",
		"an instance of a collective is wrong"),
	CASE("collectives", "instances", KIND,
		"\x90\x91\x97\x07\x01\x00\x01\x04\x05\x05",
		"an instance of a collective is wrong"),
	CASE("collectives", "instances", KIND,
		"\x90\x91\x97\x07\x01\x00\x01\x05\x06\x05",
		"an instance of a collective is wrong"),
	CASE("collectives", "instances", KIND,
		"\x90\x92\x97\x07\x01\x00\x01\x05\x05\x05\x97\x07\x01"
		"\x00\x01\x05\x05\x05",
		"an instance is there twice"),
	CASE("collectives", "instances", KIND,
		"\x90\x91\x98" MOST MOST "\x00" MOST MOST MOST MOST MOST, NULL),
	CASE("collectives", "instances", KIND, "\x90\x91\x91\xa1x",
		"a wrong row"),
#undef CASE
};

START_TEST(wrong_rows_of_each_section_are_refused)
{
	for (size_t i = 0; i < sizeof(section_cases) / sizeof(*section_cases);
		i++) {
		struct summary *summary = NULL;
		enum ctp_status status;

		err.message[0] = '\0';
		status = read_pair(section_cases[i].sections,
			section_cases[i].rows, &summary);
		ck_assert_msg(status == (section_cases[i].message == NULL
							? CTP_OK
							: CTP_ERR_FORMAT),
			"case %zu: %s", i, err.message);
		ck_assert_msg(
			section_cases[i].message == NULL ||
				(strstr(err.message,
					 section_cases[i].message) != NULL &&
					strstr(err.message,
						section_cases[i].sections[1]) !=
						NULL),
			"case %zu: %s", i, err.message);
		if (summary == NULL)
			continue;
		/* Sums of huge numbers can be written and added. */
		write_file(summary);
		add(summary, read_file());
		write_file(summary);
		summary_free(read_file());
		summary_free(summary);
	}
}
END_TEST

START_TEST(a_wrong_number_of_rows_is_refused)
{
	struct summary *summary = NULL;

	ck_assert_int_eq(
		MADE("counts", "\x90\x90", 1, &summary), CTP_ERR_FORMAT);
	ck_assert_int_eq(MADE("counts", "\x90\x90", 0, &summary), CTP_OK);
	summary_free(summary);
}
END_TEST

START_TEST(full_disk_is_an_error)
{
	struct summary *summary = make("x", "f", 1);
	FILE *out = fopen("/dev/full", "w");
	enum ctp_status status;

	(void)setvbuf(out, NULL, _IONBF, 0);
	status = summary_write(summary, out, &err);
	ck_assert_int_eq(status, CTP_ERR_IO);
	(void)fclose(out);
	summary_free(summary);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("summary");
	TCase *tests = tcase_create("summary");

	tcase_add_checked_fixture(tests, NULL, tear_down);
	tcase_add_test(tests, a_summary_is_read_as_it_was_written);
	tcase_add_test(tests, merging_has_no_order);
	tcase_add_test(tests, sums_stay_at_their_limits);
	tcase_add_test(tests, an_empty_summary_adds_nothing);
	tcase_add_test(tests, different_options_are_refused_with_both_values);
	tcase_add_test(tests, an_input_or_a_rank_twice_is_refused);
	tcase_add_test(tests, a_damaged_summary_is_refused);
	tcase_add_test(tests, rows_of_unknown_sections_are_skipped_and_counted);
	tcase_add_test(tests, elements_beyond_the_known_ones_are_ignored);
	tcase_add_test(tests, wrong_rows_are_refused);
	tcase_add_test(tests, wrong_rows_of_each_section_are_refused);
	tcase_add_test(tests, a_wrong_number_of_rows_is_refused);
	tcase_add_test(tests, full_disk_is_an_error);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

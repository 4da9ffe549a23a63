/* SPDX-License-Identifier: MIT */
#include "compilations/compiler_ranges.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "base/strtab.h"
#include "compilers/build_details.h"
#include "json/json_value.h"

/* ---- the ranges of each compiler ---- */

/* Waiting and idle time come after the parts of compilations. */
enum part {
	PART_NONE = COMPILATION_PARTS, /* that of the range around it */
	PART_WAITING,
	PART_IDLE, /* not work */
	PARTS
};

enum compiler { CLANG, LLD, NVCC, RUSTC, XLA, COMPILERS };

/* The meaning of a range besides its part. */
enum role {
	ROLE_PART = 0,
	ROLE_UNIT = 1 << 0,     /* the compilation, unless inside one */
	ROLE_LOWERING = 1 << 1, /* before the compilation, and part of it */
	ROLE_HEADER = 1 << 2,   /* to count */
	ROLE_TEMPLATE = 1 << 3,
	ROLE_MODULE = 1 << 4,
	ROLE_NAMED = 1 << 5,    /* an argument has the name */
	ROLE_PROOF = 1 << 6,    /* no other program has such a range */
	ROLE_OUTER = 1 << 7,    /* the part only of outermost ranges */
	ROLE_CATEGORY = 1 << 8, /* `name` is the category */
	ROLE_ANY = 1 << 9,      /* with any category; otherwise without */
	ROLE_HELPER = 1 << 10,  /* on another thread than the compilation */
};

struct rule {
	const char *name; /* with one "*" for any text, or none */
	enum compiler compiler;
	unsigned roles;
	unsigned part;
};

/* Compilations that are all ranges of a process or of the trace. */
enum extent { EXTENT_RANGE, EXTENT_PROCESS, EXTENT_TRACE };

static const struct kind {
	const char *name;
	enum extent extent;
	unsigned parts; /* bits */
	bool waits;
	bool has_headers;
	bool has_units;
} kinds[COMPILERS] = {
#define BIT(part) (1U << COMPILATION_##part)
#define BITS (BIT(FRONT_END) | BIT(OPTIMIZER) | BIT(CODE))
	[CLANG] = {"clang", EXTENT_RANGE, BITS, .has_headers = true},
	[LLD] = {"lld", EXTENT_RANGE, BIT(LINKER), .waits = false},
	[NVCC] = {"nvcc", EXTENT_TRACE, BITS | BIT(HOST) | BIT(LINKER),
		.has_headers = true},
	[RUSTC] = {"rustc", EXTENT_PROCESS, BITS | BIT(LINKER), .waits = true,
		.has_units = true},
	[XLA] = {"xla", EXTENT_RANGE, BITS, .waits = false},
#undef BITS
#undef BIT
};

/*
 * The first that matches applies. Source: LLVM's TimeProfiler scopes, of clang
 * 9 to 19. Traces of nvcc 13.0, and of rustc 1.95 -Zself-profile by crox 12.0.
 * Traces of JAX 0.10 and 0.12 with XLA for the CPU. For GPUs, annotations in
 * xla/service/gpu/gpu_compiler.cc; Nsight Systems shows them with the domain
 * "TSL".
 */
#define FRONT_END COMPILATION_FRONT_END
#define OPTIMIZER COMPILATION_OPTIMIZER
#define CODE COMPILATION_CODE
#define HOST COMPILATION_HOST
#define LINKER COMPILATION_LINKER
/* clang-format off */
static const struct rule rules[] = {
	{"ExecuteCompiler", CLANG, ROLE_UNIT, PART_NONE},
	{"Frontend", CLANG, 0, FRONT_END},
	{"Backend", CLANG, 0, CODE},
	{"Optimizer", CLANG, 0, OPTIMIZER},
	{"PerFunctionPasses", CLANG, 0, OPTIMIZER},
	{"PerModulePasses", CLANG, 0, OPTIMIZER},
	{"CodeGenPasses", CLANG, 0, CODE},
	{"OptModule", CLANG, ROLE_NAMED, PART_NONE},
	{"Source", CLANG, ROLE_HEADER | ROLE_ANY, PART_NONE},
	{"InstantiateClass", CLANG, ROLE_TEMPLATE, PART_NONE},
	{"InstantiateFunction", CLANG, ROLE_TEMPLATE, PART_NONE},
	{"ExecuteLinker", LLD, ROLE_UNIT, LINKER},

	{"* (preprocessing *", NVCC, 0, FRONT_END},
	{"cudafe++", NVCC, ROLE_PROOF, FRONT_END},
	{"cicc", NVCC, ROLE_PROOF, FRONT_END},
	{"CUDA C++ Front-End", NVCC, ROLE_PROOF, FRONT_END},
	{"LibNVVM", NVCC, ROLE_PROOF, OPTIMIZER},
	{"NVVM Optimizer", NVCC, 0, OPTIMIZER},
	{"NVVM CodeGen", NVCC, 0, CODE},
	{"ptxas", NVCC, 0, CODE},
	{"Total PTXAS Time", NVCC, 0, CODE},
	{"nvlink", NVCC, 0, LINKER},
	{"fatbinary", NVCC, 0, LINKER},
	{"* (linking)", NVCC, 0, LINKER},
	{"* (compiling)", NVCC, 0, HOST},
	{"Processing Header File", NVCC, ROLE_HEADER, PART_NONE},
	{"Instantiating Template *", NVCC, ROLE_TEMPLATE, PART_NONE},

	{"codegen_crate", RUSTC, ROLE_PROOF | ROLE_ANY, CODE},
	{"codegen_module", RUSTC, ROLE_MODULE | ROLE_ANY, CODE},
	{"codegen_module_optimize", RUSTC, ROLE_ANY, OPTIMIZER},
	{"codegen_module_perform_lto", RUSTC, ROLE_ANY, OPTIMIZER},
	{"LLVM_module_codegen*", RUSTC, ROLE_ANY, CODE},
	{"LLVM_module_optimize*", RUSTC, ROLE_ANY, OPTIMIZER},
	{"LLVM_lto_*", RUSTC, ROLE_ANY, OPTIMIZER},
	/* The coordinator's, while other threads work. */
	{"LLVM_passes", RUSTC, ROLE_ANY, PART_IDLE},
	{"LLVM_thinlto", RUSTC, ROLE_ANY, PART_IDLE},
	{"finish_ongoing_codegen", RUSTC, ROLE_ANY, PART_WAITING},
	{"join_worker_thread", RUSTC, ROLE_ANY, PART_WAITING},
	{"link", RUSTC, ROLE_ANY, LINKER},
	{"link_crate", RUSTC, ROLE_ANY, LINKER},
	{"GenericActivity", RUSTC, ROLE_CATEGORY | ROLE_OUTER | ROLE_PROOF,
		FRONT_END},
	{"Query", RUSTC, ROLE_CATEGORY | ROLE_OUTER, FRONT_END},

	{"lower_sharding_computation", XLA, ROLE_LOWERING, FRONT_END},
	{"backend_compile", XLA, ROLE_UNIT, PART_NONE},
	{"backend_compile_and_load", XLA, ROLE_UNIT, PART_NONE},
	{"*Client::Compile", XLA, ROLE_UNIT | ROLE_HELPER, PART_NONE},
	{"*XlaCompileBackend:*", XLA, ROLE_NAMED | ROLE_ANY, CODE},
	{"*XlaCompile:*", XLA, ROLE_UNIT | ROLE_NAMED | ROLE_ANY, OPTIMIZER},
	{"XlaCompileBackend", XLA, ROLE_NAMED | ROLE_ANY, CODE},
	{"XlaCompile", XLA, ROLE_UNIT | ROLE_NAMED | ROLE_ANY, OPTIMIZER},
	{"*Compiler::RunHloPasses", XLA, ROLE_NAMED, OPTIMIZER},
	{"HLO passes *", XLA, 0, OPTIMIZER},
	{"*Compiler::RunBackend", XLA, ROLE_NAMED, CODE},
};
/* clang-format on */
#undef FRONT_END
#undef OPTIMIZER
#undef CODE
#undef HOST
#undef LINKER
#define RULES (sizeof(rules) / sizeof(rules[0]))

/* A star stands for any text. */
static bool matches(const char *pattern, const char *text)
{
	const char *star = strchr(pattern, '*');
	size_t size = star == NULL ? 0 : (size_t)(star - pattern);
	size_t left;

	if (star == NULL)
		return strcmp(pattern, text) == 0;
	if (strncmp(pattern, text, size) != 0)
		return false;
	text += size;
	left = strlen(text);
	/* The first place of a text between stars leaves most for the rest. */
	for (pattern = star + 1; (star = strchr(pattern, '*')) != NULL;
		pattern = star + 1) {
		const char *found;

		size = (size_t)(star - pattern);
		found = memmem(text, left, pattern, size);
		if (found == NULL)
			return false;
		left -= (size_t)(found + size - text);
		text = found + size;
	}
	size = strlen(pattern);
	return size <= left && strcmp(text + left - size, pattern) == 0;
}

/* The detail in a site's name or file, if names have details; else NULL. */
static const char *find_detail(
	const struct trace *trace, uint32_t number, size_t *name_size)
{
	const char *file = trace_site_file(trace, number);
	const char *name = trace_site_name(trace, number);

	*name_size = strlen(name);
	if (!trace->request.detailed_names)
		return NULL;
	(void)build_details_kind(name, name_size);
	if (name[*name_size] == ' ')
		return name + *name_size + 1;
	return trace->sites[number].line == 0 && file[0] != '\0' ? file : NULL;
}

static const struct rule *find_rule(const struct trace *trace, uint32_t number)
{
	const struct trace_site *site = &trace->sites[number];
	const char *name = trace_site_name(trace, number);
	const char *category = strtab_text(trace->text, site->category, NULL);
	char brief[64];
	size_t size;
	bool has_detail = find_detail(trace, number, &size) != NULL;

	if (has_detail && size < sizeof(brief)) {
		memcpy(brief, name, size);
		brief[size] = '\0';
		name = brief;
	}

	for (size_t i = 0; i < RULES && (site->file == 0 || has_detail); i++) {
		const struct rule *rule = &rules[i];

		if ((rule->roles & ROLE_CATEGORY) != 0) {
			if (strcmp(rule->name, category) == 0)
				return rule;
		} else if (matches(rule->name, name) &&
			   (category[0] == '\0' ||
				   (rule->roles & ROLE_ANY) != 0))
			return rule;
	}
	return NULL;
}

/* ---- compilations that are being read ---- */

struct unit {
	enum compiler compiler;
	bool proved;
	int64_t pid;
	int64_t begin_ns, end_ns;
	uint64_t before_ns; /* of lowering */
	uint64_t parts_ns[PARTS];
	uint64_t headers, templates, modules;
	const char *id, *function, *file; /* or NULL */
};

struct open_range {
	uint32_t site;
	unsigned part;
	int64_t begin_ns;
	/* If it is PyTorch's call of a back end, and the cache had a miss: */
	int64_t miss_ns;
	const char *id; /* NULL: none */
};

struct lane {
	struct open_range *open;
	uint32_t depth, room;
	int64_t last_ns;
	/* Numbers in `units`, from 1, and the depth of the range; 0: none. */
	size_t unit; /* the compilation that is a range of this track */
	uint32_t unit_depth;
	size_t helped; /* that of another track */
	uint32_t helper_depth;
	size_t shared;        /* that of the process or trace */
	uint64_t lowering_ns; /* that ended before a compilation */
};

/* The rule of a site of the trace. */
struct site_rule {
	bool known;
	const struct rule *rule; /* NULL: none */
	bool is_cached;          /* see add_cached() */
};

struct compiler_ranges {
	struct compilations *to;
	struct site_rule *sites; /* by number */
	uint32_t site_count, site_room;
	struct lane *lanes; /* by track */
	uint32_t lane_room;
	struct unit *units; /* in order of their begin */
	size_t unit_count, unit_room;
	uint32_t last; /* track of the last compilation that is a range */
};

struct compiler_ranges *compiler_ranges_new(void)
{
	return memory_new_zeroed(1, sizeof(struct compiler_ranges));
}

void compiler_ranges_free(struct compiler_ranges *ranges)
{
	if (ranges == NULL)
		return;
	for (uint32_t i = 0; i < ranges->lane_room; i++)
		memory_free(ranges->lanes[i].open);
	memory_free(ranges->lanes);
	memory_free(ranges->sites);
	memory_free(ranges->units);
	memory_free(ranges);
}

void compiler_ranges_begin(
	struct compiler_ranges *ranges, struct compilations *to)
{
	ranges->to = to;
	ranges->site_count = 0;
	ranges->unit_count = 0;
	ranges->last = 0;
	for (uint32_t i = 0; i < ranges->lane_room; i++) {
		struct lane *lane = &ranges->lanes[i];

		*lane = (struct lane){.open = lane->open, .room = lane->room};
	}
}

/* NULL if out of memory. */
static const struct site_rule *find_site(
	struct compiler_ranges *ranges, uint32_t number)
{
	const struct trace *trace = ranges->to->trace;
	struct site_rule *site;

	if (!array_ensure_index(&ranges->sites, number, &ranges->site_room,
		    sizeof(*ranges->sites)))
		return NULL;
	while (ranges->site_count <= number)
		ranges->sites[ranges->site_count++] = (struct site_rule){0};
	site = &ranges->sites[number];
	if (!site->known) {
		site->known = true;
		site->rule = find_rule(trace, number);
		site->is_cached = strcmp(trace_site_name(trace, number),
					  "backend_compile") == 0 &&
				  trace->sites[number].category != 0;
	}
	return site;
}

/* The compilation to which the track's ranges belong now; NULL: none. */
static struct unit *lane_unit(
	const struct compiler_ranges *ranges, const struct lane *lane)
{
	size_t number = lane->shared;

	if (lane->unit_depth != 0)
		number = lane->unit;
	else if (lane->helper_depth != 0)
		number = lane->helped;
	return number != 0 ? &ranges->units[number - 1] : NULL;
}

/* The number of a new compilation; 0 if out of memory. */
static size_t add_unit(struct compiler_ranges *ranges, enum compiler compiler,
	int64_t pid, int64_t begin_ns)
{
	if (!array_reserve(&ranges->units, ranges->unit_count,
		    &ranges->unit_room, sizeof(*ranges->units)))
		return 0;
	ranges->units[ranges->unit_count++] =
		(struct unit){.compiler = compiler,
			.pid = pid,
			.begin_ns = begin_ns,
			.end_ns = begin_ns};
	return ranges->unit_count;
}

/* The number of the compilation of this process; 0 if out of memory. */
static size_t find_shared(struct compiler_ranges *ranges,
	enum compiler compiler, int64_t pid, int64_t begin_ns)
{
	for (size_t i = 0; i < ranges->unit_count; i++)
		if (ranges->units[i].compiler == compiler &&
			ranges->units[i].pid == pid)
			return i + 1;
	return add_unit(ranges, compiler, pid, begin_ns);
}

/* ---- rows ---- */

static uint64_t span(int64_t begin_ns, int64_t end_ns)
{
	return end_ns > begin_ns ? (uint64_t)end_ns - (uint64_t)begin_ns : 0;
}

static void set_parts(struct compilation *row, const struct unit *unit)
{
	const struct kind *kind = &kinds[unit->compiler];
	uint64_t sum = kind->waits ? unit->parts_ns[PART_WAITING] : 0;

	for (unsigned i = 0; i < COMPILATION_PARTS; i++) {
		if ((kind->parts & 1U << i) == 0)
			continue;
		row->parts[i] = value_number(unit->parts_ns[i]);
		sum = saturate_sum(sum, unit->parts_ns[i]);
	}
	if (kind->waits)
		row->waiting = value_number(unit->parts_ns[PART_WAITING]);
	row->other =
		value_number(sum < row->total_ns ? row->total_ns - sum : 0);
	if (kind->extent != EXTENT_RANGE)
		row->parallel = value_number(
			sum > row->total_ns ? sum - row->total_ns : 0);
}

static bool add_row(struct compiler_ranges *ranges, const struct unit *unit)
{
	const struct kind *kind = &kinds[unit->compiler];
	struct compilation *row = compilations_add_row(ranges->to);

	if (row == NULL)
		return false;
	row->input = ranges->to->input;
	row->compiler = kind->name;
	row->id = unit->id;
	row->function = unit->function;
	row->file = unit->file;
	row->total_ns = saturate_sum(
		span(unit->begin_ns, unit->end_ns), unit->before_ns);
	set_parts(row, unit);
	if (kind->has_headers) {
		row->headers = value_number(unit->headers);
		row->templates = value_number(unit->templates);
	}
	if (kind->has_units)
		row->units = value_number(unit->modules);
	return true;
}

/* ---- names ---- */

/* The module of "XlaCompile:#module=jit_f,program_id=1#". */
static struct event_arg name_in_range(const char *range)
{
	static const char key[] = "#module=";
	const char *at = strstr(range, key);
	struct event_arg arg = {.kind = ARG_INT};

	if (at == NULL)
		return arg;
	arg.kind = ARG_TEXT;
	arg.value.text.bytes = at + strlen(key);
	arg.value.text.size = strcspn(at + strlen(key), ",#");
	return arg;
}

/* Whether this is the argument with the name. */
static bool is_name(const char *key)
{
	return strcmp(key, "detail") == 0 || strcmp(key, "module") == 0 ||
	       strcmp(key, "name") == 0;
}

/* The compilation's name, from a range of it. */
static bool read_name(struct compiler_ranges *ranges, struct unit *unit,
	const struct event *event)
{
	const struct trace *trace = ranges->to->trace;
	struct event_arg name =
		name_in_range(trace_site_name(trace, event->site));
	size_t size;
	const char *detail = find_detail(trace, event->site, &size);
	const char **to = unit->compiler == CLANG ? &unit->file : &unit->id;

	if (detail != NULL)
		name = (struct event_arg){.kind = ARG_TEXT,
			.value.text = {detail, strlen(detail)}};
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (event->args[i].kind == ARG_TEXT &&
			is_name(strtab_text(
				trace->text, event->args[i].key, NULL)))
			name = event->args[i];
	if (*to != NULL || name.kind != ARG_TEXT || name.value.text.size == 0)
		return true;
	*to = compilations_keep(
		ranges->to, name.value.text.bytes, name.value.text.size);
	return *to != NULL;
}

/* The function of "PjitFunction(f)", in which JAX compiles. */
static bool find_function(struct compiler_ranges *ranges,
	const struct lane *lane, struct unit *to)
{
	static const char begin[] = "PjitFunction(";

	for (uint32_t i = lane->depth; i > 0; i--) {
		const char *name = trace_site_name(
			ranges->to->trace, lane->open[i - 1].site);
		size_t size = strlen(name);

		if (strncmp(name, begin, strlen(begin)) != 0 ||
			name[size - 1] != ')')
			continue;
		to->function = compilations_keep(ranges->to,
			name + strlen(begin), size - strlen(begin) - 1);
		return to->function != NULL;
	}
	return true;
}

/* The name of a process, which is rustc's crate. */
static bool find_crate(struct compiler_ranges *ranges, struct unit *to)
{
	const struct trace *trace = ranges->to->trace;
	uint32_t name = 0;

	for (uint32_t i = 0; i < trace->track_count && name == 0; i++)
		if (trace->tracks[i].pid == to->pid)
			name = trace->tracks[i].process_name;
	if (name != 0) {
		const char *text = strtab_text(trace->text, name, NULL);

		to->function =
			compilations_keep(ranges->to, text, strlen(text));
	}
	return name == 0 || to->function != NULL;
}

/* Appends the text of the JSON string that begins at `at`, behind its quote.
 * Returns its end. */
static const char *add_string(const char *at, struct buffer *text)
{
	const char *end = at;

	while (*end != '\0' && *end != '"')
		end += *end == '\\' && end[1] != '\0' ? 2 : 1;
	if (text->used != 0)
		buffer_add_text(text, ", ");
	if (!json_value_unescape(at, (size_t)(end - at), text))
		text->failed = true;
	return *end == '\0' ? end : end + 1;
}

/* nvcc's input files: "a.cu, b.cu" of the JSON array ["a.cu","b.cu"]. */
static bool find_files(struct compiler_ranges *ranges, struct unit *to)
{
	const char *at = trace_find_fact(ranges->to->trace, "inputFiles");
	struct buffer text = BUFFER_INIT;
	bool done;

	while (at != NULL && *at != '\0')
		at = *at == '"' ? add_string(at + 1, &text) : at + 1;
	if (text.used != 0 && !text.failed)
		to->file = compilations_keep(
			ranges->to, (const char *)text.bytes, text.used);
	done = !text.failed && (text.used == 0 || to->file != NULL);
	buffer_clear(&text);
	return done;
}

/* ---- events ---- */

/* The text of an argument; NULL without it. */
static const struct event_arg *find_arg(const struct compiler_ranges *ranges,
	const struct event *event, const char *key, enum event_arg_kind kind)
{
	const struct trace *trace = ranges->to->trace;

	for (uint32_t i = 0; i < event->arg_count; i++)
		if (event->args[i].kind == kind &&
			strcmp(strtab_text(
				       trace->text, event->args[i].key, NULL),
				key) == 0)
			return &event->args[i];
	return NULL;
}

/*
 * PyTorch's call of a back end whose result was not in AOTAutograd's cache has
 * the time of the miss, since 1970; when it ends, the result is stored.
 * Source: torch/_functorch/_aot_autograd/autograd_cache.py.
 */
static bool begin_cached(struct compiler_ranges *ranges,
	struct open_range *open, const struct event *event)
{
	const struct event_arg *state =
		find_arg(ranges, event, "cache_state", ARG_TEXT);
	const struct event_arg *time =
		find_arg(ranges, event, "cache_event_time", ARG_INT);
	const struct event_arg *id =
		find_arg(ranges, event, "compile_id", ARG_TEXT);

	if (state == NULL || time == NULL || id == NULL ||
		state->value.text.size != strlen("miss") ||
		memcmp(state->value.text.bytes, "miss", strlen("miss")) != 0)
		return true;
	open->miss_ns = time->value.integer;
	open->id = compilations_keep(
		ranges->to, id->value.text.bytes, id->value.text.size);
	return open->id != NULL;
}

static bool end_cached(struct compiler_ranges *ranges,
	const struct open_range *open, int64_t end_ns)
{
	if (open->id == NULL ||
		__builtin_add_overflow(
			end_ns, ranges->to->trace->base_realtime_ns, &end_ns) ||
		end_ns < open->miss_ns)
		return true;
	return compilations_add_miss(ranges->to, open->id, strlen(open->id),
		span(open->miss_ns, end_ns));
}

/* Adds the time since the last event to the innermost part. */
static void account(
	struct compiler_ranges *ranges, struct lane *lane, int64_t time_ns)
{
	struct unit *unit = lane_unit(ranges, lane);

	if (unit != NULL && lane->depth != 0) {
		uint64_t *sum =
			&unit->parts_ns[lane->open[lane->depth - 1].part];

		*sum = saturate_sum(*sum, span(lane->last_ns, time_ns));
	}
	if (lane->depth == 0 || time_ns > lane->last_ns)
		lane->last_ns = time_ns;
}

/* Whether the thread helps with the compilation that began last, of the same
 * process: XLA compiles on a thread of its own while JAX waits. */
static bool begin_help(struct compiler_ranges *ranges, struct lane *lane,
	const struct rule *rule, int64_t pid)
{
	const struct lane *helped = &ranges->lanes[ranges->last];
	const struct unit *unit;

	if ((rule->roles & ROLE_HELPER) == 0 || helped->unit_depth == 0)
		return false;
	unit = lane_unit(ranges, helped);
	if (unit->compiler != rule->compiler || unit->pid != pid)
		return false;
	if (lane->helper_depth == 0) {
		lane->helped = helped->unit;
		lane->helper_depth = lane->depth + 1;
	}
	return true;
}

/* Begins a compilation if this range does. False if out of memory. */
static bool begin_unit(struct compiler_ranges *ranges, struct lane *lane,
	const struct rule *rule, const struct event *event)
{
	enum extent extent = kinds[rule->compiler].extent;
	int64_t pid = extent == EXTENT_TRACE
			      ? 0
			      : ranges->to->trace->tracks[event->track].pid;
	struct unit *unit;

	if (extent != EXTENT_RANGE) {
		if (lane->shared == 0)
			lane->shared = find_shared(
				ranges, rule->compiler, pid, event->time_ns);
		return lane->shared != 0;
	}
	if ((rule->roles & ROLE_UNIT) == 0 || lane->unit_depth != 0 ||
		begin_help(ranges, lane, rule, pid))
		return true;
	lane->unit = add_unit(ranges, rule->compiler, pid, event->time_ns);
	if (lane->unit == 0)
		return false;
	unit = &ranges->units[lane->unit - 1];
	unit->proved = true;
	unit->before_ns = lane->lowering_ns;
	unit->parts_ns[COMPILATION_FRONT_END] = lane->lowering_ns;
	lane->lowering_ns = 0;
	lane->unit_depth = lane->depth + 1;
	ranges->last = event->track;
	return find_function(ranges, lane, unit);
}

/* The compilation that a range counts for: clang's headers may have a track of
 * their own. NULL: none. */
static struct unit *find_counting(struct compiler_ranges *ranges,
	const struct lane *lane, const struct rule *rule,
	const struct event *event)
{
	const struct trace_track *tracks = ranges->to->trace->tracks;
	struct unit *unit = lane_unit(ranges, lane);
	size_t last = ranges->lanes[ranges->last].unit;

	if (unit != NULL || rule == NULL || (rule->roles & ROLE_HEADER) == 0 ||
		last == 0)
		return unit;
	unit = &ranges->units[last - 1];
	return unit->compiler == rule->compiler &&
			       unit->pid == tracks[event->track].pid
		       ? unit
		       : NULL;
}

/* Counts a range of the compilation. False if out of memory. */
static bool note_range(struct compiler_ranges *ranges, struct unit *unit,
	const struct rule *rule, const struct event *event)
{
	if (kinds[unit->compiler].extent != EXTENT_RANGE &&
		unit->begin_ns > event->time_ns)
		unit->begin_ns = event->time_ns;
	if (rule == NULL || rule->compiler != unit->compiler)
		return true;
	unit->proved = unit->proved || (rule->roles & ROLE_PROOF) != 0;
	unit->headers += (rule->roles & ROLE_HEADER) != 0;
	unit->templates += (rule->roles & ROLE_TEMPLATE) != 0;
	unit->modules += (rule->roles & ROLE_MODULE) != 0;
	return (rule->roles & ROLE_NAMED) == 0 ||
	       read_name(ranges, unit, event);
}

static unsigned part_of(const struct lane *lane, const struct rule *rule)
{
	unsigned around = lane->depth != 0 ? lane->open[lane->depth - 1].part
					   : (unsigned)PART_NONE;

	if (rule == NULL || rule->part == PART_NONE ||
		((rule->roles & ROLE_OUTER) != 0 && around != PART_NONE))
		return around;
	return rule->part;
}

static bool add_begin(struct compiler_ranges *ranges, struct lane *lane,
	const struct site_rule *site, const struct event *event)
{
	struct open_range open = {
		.site = event->site, .begin_ns = event->time_ns};
	struct unit *unit;

	account(ranges, lane, event->time_ns);
	if (site->rule != NULL && !begin_unit(ranges, lane, site->rule, event))
		return false;
	open.part = part_of(lane, site->rule);
	if ((site->is_cached && !begin_cached(ranges, &open, event)) ||
		!array_reserve32(&lane->open, lane->depth, &lane->room,
			sizeof(*lane->open)))
		return false;
	lane->open[lane->depth++] = open;
	unit = find_counting(ranges, lane, site->rule, event);
	return unit == NULL || note_range(ranges, unit, site->rule, event);
}

static bool add_end(struct compiler_ranges *ranges, struct lane *lane,
	const struct event *event)
{
	struct unit *unit = lane_unit(ranges, lane);
	struct open_range open;
	const struct rule *rule;

	if (lane->depth == 0)
		return true;
	account(ranges, lane, event->time_ns);
	open = lane->open[--lane->depth];
	rule = ranges->sites[open.site].rule;
	if (unit != NULL && lane->helper_depth == 0 &&
		unit->end_ns < event->time_ns)
		unit->end_ns = event->time_ns;
	if (rule != NULL && (rule->roles & ROLE_LOWERING) != 0 && unit == NULL)
		lane->lowering_ns = span(open.begin_ns, event->time_ns);
	if (lane->helper_depth > lane->depth)
		lane->helper_depth = 0;
	if (lane->unit_depth > lane->depth)
		lane->unit_depth = 0;
	return end_cached(ranges, &open, event_end(event));
}

/* A range that does not nest is only counted. clang's headers are such since
 * version 19. */
static bool add_loose(struct compiler_ranges *ranges, struct lane *lane,
	const struct site_rule *site, const struct event *event)
{
	struct unit *unit = find_counting(ranges, lane, site->rule, event);

	return unit == NULL || note_range(ranges, unit, site->rule, event);
}

bool compiler_ranges_add(
	struct compiler_ranges *ranges, const struct event *event)
{
	bool begins = event->kind == EVENT_BEGIN;
	bool loose = event->kind == EVENT_COMPLETE ||
		     event->kind == EVENT_ASYNC_BEGIN;
	const struct site_rule *site = NULL;
	struct lane *lane;

	if (!begins && !loose && event->kind != EVENT_END)
		return true;
	if (!array_ensure_index(&ranges->lanes, event->track,
		    &ranges->lane_room, sizeof(*ranges->lanes)))
		return false;
	lane = &ranges->lanes[event->track];
	if (event->kind == EVENT_END)
		return add_end(ranges, lane, event);
	site = find_site(ranges, event->site);
	if (site == NULL)
		return false;
	return begins ? add_begin(ranges, lane, site, event)
		      : add_loose(ranges, lane, site, event);
}

/* Ranges left open end at the trace's end. */
static bool close_ranges(struct compiler_ranges *ranges, uint32_t track)
{
	struct lane *lane = &ranges->lanes[track];
	struct event end = {.kind = EVENT_END, .track = track};

	if (lane->depth != 0)
		end.time_ns = trace_track_end(ranges->to->trace, track);
	while (lane->depth > 0)
		if (!add_end(ranges, lane, &end))
			return false;
	return true;
}

bool compiler_ranges_end(struct compiler_ranges *ranges)
{
	for (uint32_t i = 0; i < ranges->lane_room; i++)
		if (!close_ranges(ranges, i))
			return false;
	for (size_t i = 0; i < ranges->unit_count; i++) {
		struct unit *unit = &ranges->units[i];

		if (!unit->proved)
			continue;
		if ((unit->compiler == RUSTC && !find_crate(ranges, unit)) ||
			(unit->compiler == NVCC && !find_files(ranges, unit)) ||
			!add_row(ranges, unit))
			return false;
	}
	return true;
}

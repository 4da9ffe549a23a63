/* SPDX-License-Identifier: MIT */
#include "compilers/compile_places.h"

#include <string.h>

#include "names/function_name.h"
#include "base/memory.h"
#include "compilers/trace_detail.h"

#define IS_KNOWN (1U << COMPILE_GROUP_COUNT)
#define OTHER_PHASE "other" /* around none of a phase */

/* The phase that a range of this name begins; NULL: none. */
static const char *phase_of(
	const struct compile_places *places, const char *name, size_t size)
{
	const struct phase_subject subject = {
		.name = name, .name_size = size, .file = "", .category = ""};

	for (unsigned i = 0; i < 2; i++) {
		const struct phase_rules *rules = places->rules[i].rules[0];
		uint32_t phase = phase_rules_find(rules, &subject).phase;

		if (phase != PHASE_NONE)
			return phase_rules_phase(rules, phase);
	}
	return NULL;
}

/* Is it one that only compilers have? What is called "Source" may be anything,
 * unless it is said, or at hand already, which header it is. */
static bool is_compiler_site(const struct trace *trace, uint32_t number)
{
	const struct trace_site *site = &trace->sites[number];
	const char *name = trace_site_name(trace, number);
	size_t kind;
	enum trace_detail detail = trace_detail_of(name, &kind);

	if (detail == TRACE_DETAIL_HEADER)
		return site->category == 0 ? site->file != 0
					   : site->category == site->name;
	return site->category == 0 &&
	       (detail != TRACE_DETAIL_OTHER ||
		       strcmp(name, "ExecuteCompiler") == 0);
}

/* clang says when it began, at the end of the file: of versions before 11, and
 * of what is cut off, only the ranges tell; so do those of a log. */
bool compile_is_trace(const struct trace *trace)
{
	if (trace_find_fact(trace, "beginningOfTime") != NULL)
		return true;
	for (uint32_t i = 0; i < trace->site_count; i++)
		if (is_compiler_site(trace, i))
			return true;
	return false;
}

bool compile_places_init(struct compile_places *places, uint32_t groups)
{
	*places = (struct compile_places){
		.sites = trace_new(NULL), .groups = groups};
	return places->sites != NULL &&
	       phase_sets_open(&places->rules[0], "clang", NULL) == CTP_OK &&
	       phase_sets_open(&places->rules[1], "nvcc", NULL) == CTP_OK;
}

void compile_places_clear(struct compile_places *places)
{
	memory_free(places->numbers);
	memory_free(places->known);
	buffer_clear(&places->text);
	trace_free(places->sites);
	phase_sets_clear(&places->rules[0]);
	phase_sets_clear(&places->rules[1]);
}

void compile_places_begin(
	struct compile_places *places, const struct trace *trace)
{
	places->trace = trace;
	places->number_count = 0;
}

static bool add_site(struct compile_places *places, const char *name,
	size_t size, uint32_t *site)
{
	*site = trace_add_site(places->sites, name, size, "", 0, 0);
	return *site != TRACE_NONE;
}

/* The instance's template: "InstantiateClass std::vector". */
static bool find_set(struct compile_places *places, const char *name,
	size_t kind, uint32_t *site)
{
	struct buffer *text = &places->text;
	size_t size = strlen(name);

	text->used = 0;
	buffer_add(text, name, kind);
	if (size > kind) {
		buffer_add_byte(text, ' ');
		function_name_add_short(text, name + kind + 1, size - kind - 1);
	}
	return !text->failed &&
	       add_site(places, (const char *)text->bytes, text->used, site);
}

/* False if out of memory. */
static bool learn(struct compile_places *places, uint32_t site,
	struct compile_place *place)
{
	const char *name = trace_site_name(places->sites, site);
	size_t kind;
	enum trace_detail detail = trace_detail_of(name, &kind);
	const char *phase = phase_of(places, name, kind);
	uint32_t groups = 1U << COMPILE_NAME | IS_KNOWN;

	if (phase != NULL)
		groups |= 1U << COMPILE_PHASE;
	if (detail == TRACE_DETAIL_HEADER)
		groups |= 1U << COMPILE_HEADER;
	if (detail == TRACE_DETAIL_CLASS || detail == TRACE_DETAIL_FUNCTION)
		groups |= 1U << COMPILE_TEMPLATE | 1U << COMPILE_SET;
	if (detail == TRACE_DETAIL_OPTIMIZED ||
		detail == TRACE_DETAIL_GENERATED)
		groups |= 1U << COMPILE_FUNCTION;
	place->groups = groups & (places->groups | IS_KNOWN);
	place->phase = TRACE_NONE;
	phase = phase == NULL ? OTHER_PHASE : phase;
	/* The table of sites moves what their names are borrowed from not. */
	return add_site(places, phase, strlen(phase), &place->phase) &&
	       ((groups & 1U << COMPILE_SET) == 0 ||
		       find_set(places, name, kind, &place->set)) &&
	       add_site(places, name, kind, &place->name);
}

/* Makes room for one number more, by the array's own index. */
static bool reach_number(struct compile_places *places, uint32_t index)
{
	if (!memory_reach(&places->numbers, index, &places->number_room,
		    sizeof(*places->numbers)))
		return false;
	while (places->number_count <= index)
		places->numbers[places->number_count++] = TRACE_NONE;
	return true;
}

/* Our own number of a site of the trace; TRACE_NONE if out of memory. */
static uint32_t find_number(struct compile_places *places, uint32_t site)
{
	const struct trace *trace = places->trace;
	const struct trace_site *from = &trace->sites[site];
	const char *name;
	const char *file;
	size_t name_size;
	size_t file_size;

	if (!reach_number(places, site))
		return TRACE_NONE;
	if (places->numbers[site] != TRACE_NONE)
		return places->numbers[site];
	name = strtab_text(trace->text, from->name, &name_size);
	file = strtab_text(trace->text, from->file, &file_size);
	places->numbers[site] = trace_add_site(
		places->sites, name, name_size, file, file_size, from->line);
	return places->numbers[site];
}

const struct compile_place *compile_places_find(
	struct compile_places *places, uint32_t *site)
{
	uint32_t number = find_number(places, *site);
	struct compile_place *place;

	if (number == TRACE_NONE ||
		!memory_reach(&places->known, number, &places->known_room,
			sizeof(*places->known)))
		return NULL;
	place = &places->known[number];
	if (place->groups == 0 && !learn(places, number, place))
		return NULL;
	*site = number;
	return place;
}

uint32_t compile_place_site(
	const struct compile_place *place, unsigned group, uint32_t site)
{
	switch (group) {
	case COMPILE_PHASE:
		return place->phase;
	case COMPILE_SET:
		return place->set;
	case COMPILE_NAME:
		return place->name;
	default:
		return site;
	}
}

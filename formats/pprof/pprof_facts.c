/* SPDX-License-Identifier: MIT */
#include "pprof/pprof_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "pprof/pprof.h"
#include "protobuf/protobuf.h"
#include "io/unit.h"

#define NUMBER_TEXT 24

/* Most value types that are named. */
#define TYPES_MAX 32

void pprof_facts_clear(struct pprof_facts *facts)
{
	memory_free(facts->types);
	*facts = (struct pprof_facts){.types = NULL};
}

static struct pprof_type read_type(
	struct pprof_facts *facts, struct cursor message)
{
	struct pprof_type type = {0, 0};
	struct protobuf_field field;
	enum protobuf_next next;

	while ((next = protobuf_read_field(&message, &field)) ==
		PROTOBUF_FIELD) {
		uint32_t number = pprof_tables_text_number(field.value);

		if (field.number == VALUE_TYPE_TYPE)
			type.type = number;
		else if (field.number == VALUE_TYPE_UNIT)
			type.unit = number;
	}
	if (next != PROTOBUF_END)
		facts->bad++;
	return type;
}

bool pprof_facts_add_type(struct pprof_facts *facts, struct cursor message)
{
	if (!array_reserve32(&facts->types, facts->type_count,
		    &facts->type_room, sizeof(*facts->types)))
		return false;
	facts->types[facts->type_count++] = read_type(facts, message);
	return true;
}

void pprof_facts_set_period_type(
	struct pprof_facts *facts, struct cursor message)
{
	facts->period_type = read_type(facts, message);
}

void pprof_facts_add_comment(struct pprof_facts *facts, uint64_t value)
{
	if (facts->comment_count < PPROF_COMMENTS_MAX)
		facts->comments[facts->comment_count++] =
			pprof_tables_text_number(value);
	else
		facts->left_out++;
}

void pprof_facts_add_comments(struct pprof_facts *facts, struct cursor numbers)
{
	uint64_t value;

	while (protobuf_read_varint(&numbers, &value))
		pprof_facts_add_comment(facts, value);
}

static const char *text_of(const struct pprof_tables *tables, uint32_t number)
{
	return pprof_tables_text(tables, number, NULL);
}

static bool is_time(
	const struct pprof_tables *tables, struct pprof_type type, int *power)
{
	size_t size;
	const char *unit = pprof_tables_text(tables, type.unit, &size);

	return unit_power(unit, size, power);
}

static bool choose_type(
	struct pprof_facts *facts, const struct pprof_tables *tables)
{
	bool by_name = facts->wanted != NULL || facts->usual_type != 0;
	const char *usual = facts->wanted != NULL
				    ? facts->wanted
				    : text_of(tables, facts->usual_type);
	bool found = facts->wanted == NULL;
	int power = 0;

	facts->taken = facts->type_count == 0 ? 0 : facts->type_count - 1;
	for (uint32_t i = 0; i < facts->type_count; i++) {
		bool is_usual =
			by_name && strcmp(text_of(tables, facts->types[i].type),
					   usual) == 0;

		found = found || is_usual;
		if (is_usual || is_time(tables, facts->types[i], &power))
			facts->taken = i;
		if (is_usual)
			break;
	}
	facts->scale = 1;
	if (facts->type_count == 0 ||
		!is_time(tables, facts->types[facts->taken], &power))
		return found;
	for (; power > 0; power--)
		facts->scale *= 10;
	return found;
}

bool pprof_facts_choose(
	struct pprof_facts *facts, const struct pprof_tables *tables)
{
	bool found = choose_type(facts, tables);

	facts->calls = UINT32_MAX;
	for (uint32_t i = facts->type_count; i-- > 0;) {
		struct pprof_type type = facts->types[i];

		if (strcmp(text_of(tables, type.type), PPROF_CALLS) == 0 &&
			strcmp(text_of(tables, type.unit), PPROF_COUNT) == 0)
			facts->calls = i;
	}
	return found;
}

/* "cpu (nanoseconds)". */
static void add_type(struct buffer *text, const struct pprof_tables *tables,
	struct pprof_type type)
{
	const char *unit = text_of(tables, type.unit);

	buffer_add_text(text, text_of(tables, type.type));
	if (*unit == '\0')
		return;
	buffer_add_text(text, " (");
	buffer_add_text(text, unit);
	buffer_add_byte(text, ')');
}

/* Stores the text as a fact unless it is empty. */
static bool add_fact(struct buffer *text, struct trace *trace, const char *key)
{
	bool is_empty = text->used == 0;

	buffer_add_byte(text, '\0');
	text->used = 0;
	return !text->failed &&
	       (is_empty ||
		       trace_add_fact(trace, key, (const char *)text->bytes));
}

static void add_period(struct buffer *text, const struct pprof_tables *tables,
	const struct pprof_facts *facts)
{
	char number[NUMBER_TEXT];

	if (facts->period <= 0)
		return;
	(void)snprintf(number, sizeof(number), ": %" PRId64, facts->period);
	add_type(text, tables, facts->period_type);
	buffer_add_text(text, number);
}

bool pprof_facts_store(const struct pprof_facts *facts,
	const struct pprof_tables *tables, struct trace *trace)
{
	uint32_t count = facts->type_count;
	struct buffer text = BUFFER_INIT;
	bool done;

	if (count > 0)
		add_type(&text, tables, facts->types[facts->taken]);
	done = add_fact(&text, trace, "cost");
	for (uint32_t i = 0; count > 1 && i < count && i < TYPES_MAX; i++) {
		buffer_add_text(&text, i > 0 ? ", " : "");
		add_type(&text, tables, facts->types[i]);
	}
	done = done && add_fact(&text, trace, "costs");
	add_period(&text, tables, facts);
	done = done && add_fact(&text, trace, "period");
	for (unsigned i = 0; i < facts->comment_count && done; i++) {
		buffer_add_text(&text, text_of(tables, facts->comments[i]));
		done = add_fact(&text, trace, "comment");
	}
	buffer_clear(&text);
	return done;
}

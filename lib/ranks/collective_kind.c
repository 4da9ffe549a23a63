/* SPDX-License-Identifier: MIT */
#include "ranks/collective_kind.h"

#include <ctype.h>
#include <string.h>

#include "base/saturate.h"
#include "base/stable_hash.h"
#include "roofline/dtype.h"

#define LETTERS_MAX 96

/* Parts of names without what is not a letter; the first that matches counts,
 * so longer ones come first. */
static const struct {
	const char *part;
	enum collective_op op;
} parts[] = {
	{"allreduce", COLLECTIVE_ALL_REDUCE},
	{"crossdevicereduce", COLLECTIVE_ALL_REDUCE},
	{"reducescatter", COLLECTIVE_REDUCE_SCATTER},
	{"allgather", COLLECTIVE_ALL_GATHER},
	{"alltoallv", COLLECTIVE_ALL_TO_ALL_V},
	{"alltoall", COLLECTIVE_ALL_TO_ALL},
	{"sendrecv", COLLECTIVE_SEND_RECV},
	{"broadcast", COLLECTIVE_BROADCAST},
	{"barrier", COLLECTIVE_BARRIER},
	{"scatter", COLLECTIVE_SCATTER},
	{"gather", COLLECTIVE_GATHER},
	{"reduce", COLLECTIVE_REDUCE},
	{"send", COLLECTIVE_SEND},
	{"recv", COLLECTIVE_RECV},
};

const char *collective_op_name(enum collective_op op)
{
	static const char *const names[COLLECTIVE_OPS] = {
		[COLLECTIVE_OTHER] = "other",
		[COLLECTIVE_ALL_REDUCE] = "all_reduce",
		[COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
		[COLLECTIVE_ALL_GATHER] = "all_gather",
		[COLLECTIVE_ALL_TO_ALL] = "all_to_all",
		[COLLECTIVE_ALL_TO_ALL_V] = "all_to_allv",
		[COLLECTIVE_BROADCAST] = "broadcast",
		[COLLECTIVE_REDUCE] = "reduce",
		[COLLECTIVE_SCATTER] = "scatter",
		[COLLECTIVE_GATHER] = "gather",
		[COLLECTIVE_SEND_RECV] = "send_recv",
		[COLLECTIVE_SEND] = "send",
		[COLLECTIVE_RECV] = "recv",
		[COLLECTIVE_BARRIER] = "barrier",
	};

	return names[op];
}

enum collective_op collective_op_of(const char *name, size_t size)
{
	char letters[LETTERS_MAX];
	size_t used = 0;

	for (size_t i = 0; i < size && name[i] != '(' && used + 1 < LETTERS_MAX;
		i++)
		if (isalpha((unsigned char)name[i]))
			letters[used++] = (char)tolower((unsigned char)name[i]);
	letters[used] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(letters, parts[i].part) != NULL)
			return parts[i].op;
	return COLLECTIVE_OTHER;
}

bool collective_op_waits(enum collective_op op)
{
	return op == COLLECTIVE_ALL_REDUCE || op == COLLECTIVE_REDUCE_SCATTER ||
	       op == COLLECTIVE_ALL_GATHER || op == COLLECTIVE_ALL_TO_ALL;
}

bool collective_op_bus(enum collective_op op, uint64_t ranks,
	uint64_t *numerator, uint64_t *denominator)
{
	*numerator = 1;
	*denominator = 1;
	switch (op) {
	case COLLECTIVE_BROADCAST:
	case COLLECTIVE_REDUCE:
	case COLLECTIVE_SEND_RECV:
	case COLLECTIVE_SEND:
	case COLLECTIVE_RECV:
		return true;
	case COLLECTIVE_ALL_REDUCE:
		*numerator = 2;
		break;
	case COLLECTIVE_REDUCE_SCATTER:
	case COLLECTIVE_ALL_GATHER:
	case COLLECTIVE_ALL_TO_ALL:
	case COLLECTIVE_ALL_TO_ALL_V:
	case COLLECTIVE_SCATTER:
	case COLLECTIVE_GATHER:
		break;
	default:
		return false;
	}
	if (ranks == 0)
		return false;
	*numerator *= ranks - 1;
	*denominator = ranks;
	return true;
}

/* ---- arguments ---- */

enum {
	ARGUMENT_NAME,
	ARGUMENT_IN,
	ARGUMENT_OUT,
	ARGUMENT_DTYPE,
	ARGUMENT_SIZE,
	ARGUMENT_GROUP,
	ARGUMENT_DESCRIPTION,
	ARGUMENT_RANKS,
	ARGUMENT_NUMBER,
	ARGUMENT_DIMS,
	ARGUMENT_TYPES,
};

/* Source: torch/csrc/distributed/c10d/ParamCommsUtils.hpp. */
const char *const collective_args[] = {
	[ARGUMENT_NAME] = "Collective name",
	[ARGUMENT_IN] = "In msg nelems",
	[ARGUMENT_OUT] = "Out msg nelems",
	[ARGUMENT_DTYPE] = "dtype",
	[ARGUMENT_SIZE] = "Group size",
	[ARGUMENT_GROUP] = "Process Group Name",
	[ARGUMENT_DESCRIPTION] = "Process Group Description",
	[ARGUMENT_RANKS] = "Process Group Ranks",
	[ARGUMENT_NUMBER] = "Seq",
	[ARGUMENT_DIMS] = "Input Dims",
	[ARGUMENT_TYPES] = "Input type",
	NULL,
};

static const struct event_arg *find(
	const struct trace *trace, const struct event *event, int argument)
{
	return event_find_arg(trace, event, collective_args[argument]);
}

/* The bytes of a text or of a JSON value; false if it is something else. */
static bool find_text(const struct trace *trace, const struct event *event,
	int argument, const char **text, size_t *size)
{
	const struct event_arg *arg = find(trace, event, argument);

	if (arg == NULL || (arg->kind != ARG_TEXT && arg->kind != ARG_JSON))
		return false;
	*text = arg->value.text.bytes;
	*size = arg->value.text.size;
	return *size > 0;
}

static bool find_count(const struct trace *trace, const struct event *event,
	int argument, uint64_t *count)
{
	const struct event_arg *arg = find(trace, event, argument);

	if (arg == NULL || arg->kind != ARG_INT || arg->value.integer < 0)
		return false;
	*count = (uint64_t)arg->value.integer;
	return true;
}

/* Copies printable ASCII, cut to the room. */
static void copy_text(char *to, size_t room, const char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < size && used + 1 < room; i++)
		if (text[i] >= ' ' && text[i] <= '~')
			to[used++] = text[i];
	to[used] = '\0';
}

/* "BFloat16", "c10::BFloat16": "bfloat16"; "long int": "long". Returns the
 * size of an element; 0: unknown. */
static uint32_t read_dtype(
	struct collective_kind *kind, const char *text, size_t size)
{
	char full[sizeof(kind->dtype) + sizeof("c10::")];
	struct dtype_element element = dtype_of_type(text, size);
	char *end;

	if (element.bytes == 0) {
		copy_text(full, sizeof(full), "c10::", 5);
		copy_text(full + 5, sizeof(full) - 5, text, size);
		element = dtype_of_type(full, strlen(full));
	}
	if (size > 5 && memcmp(text, "c10::", 5) == 0) {
		text += 5;
		size -= 5;
	}
	copy_text(kind->dtype, sizeof(kind->dtype), text, size);
	for (char *at = kind->dtype; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	end = strstr(kind->dtype, " int");
	if (end != NULL && end != kind->dtype)
		*end = '\0';
	if (element.bytes == 0)
		element = dtype_of_type(kind->dtype, strlen(kind->dtype));
	return strcmp(kind->dtype, "byte") == 0 ? 1 : element.bytes;
}

/* The number of elements of shapes: 35 of "[[8, 4], [3]]", 0 of "[]". */
static uint64_t count_elements(const char *text, size_t size)
{
	uint64_t sum = 0;
	uint64_t product = 1;
	bool any = false;

	for (size_t i = 0; i < size; i++) {
		uint64_t number = 0;

		if (text[i] == '[' || text[i] == ']') {
			sum = saturate_sum(sum, any ? product : 0);
			product = 1;
			any = false;
		}
		if (!isdigit((unsigned char)text[i]))
			continue;
		for (; i < size && isdigit((unsigned char)text[i]); i++)
			number = saturate_sum(saturate_product(number, 10),
				(uint64_t)(text[i] - '0'));
		i--;
		product = saturate_product(product, number);
		any = true;
	}
	return sum;
}

/* Older profilers describe only the tensors, whose first type is that of all.
 * The input of a gather is only a part of the message. */
static void read_tensors(struct collective_kind *kind,
	const struct trace *trace, const struct event *event)
{
	const char *dims;
	const char *types;
	size_t dims_size;
	size_t size;
	uint64_t count;
	uint32_t element;

	if (!find_text(trace, event, ARGUMENT_DIMS, &dims, &dims_size) ||
		!find_text(trace, event, ARGUMENT_TYPES, &types, &size))
		return;
	while (size > 0 && (*types == '[' || *types == '"')) {
		types++;
		size--;
	}
	for (size_t i = 0; i < size; i++)
		if (types[i] == '"')
			size = i;
	count = count_elements(dims, dims_size);
	if (count == 0 || size == 0)
		return;
	element = read_dtype(kind, types, size);
	if (element == 0)
		kind->dtype[0] = '\0';
	else if (kind->op != COLLECTIVE_ALL_GATHER &&
		 kind->op != COLLECTIVE_GATHER)
		kind->bytes = saturate_product(count, element);
}

static void read_message(struct collective_kind *kind,
	const struct trace *trace, const struct event *event)
{
	const char *text;
	size_t size;
	uint64_t in = 0;
	uint64_t out = 0;
	bool known = find_count(trace, event, ARGUMENT_IN, &in);
	uint32_t element;

	known |= find_count(trace, event, ARGUMENT_OUT, &out);
	if (!find_text(trace, event, ARGUMENT_DTYPE, &text, &size)) {
		read_tensors(kind, trace, event);
		return;
	}
	element = read_dtype(kind, text, size);
	if (known && element != 0)
		kind->bytes = saturate_product(in > out ? in : out, element);
}

static void read_group(struct collective_kind *kind, const struct trace *trace,
	const struct event *event)
{
	const char *name = "";
	const char *ranks = "";
	const char *text;
	size_t name_size = 0;
	size_t ranks_size = 0;
	size_t size;
	uint64_t count;

	if (find_count(trace, event, ARGUMENT_SIZE, &count) &&
		count <= UINT32_MAX)
		kind->ranks = (uint32_t)count;
	(void)find_text(trace, event, ARGUMENT_GROUP, &name, &name_size);
	(void)find_text(trace, event, ARGUMENT_RANKS, &ranks, &ranks_size);
	copy_text(kind->group, sizeof(kind->group), name, name_size);
	if (find_text(trace, event, ARGUMENT_DESCRIPTION, &text, &size) &&
		!(size == 9 && memcmp(text, "undefined", 9) == 0))
		copy_text(kind->group, sizeof(kind->group), text, size);
	if (name_size + ranks_size > 0) {
		const uint64_t key[] = {stable_hash(name, name_size),
			stable_hash(ranks, ranks_size)};

		kind->members = stable_hash(key, sizeof(key));
	}
}

struct collective_kind collective_kind_of(
	const struct trace *trace, const struct event *event)
{
	struct collective_kind kind = {.bytes = COLLECTIVE_BYTES_UNKNOWN};
	const char *name = trace_site_name(trace, event->site);
	size_t size = strlen(name);

	(void)find_text(trace, event, ARGUMENT_NAME, &name, &size);
	kind.op = collective_op_of(name, size);
	read_message(&kind, trace, event);
	read_group(&kind, trace, event);
	return kind;
}

int collective_kind_compare(
	const struct collective_kind *one, const struct collective_kind *other)
{
	int order = strcmp(
		collective_op_name(one->op), collective_op_name(other->op));

	if (order == 0)
		order = strcmp(one->dtype, other->dtype);
	if (order == 0)
		order = (one->bytes > other->bytes) -
			(one->bytes < other->bytes);
	if (order == 0)
		order = (one->ranks > other->ranks) -
			(one->ranks < other->ranks);
	return order == 0 ? strcmp(one->group, other->group) : order;
}

uint64_t collective_kind_hash(const struct collective_kind *kind)
{
	const uint64_t key[] = {(uint64_t)kind->op,
		stable_hash(kind->dtype, strlen(kind->dtype)),
		stable_hash(kind->group, strlen(kind->group)), kind->ranks,
		kind->bytes};

	return stable_hash(key, sizeof(key));
}

void collective_kind_complete(
	struct collective_kind *kind, const struct collective_kind *from)
{
	/* Such a kernel is also an all-to-all. */
	if (kind->op == COLLECTIVE_OTHER ||
		(kind->op == COLLECTIVE_SEND_RECV &&
			from->op != COLLECTIVE_OTHER))
		kind->op = from->op;
	if (kind->dtype[0] == '\0')
		memcpy(kind->dtype, from->dtype, sizeof(kind->dtype));
	if (kind->bytes == COLLECTIVE_BYTES_UNKNOWN)
		kind->bytes = from->bytes;
	if (kind->ranks == 0)
		kind->ranks = from->ranks;
	if (kind->members != 0)
		return;
	kind->members = from->members;
	memcpy(kind->group, from->group, sizeof(kind->group));
}

bool collective_number(
	const struct trace *trace, const struct event *event, uint64_t *number)
{
	return find_count(trace, event, ARGUMENT_NUMBER, number);
}

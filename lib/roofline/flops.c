/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/flops_private.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "base/stable_hash.h"

#define KEYS_HELD 64
#define TYPES_HELD 64
#define TYPES_TEXT_MAX 256
#define WORKS_HELD 1024
#define WORKS_TEXT_MAX 320
#define BYTES_PER_GB 1e9

enum key {
	KEY_DIMS, /* what inputs are, up to KEY_INPUTS */
	KEY_TYPES,
	KEY_CONCRETE,
	KEY_INPUTS,
	KEY_OTHER = KEY_INPUTS,
	KEY_FLOPS,
	KEY_GB
};

const char *const flops_args[] = {"Input Dims",
	"Input dims", /* of the first traces */
	"Input type", "Concrete Inputs", "kernel_flop", "kernel_num_gb", NULL};

static const enum key arg_keys[] = {
	KEY_DIMS, KEY_DIMS, KEY_TYPES, KEY_CONCRETE, KEY_FLOPS, KEY_GB};

/* Of these a part of an input is read, and which is not known. */
static const char *const partly_read[] = {"index", "_index_put", "embedding",
	"_embedding_bag", "gather", "scatter", "take"};

/* What is known of a site; asked once for each. */
struct site {
	bool known;
	bool is_op;
	bool partly_read;
	enum flops_family family;
	const struct flops_formula *formula; /* NULL: none */
};

/* A text that was read. */
struct held_types {
	size_t size;
	char text[TYPES_TEXT_MAX];
	struct op_types types;
};

/* What an operator says of its inputs: by key, empty where it says nothing. */
struct said {
	const char *texts[KEY_INPUTS];
	size_t sizes[KEY_INPUTS];
};

/* What an operator was found to do: programs call the same ones with the same
 * inputs again and again. */
struct held_work {
	uint32_t number; /* of the site, plus 1; 0: none */
	uint32_t sizes[KEY_INPUTS];
	char text[WORKS_TEXT_MAX]; /* what it said, one behind the other */
	struct flops_work work;
};

struct flops {
	const struct trace *trace;
	struct site *sites; /* by number */
	uint32_t site_count;
	struct {
		uint32_t number; /* of the key, plus 1; 0: none */
		enum key key;
	} keys[KEYS_HELD];
	struct held_types types[TYPES_HELD]; /* by the text's hash */
	struct op_types long_types;
	struct held_work works[WORKS_HELD]; /* by the hash of site and texts */
};

struct flops *flops_new(const struct trace *trace)
{
	struct flops *flops = memory_new_zeroed(1, sizeof(*flops));

	if (flops != NULL)
		flops->trace = trace;
	return flops;
}

void flops_free(struct flops *flops)
{
	if (flops == NULL)
		return;
	memory_free(flops->sites);
	memory_free(flops);
}

static enum key find_key(struct flops *flops, uint32_t number)
{
	uint32_t place = number % KEYS_HELD;
	const char *name;

	if (flops->keys[place].number == number + 1)
		return flops->keys[place].key;
	name = strtab_text(flops->trace->text, number, NULL);
	flops->keys[place].number = number + 1;
	flops->keys[place].key = KEY_OTHER;
	for (size_t i = 0; flops_args[i] != NULL; i++)
		if (strcmp(flops_args[i], name) == 0)
			flops->keys[place].key = arg_keys[i];
	return flops->keys[place].key;
}

static const struct flops_formula *find_in(
	const struct flops_formula *table, const char *name)
{
	for (; table->name != NULL; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

/* Only what Inductor made of a template has the work in it that its name tells;
 * others are what was done before or after it. */
static void find_template(struct site *site, const char *name)
{
	if (strstr(name, "_mm") != NULL || strstr(name, "bmm") != NULL ||
		strstr(name, "addmm") != NULL) {
		site->family = FLOPS_GEMM;
		site->formula = &flops_gemm_template;
	} else if (strstr(name, "conv") != NULL) {
		site->family = FLOPS_CONVOLUTION;
		site->formula = &flops_convolution_template;
	}
}

static void find_formula(struct site *site, const char *name)
{
	static const struct {
		enum flops_family family;
		const struct flops_formula *table;
	} tables[] = {
		{FLOPS_GEMM, flops_gemms},
		{FLOPS_CONVOLUTION, flops_convolutions},
		{FLOPS_ATTENTION, flops_attentions},
	};

	if (strncmp(name, "triton_tem_", strlen("triton_tem_")) == 0) {
		find_template(site, name);
		return;
	}
	if (strncmp(name, "aten::", strlen("aten::")) == 0)
		name += strlen("aten::");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		site->formula = find_in(tables[i].table, name);
		if (site->formula != NULL) {
			site->family = tables[i].family;
			return;
		}
	}
	for (size_t i = 0; i < sizeof(partly_read) / sizeof(partly_read[0]);
		i++)
		if (strncmp(name, partly_read[i], strlen(partly_read[i])) == 0)
			site->partly_read = true;
}

static struct site look_at(const struct trace *trace, uint32_t number)
{
	const char *category =
		strtab_text(trace->text, trace->sites[number].category, NULL);
	struct site site = {
		.known = true, .is_op = strcmp(category, "cpu_op") == 0};

	if (site.is_op)
		find_formula(&site, trace_site_name(trace, number));
	return site;
}

/* What is known of a site. Without memory it is found out each time. */
static struct site site_of(struct flops *flops, uint32_t number)
{
	if (!memory_reach(&flops->sites, number, &flops->site_count,
		    sizeof(*flops->sites)))
		return look_at(flops->trace, number);
	if (!flops->sites[number].known)
		flops->sites[number] = look_at(flops->trace, number);
	return flops->sites[number];
}

bool flops_is_op(struct flops *flops, uint32_t site)
{
	return site_of(flops, site).is_op;
}

enum flops_family flops_family_of(struct flops *flops, uint32_t site)
{
	return site_of(flops, site).family;
}

/* A number that may be of any kind; 0 if it is none, or negative. */
static double number_of(const struct event_arg *arg)
{
	char text[64];
	double number = 0;

	if (arg->kind == ARG_INT) {
		number = (double)arg->value.integer;
	} else if (arg->kind == ARG_FLOAT) {
		number = arg->value.real;
	} else if (arg->kind == ARG_JSON &&
		   arg->value.text.size < sizeof(text)) {
		memcpy(text, arg->value.text.bytes, arg->value.text.size);
		text[arg->value.text.size] = '\0';
		number = strtod(text, NULL);
	}
	return isfinite(number) && number > 0 ? number : 0;
}

/* The nearest integer; one that is too large is not believed. */
static uint64_t whole(double number)
{
	return number < 1.8e19 ? (uint64_t)(number + 0.5) : 0;
}

static void take_own(
	enum key key, const struct event_arg *arg, struct flops_work *work)
{
	uint64_t number = arg->kind == ARG_INT && arg->value.integer > 0
				  ? (uint64_t)arg->value.integer
				  : whole(number_of(arg));

	if (key == KEY_FLOPS && number > 0) {
		work->flops = number;
		work->has_flops = true;
		work->own_flops = true;
	}
	number = whole(number_of(arg) * BYTES_PER_GB);
	if (key == KEY_GB && number > 0) {
		work->bytes = number;
		work->has_bytes = true;
		work->own_bytes = true;
	}
}

/* Numbers that are no more than "too many to count" are of no use. */
static void drop_saturated(struct flops_work *work)
{
	if (work->flops == UINT64_MAX)
		work->has_flops = false;
	if (work->bytes == UINT64_MAX)
		work->has_bytes = false;
	if (!work->has_flops)
		work->flops = 0;
	if (!work->has_bytes)
		work->bytes = 0;
}

/* All that goes in is read, or written in place, once. */
static void sum_bytes(const struct op_inputs *inputs, struct flops_work *work)
{
	uint64_t sum = 0;
	uint64_t bytes;

	for (uint32_t i = 0; i < inputs->count; i++) {
		if (!op_input_bytes(&inputs->inputs[i], &bytes))
			return;
		sum = saturate_sum(sum, bytes);
	}
	work->bytes = sum;
	work->has_bytes = sum > 0;
}

static enum dtype largest_of(const struct op_inputs *inputs)
{
	uint64_t most = 0;
	enum dtype dtype = DTYPE_UNKNOWN;

	for (uint32_t i = 0; i < inputs->count; i++) {
		const struct op_input *input = &inputs->inputs[i];

		if (!input->is_tensor || input->concrete_size > 0 ||
			input->elements <= most)
			continue;
		most = input->elements;
		dtype = input->element.dtype;
	}
	return dtype;
}

/* Types, borrowed until the next call. */
static const struct op_types *find_types(
	struct flops *flops, const char *text, size_t size)
{
	struct held_types *held =
		&flops->types[stable_hash(text, size) % TYPES_HELD];

	if (size == 0 || size > sizeof(held->text)) {
		op_types_read(&flops->long_types, text, size);
		return &flops->long_types;
	}
	if (held->size != size || memcmp(held->text, text, size) != 0) {
		op_types_read(&held->types, text, size);
		memcpy(held->text, text, size);
		held->size = size;
	}
	return &held->types;
}

/* The first of each that it says. */
static struct said find_said(struct flops *flops, const struct event *event)
{
	struct said said = {.texts = {"", "", ""}};

	for (uint32_t i = event->arg_count; i-- > 0;) {
		const struct event_arg *arg = &event->args[i];
		enum key key;

		if (arg->kind != ARG_JSON && arg->kind != ARG_TEXT)
			continue;
		key = find_key(flops, arg->key);
		if (key >= KEY_INPUTS)
			continue;
		said.sizes[key] = arg->value.text.size;
		if (said.sizes[key] > 0)
			said.texts[key] = arg->value.text.bytes;
	}
	return said;
}

static bool read_inputs(
	struct flops *flops, const struct said *said, struct op_inputs *inputs)
{
	if (!op_inputs_read_dims(
		    inputs, said->texts[KEY_DIMS], said->sizes[KEY_DIMS]))
		return false;
	op_inputs_set_types(inputs, find_types(flops, said->texts[KEY_TYPES],
					    said->sizes[KEY_TYPES]));
	op_inputs_read_concrete(
		inputs, said->texts[KEY_CONCRETE], said->sizes[KEY_CONCRETE]);
	return true;
}

static void read_work(struct flops *flops, const struct site *site,
	const struct said *said, struct flops_work *work)
{
	struct op_inputs inputs;

	*work = (struct flops_work){.family = site->family};
	if (!read_inputs(flops, said, &inputs))
		return;
	work->dtype = largest_of(&inputs);
	if (site->formula != NULL)
		site->formula->estimate(site->formula, &inputs, work);
	if (!work->has_bytes && !site->partly_read &&
		(site->formula == NULL ||
			site->formula == &flops_gemm_template ||
			site->formula == &flops_convolution_template))
		sum_bytes(&inputs, work);
	drop_saturated(work);
}

static bool is_held(
	const struct held_work *held, uint32_t number, const struct said *said)
{
	const char *text = held->text;

	if (held->number != number + 1)
		return false;
	for (int key = 0; key < KEY_INPUTS; key++) {
		if (held->sizes[key] != said->sizes[key] ||
			memcmp(text, said->texts[key], said->sizes[key]) != 0)
			return false;
		text += said->sizes[key];
	}
	return true;
}

static void hold(struct held_work *held, uint32_t number,
	const struct said *said, const struct flops_work *work)
{
	char *text = held->text;

	held->number = number + 1;
	held->work = *work;
	for (int key = 0; key < KEY_INPUTS; key++) {
		held->sizes[key] = (uint32_t)said->sizes[key];
		memcpy(text, said->texts[key], said->sizes[key]);
		text += said->sizes[key];
	}
}

/* The same as read_work(), by looking whether it was read before. */
static void find_work(struct flops *flops, uint32_t number,
	const struct site *site, const struct said *said,
	struct flops_work *work)
{
	uint64_t hashes[KEY_INPUTS + 1] = {[KEY_INPUTS] = number};
	size_t size = 0;
	struct held_work *held;

	for (int key = 0; key < KEY_INPUTS; key++) {
		size_t left = WORKS_TEXT_MAX - size;

		if (said->sizes[key] > left) {
			read_work(flops, site, said, work);
			return;
		}
		size += said->sizes[key];
		hashes[key] = stable_hash(said->texts[key], said->sizes[key]);
	}
	held = &flops->works[stable_hash(hashes, sizeof(hashes)) % WORKS_HELD];
	if (is_held(held, number, said)) {
		*work = held->work;
		return;
	}
	read_work(flops, site, said, work);
	hold(held, number, said, work);
}

void flops_of_op(struct flops *flops, uint32_t number,
	const struct event *event, struct flops_work *work)
{
	struct site site = site_of(flops, number);
	struct said said;

	*work = (struct flops_work){.family = site.family};
	if (!site.is_op)
		return;
	said = find_said(flops, event);
	if (said.sizes[KEY_DIMS] > 0)
		find_work(flops, number, &site, &said, work);
	flops_of_kernel(flops, event, work);
}

uint64_t flops_count_of_op(
	struct flops *flops, uint32_t number, const struct event *event)
{
	struct site site = site_of(flops, number);
	struct flops_work work = {.family = site.family};

	if (site.formula != NULL)
		flops_of_op(flops, number, event, &work);
	else if (site.is_op)
		flops_of_kernel(flops, event, &work);
	return work.has_flops ? work.flops : 0;
}

void flops_of_kernel(
	struct flops *flops, const struct event *event, struct flops_work *work)
{
	for (uint32_t i = 0; i < event->arg_count; i++) {
		enum key key = find_key(flops, event->args[i].key);

		if (key == KEY_FLOPS || key == KEY_GB)
			take_own(key, &event->args[i], work);
	}
}

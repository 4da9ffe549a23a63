/* SPDX-License-Identifier: MIT */
#include "roofline/flops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "base/stable_hash.h"
#include "roofline/flops_private.h"

/* ---- products of matrices and vectors ---- */

#define NONE FLOPS_NO_INPUT

/* What is multiplied, and what is added to it. */
enum { LEFT, RIGHT, ADDED };

/* In, and out, which is as wide as the left input. */
static void set_bytes(const struct flops_formula *formula,
	const struct op_inputs *inputs, uint64_t written,
	struct flops_work *work)
{
	const struct op_input *left = op_inputs_at(inputs, formula->at[LEFT]);
	const struct op_input *right = op_inputs_at(inputs, formula->at[RIGHT]);
	const struct op_input *added = op_inputs_at(inputs, formula->at[ADDED]);
	uint64_t sum;
	uint64_t more;

	if (!op_input_bytes(left, &sum) || !op_input_bytes(right, &more))
		return;
	sum = saturate_sum(sum, more);
	if (added != NULL && !op_input_bytes(added, &more))
		return;
	if (added != NULL)
		sum = saturate_sum(sum, more);
	work->bytes = saturate_sum(
		sum, saturate_product(written, left->element.bytes));
	work->has_bytes = true;
}

static void set_flops(struct flops_work *work, uint64_t products)
{
	work->flops = saturate_product(2, products);
	work->has_flops = true;
}

/* (M, K) by (K, N), or as many of these as the first dimension says. */
static bool multiply(const struct op_input *left, const struct op_input *right,
	uint64_t *products, uint64_t *written)
{
	uint32_t batch = left->rank == 3;
	uint64_t columns;

	if (left->is_list || right->is_list || left->rank != right->rank ||
		left->rank < 2 || left->rank > 3 ||
		(batch == 1 && left->dims[0] != right->dims[0]) ||
		left->dims[batch + 1] != right->dims[batch])
		return false;
	columns = (uint64_t)right->dims[batch + 1];
	*products = saturate_product(left->elements, columns);
	*written = saturate_product((uint64_t)left->dims[batch], columns);
	if (batch == 1)
		*written = saturate_product(*written, (uint64_t)left->dims[0]);
	return true;
}

static void product(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *left = op_inputs_at(inputs, formula->at[LEFT]);
	const struct op_input *right = op_inputs_at(inputs, formula->at[RIGHT]);
	uint64_t products;
	uint64_t written;

	if (left == NULL || right == NULL ||
		!multiply(left, right, &products, &written))
		return;
	set_flops(work, products);
	set_bytes(formula, inputs, written, work);
}

/* The result is of another type, which the shapes do not tell. */
static void narrow_product(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	product(formula, inputs, work);
	work->has_bytes = false;
}

/* (M, K) by (K); or (K) by (K). */
static void vector(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *left = op_inputs_at(inputs, formula->at[LEFT]);
	const struct op_input *right = flops_tensor(formula, RIGHT, inputs, 1);
	uint64_t written;

	if (left == NULL || left->is_list || right == NULL || left->rank < 1 ||
		left->rank > 2 || left->dims[left->rank - 1] != right->dims[0])
		return;
	written = left->rank == 2 ? (uint64_t)left->dims[0] : 1;
	set_flops(work, left->elements);
	set_bytes(formula, inputs, written, work);
}

/* (..., K) by the transpose of (N, K). */
static void linear(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *left = op_inputs_at(inputs, formula->at[LEFT]);
	const struct op_input *right = flops_tensor(formula, RIGHT, inputs, 2);
	uint64_t depth;
	uint64_t columns;

	if (left == NULL || left->is_list || right == NULL || left->rank < 1 ||
		left->rank > OP_DIMS_MAX ||
		left->dims[left->rank - 1] != right->dims[1])
		return;
	columns = (uint64_t)right->dims[0];
	depth = (uint64_t)right->dims[1];
	set_flops(work, saturate_product(left->elements, columns));
	set_bytes(formula, inputs,
		depth == 0 ? 0
			   : saturate_product(left->elements / depth, columns),
		work);
}

/* Is there a tensor of the product's shape behind both? */
static bool has_result(const struct op_inputs *inputs, uint32_t first,
	uint32_t second, uint64_t written)
{
	const struct op_input *left = &inputs->inputs[first];
	const struct op_input *right = &inputs->inputs[second];
	uint32_t last = left->rank - 1;

	for (uint32_t i = second + 1; i < inputs->count; i++) {
		const struct op_input *other = &inputs->inputs[i];

		if (!other->is_list && other->rank == left->rank &&
			other->elements == written &&
			other->dims[last - 1] == left->dims[last - 1] &&
			other->dims[last] == right->dims[last])
			return true;
	}
	return false;
}

static void template(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	uint64_t products;
	uint64_t written;

	(void)formula;
	for (uint32_t i = 0; i < inputs->count; i++)
		for (uint32_t j = i + 1; j < inputs->count; j++) {
			if (!multiply(&inputs->inputs[i], &inputs->inputs[j],
				    &products, &written) ||
				!has_result(inputs, i, j, written))
				continue;
			set_flops(work, products);
			return;
		}
}

static const struct flops_formula flops_gemms[] = {
	{"mm", product, {0, 1, NONE}},
	{"bmm", product, {0, 1, NONE}},
	{"addmm", product, {1, 2, 0}},
	{"addmm_", product, {1, 2, 0}},
	{"_addmm_activation", product, {1, 2, 0}},
	{"baddbmm", product, {1, 2, 0}},
	{"baddbmm_", product, {1, 2, 0}},
	{"_int_mm", narrow_product, {0, 1, NONE}},
	{"_scaled_mm", narrow_product, {0, 1, NONE}},
	{"mv", vector, {0, 1, NONE}},
	{"addmv", vector, {1, 2, 0}},
	{"addmv_", vector, {1, 2, 0}},
	{"dot", vector, {0, 1, NONE}},
	{"vdot", vector, {0, 1, NONE}},
	{"linear", linear, {0, 1, 2}},
	{"mkldnn_linear", linear, {0, 1, 2}},
	{NULL, NULL, {0}},
};

static const struct flops_formula flops_gemm_template = {"", template, {0}};

/*
 * Scaled dot product attention, whose two products are of (S_q, D) by (D, S_k)
 * and of (S_q, S_k) by (S_k, D_v), for each head. Backward the first is done
 * again, and each has a gradient for either side. What a causal mask would save
 * is not subtracted.
 * Source: sdpa_flop_count() and sdpa_backward_flop_count() of
 * torch/utils/flop_counter.py.
 */

#define NONE FLOPS_NO_INPUT

/* CUMULATIVE tells where each sequence ends, where those of different lengths
 * lie one after the other in one of four dimensions: the lengths are not in the
 * trace. Others take that in three, which are no case here. */
enum { QUERY, KEY, VALUE, CUMULATIVE, LAYOUT, DIRECTION };
enum { HEADS_FIRST, HEADS_LAST }; /* (B, H, S, D) and (B, S, H, D) */
enum { FORWARD, BACKWARD };

static bool shapes_agree(const struct op_input *query,
	const struct op_input *key, const struct op_input *value)
{
	return query != NULL && key != NULL && value != NULL &&
	       query->dims[0] == key->dims[0] &&
	       query->dims[0] == value->dims[0] &&
	       query->dims[3] == key->dims[3] &&
	       key->dims[1] == value->dims[1] && key->dims[2] == value->dims[2];
}

/* The three are read, and an output like the query, of the value's depth, is
 * written; backward that is read with its gradient, and those of the three are
 * written. */
static void set_attention_bytes(const struct op_input *const tensors[3],
	uint64_t outputs, bool backward, struct flops_work *work)
{
	uint64_t sum = saturate_product(outputs, tensors[0]->element.bytes);
	uint64_t bytes;

	if (backward)
		sum = saturate_product(sum, 2);
	for (int i = 0; i < 3; i++) {
		if (!op_input_bytes(tensors[i], &bytes))
			return;
		sum = saturate_sum(
			sum, backward ? saturate_product(bytes, 2) : bytes);
	}
	work->bytes = sum;
	work->has_bytes = true;
}

static void attention(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *tensors[3] = {
		flops_tensor(formula, QUERY, inputs, 4),
		flops_tensor(formula, KEY, inputs, 4),
		flops_tensor(formula, VALUE, inputs, 4)};
	const struct op_input *lengths =
		op_inputs_at(inputs, formula->at[CUMULATIVE]);
	bool backward = formula->at[DIRECTION] == BACKWARD;
	int length = formula->at[LAYOUT] == HEADS_LAST ? 1 : 2;
	uint64_t rows;
	uint64_t depth;
	uint64_t depth_v;

	if (!shapes_agree(tensors[0], tensors[1], tensors[2]) ||
		(lengths != NULL && lengths->rank > 0))
		return;
	depth = (uint64_t)tensors[0]->dims[3];
	depth_v = (uint64_t)tensors[2]->dims[3];
	/* Of all heads. */
	rows = saturate_product(saturate_product((uint64_t)tensors[0]->dims[0],
					(uint64_t)tensors[0]->dims[1]),
		(uint64_t)tensors[0]->dims[2]);
	set_attention_bytes(
		tensors, saturate_product(rows, depth_v), backward, work);
	if (backward) {
		depth = saturate_product(depth, 3);
		depth_v = saturate_product(depth_v, 2);
	}
	work->flops = saturate_product(
		saturate_product(rows, (uint64_t)tensors[1]->dims[length]),
		saturate_product(2, saturate_sum(depth, depth_v)));
	work->has_flops = true;
}

#define SDPA "_scaled_dot_product_"

/* clang-format off */
static const struct flops_formula flops_attentions[] = {
	{SDPA "flash_attention", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{SDPA "flash_attention_for_cpu", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{SDPA "efficient_attention", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{SDPA "cudnn_attention", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{SDPA "fused_attention_overrideable", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{"_cudnn_attention_forward", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{"_flash_attention_forward", attention,
		{0, 1, 2, NONE, HEADS_LAST, FORWARD}},
	{"_efficient_attention_forward", attention,
		{0, 1, 2, 4, HEADS_LAST, FORWARD}},
	{"flash_attn::_flash_attn_forward", attention,
		{0, 1, 2, NONE, HEADS_LAST, FORWARD}},
	{SDPA "flash_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{SDPA "flash_attention_for_cpu_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{SDPA "efficient_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{SDPA "cudnn_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{SDPA "fused_attention_overrideable_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{"_flash_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_LAST, BACKWARD}},
	{"_efficient_attention_backward", attention,
		{1, 2, 3, 6, HEADS_LAST, BACKWARD}},
	{"_cudnn_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{"flash_attn::_flash_attn_backward", attention,
		{1, 2, 3, NONE, HEADS_LAST, BACKWARD}},
	{NULL, NULL, {0}},
};
/* clang-format on */

#define KEYS_CACHED 64
#define TYPES_CACHED 64
#define TYPES_TEXT_MAX 256
#define WORKS_CACHED 1024
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
struct cached_types {
	size_t size;
	char text[TYPES_TEXT_MAX];
	struct op_types types;
};

/* What an operator says of its inputs: by key, empty where it says nothing. */
struct op_cache_key {
	const char *texts[KEY_INPUTS];
	size_t sizes[KEY_INPUTS];
};

/* What an operator was found to do: programs call the same ones with the same
 * inputs again and again. */
struct cached_work {
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
	} keys[KEYS_CACHED];
	struct cached_types types[TYPES_CACHED]; /* by the text's hash */
	struct op_types long_types;
	struct cached_work
		works[WORKS_CACHED]; /* by the hash of site and texts */
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
	uint32_t place = number % KEYS_CACHED;
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
	struct cached_types *cached =
		&flops->types[stable_hash(text, size) % TYPES_CACHED];

	if (size == 0 || size > sizeof(cached->text)) {
		op_types_read(&flops->long_types, text, size);
		return &flops->long_types;
	}
	if (cached->size != size || memcmp(cached->text, text, size) != 0) {
		op_types_read(&cached->types, text, size);
		memcpy(cached->text, text, size);
		cached->size = size;
	}
	return &cached->types;
}

/* The first of each that it says. */
static struct op_cache_key find_cache_key(
	struct flops *flops, const struct event *event)
{
	struct op_cache_key key_texts = {.texts = {"", "", ""}};

	for (uint32_t i = event->arg_count; i-- > 0;) {
		const struct event_arg *arg = &event->args[i];
		enum key key;

		if (arg->kind != ARG_JSON && arg->kind != ARG_TEXT)
			continue;
		key = find_key(flops, arg->key);
		if (key >= KEY_INPUTS)
			continue;
		key_texts.sizes[key] = arg->value.text.size;
		if (key_texts.sizes[key] > 0)
			key_texts.texts[key] = arg->value.text.bytes;
	}
	return key_texts;
}

static bool read_inputs(struct flops *flops,
	const struct op_cache_key *key_texts, struct op_inputs *inputs)
{
	if (!op_inputs_read_dims(inputs, key_texts->texts[KEY_DIMS],
		    key_texts->sizes[KEY_DIMS]))
		return false;
	op_inputs_set_types(
		inputs, find_types(flops, key_texts->texts[KEY_TYPES],
				key_texts->sizes[KEY_TYPES]));
	op_inputs_read_concrete(inputs, key_texts->texts[KEY_CONCRETE],
		key_texts->sizes[KEY_CONCRETE]);
	return true;
}

static void read_work(struct flops *flops, const struct site *site,
	const struct op_cache_key *key_texts, struct flops_work *work)
{
	struct op_inputs inputs;

	*work = (struct flops_work){.family = site->family};
	if (!read_inputs(flops, key_texts, &inputs))
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

static bool is_cached(const struct cached_work *cached, uint32_t number,
	const struct op_cache_key *key_texts)
{
	const char *text = cached->text;

	if (cached->number != number + 1)
		return false;
	for (int key = 0; key < KEY_INPUTS; key++) {
		if (cached->sizes[key] != key_texts->sizes[key] ||
			memcmp(text, key_texts->texts[key],
				key_texts->sizes[key]) != 0)
			return false;
		text += key_texts->sizes[key];
	}
	return true;
}

static void cache_work(struct cached_work *cached, uint32_t number,
	const struct op_cache_key *key_texts, const struct flops_work *work)
{
	char *text = cached->text;

	cached->number = number + 1;
	cached->work = *work;
	for (int key = 0; key < KEY_INPUTS; key++) {
		cached->sizes[key] = (uint32_t)key_texts->sizes[key];
		memcpy(text, key_texts->texts[key], key_texts->sizes[key]);
		text += key_texts->sizes[key];
	}
}

/* The same as read_work(), by looking whether it was read before. */
static void find_work(struct flops *flops, uint32_t number,
	const struct site *site, const struct op_cache_key *key_texts,
	struct flops_work *work)
{
	uint64_t hashes[KEY_INPUTS + 1] = {[KEY_INPUTS] = number};
	size_t size = 0;
	struct cached_work *cached;

	for (int key = 0; key < KEY_INPUTS; key++) {
		size_t left = WORKS_TEXT_MAX - size;

		if (key_texts->sizes[key] > left) {
			read_work(flops, site, key_texts, work);
			return;
		}
		size += key_texts->sizes[key];
		hashes[key] = stable_hash(
			key_texts->texts[key], key_texts->sizes[key]);
	}
	cached = &flops->works[stable_hash(hashes, sizeof(hashes)) %
			       WORKS_CACHED];
	if (is_cached(cached, number, key_texts)) {
		*work = cached->work;
		return;
	}
	read_work(flops, site, key_texts, work);
	cache_work(cached, number, key_texts, work);
}

void flops_of_op(struct flops *flops, uint32_t number,
	const struct event *event, struct flops_work *work)
{
	struct site site = site_of(flops, number);
	struct op_cache_key key_texts;

	*work = (struct flops_work){.family = site.family};
	if (!site.is_op)
		return;
	key_texts = find_cache_key(flops, event);
	if (key_texts.sizes[KEY_DIMS] > 0)
		find_work(flops, number, &site, &key_texts, work);
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

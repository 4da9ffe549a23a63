/* SPDX-License-Identifier: MIT */
#include "roofline/flops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "base/stable_hash.h"

#define KEYS_CACHED 64
#define TYPES_CACHED 64
#define TYPES_TEXT_MAX 256
#define WORKS_CACHED 1024
#define WORKS_TEXT_MAX 320
#define BYTES_PER_GB 1e9

enum key {
	KEY_DIMS, /* the keys below KEY_INPUTS describe inputs */
	KEY_TYPES,
	KEY_CONCRETE,
	KEY_INPUTS,
	KEY_OTHER = KEY_INPUTS,
	KEY_FLOPS,
	KEY_GB
};

const char *const flops_args[] = {"Input Dims",
	"Input dims", /* in early traces */
	"Input type", "Concrete Inputs", "kernel_flop", "kernel_num_gb", NULL};

static const enum key arg_keys[] = {
	KEY_DIMS, KEY_DIMS, KEY_TYPES, KEY_CONCRETE, KEY_FLOPS, KEY_GB};

/*
 * Only operators of ATen and kernels of Inductor touch all of their inputs. A
 * custom operator may choose some experts, or some pages of a cache.
 */
static const char *const whole_prefixes[] = {"aten::", "triton_poi_",
	"triton_red_", "triton_per_", "triton_for_", "triton_tem_",
	"triton_spl_", "triton__"};

/* Parts of the names of exceptions, which touch an unknown part of an input. */
static const char *const partly_touched[] = {"index", "embedding", "gather",
	"scatter", "take", "grouped_mm", "sparse", "nll_loss", "searchsorted",
	"bucketize", "grid_sampler", "flex_attention", "paged"};

/* Cached facts of a site. */
struct site {
	bool known;
	bool is_op;
	bool touches_all; /* of its inputs */
	enum flops_family family;
	const struct flops_formula *formula; /* NULL: none */
};

/* A parsed text. */
struct cached_types {
	size_t size;
	char text[TYPES_TEXT_MAX];
	struct op_types types;
};

/* The texts about an operator's inputs, by key; empty if missing. */
struct op_cache_key {
	const char *texts[KEY_INPUTS];
	size_t sizes[KEY_INPUTS];
};

/* Cached work of an operator: programs repeat operators with equal inputs. */
struct cached_work {
	uint32_t number; /* site + 1; 0: none */
	uint32_t sizes[KEY_INPUTS];
	char text[WORKS_TEXT_MAX]; /* its texts, concatenated */
	struct flops_work work;
};

struct flops {
	const struct trace *trace;
	struct site *sites; /* by number */
	uint32_t site_count;
	struct {
		uint32_t number; /* key + 1; 0: none */
		enum key key;
	} keys[KEYS_CACHED];
	struct cached_types types[TYPES_CACHED]; /* by hash of the text */
	struct op_types long_types;
	/* WORKS_CACHED, by hash of site and texts; NULL: none so far. A trace of
	 * another program needs none of this memory. */
	struct cached_work *works;
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
	memory_free(flops->works);
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

static bool touches_all(const char *name)
{
	bool whole = false;

	for (size_t i = 0;
		i < sizeof(whole_prefixes) / sizeof(whole_prefixes[0]); i++)
		whole = whole || strncmp(name, whole_prefixes[i],
					 strlen(whole_prefixes[i])) == 0;
	for (size_t i = 0;
		i < sizeof(partly_touched) / sizeof(partly_touched[0]); i++)
		whole = whole && strstr(name, partly_touched[i]) == NULL;
	return whole;
}

static struct site classify(const struct trace *trace, uint32_t number)
{
	const char *category =
		strtab_text(trace->text, trace->sites[number].category, NULL);
	struct site site = {
		.known = true, .is_op = strcmp(category, "cpu_op") == 0};
	const char *name = trace_site_name(trace, number);

	if (!site.is_op)
		return site;
	site.formula = flops_formula_find(name, &site.family);
	site.touches_all = touches_all(name);
	return site;
}

/* Returns the facts of a site, cached if memory allows. */
static struct site site_of(struct flops *flops, uint32_t number)
{
	if (!array_ensure_index(&flops->sites, number, &flops->site_count,
		    sizeof(*flops->sites)))
		return classify(flops->trace, number);
	if (!flops->sites[number].known)
		flops->sites[number] = classify(flops->trace, number);
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

/* Value of an argument of any kind; 0 if it is not a number or negative. */
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

/* Rounds to the nearest integer; 0 if too large. */
static uint64_t whole(double number)
{
	return number < 1.8e19 ? (uint64_t)(number + 0.5) : 0;
}

static void read_own(
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

/* Drops saturated values, which are meaningless. */
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

/* Assumes that each input is read, or written in place, once. */
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

/* Parses types, or finds them in the cache; borrowed until the next call. */
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

/* Takes the first argument of each key. */
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
	if (!work->has_bytes && site->touches_all &&
		(site->formula == NULL ||
			flops_formula_is_template(site->formula)))
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

/* The same as read_work(), with a cache. */
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
	if (flops->works == NULL)
		flops->works =
			memory_new_zeroed(WORKS_CACHED, sizeof(*flops->works));
	if (flops->works == NULL) {
		read_work(flops, site, key_texts, work);
		return;
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
			read_own(key, &event->args[i], work);
	}
}

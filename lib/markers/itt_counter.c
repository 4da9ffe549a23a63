/* SPDX-License-Identifier: MIT */
/* ITT's counters. */
#include <stdatomic.h>
#include <stdlib.h>

#include "markers/itt.h"

#define BUCKETS 256

struct itt_counter {
	const struct inject_name *name;
	int type;
	_Atomic int64_t value; /* for those that only tell how it changes */
	struct itt_counter *next;
};

struct itt_number itt_number_of(int type, const void *data)
{
	const union {
		uint64_t u64;
		uint32_t u32;
		int32_t s32;
		uint16_t u16;
		int16_t s16;
		float f32;
		double f64;
	} *value = data;

	switch (type) {
	case ITT_U32:
		return (struct itt_number){.whole = value->u32};
	case ITT_S32:
		return (struct itt_number){.whole = value->s32};
	case ITT_U16:
		return (struct itt_number){.whole = value->u16};
	case ITT_S16:
		return (struct itt_number){.whole = value->s16};
	case ITT_FLOAT:
		return (struct itt_number){
			.real = (double)value->f32, .is_real = true};
	case ITT_DOUBLE:
		return (struct itt_number){.real = value->f64, .is_real = true};
	default:
		return (struct itt_number){.whole = (int64_t)value->u64};
	}
}

static struct itt_counter *make(const struct inject_name *name, int type)
{
	struct itt_counter *made =
		name == NULL ? NULL : calloc(1, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->name = name;
	made->type = type;
	return made;
}

struct itt_counter *itt_counter_create_typed(
	const char *text, const char *domain_name, int type)
{
	const struct inject_domain *domain = inject_domain(
		domain_name == NULL ? ITT_DEFAULT_DOMAIN : domain_name);

	return domain == NULL || text == NULL
		       ? NULL
		       : make(inject_name(domain, text), type);
}

struct itt_counter *itt_counter_create(const char *text, const char *domain)
{
	return itt_counter_create_typed(text, domain, ITT_U64);
}

struct itt_counter *itt_counter_create_v3(
	const struct itt_domain *domain, const char *text, int type)
{
	return itt_counter_create_typed(
		text, domain == NULL ? NULL : domain->name, type);
}

void itt_counter_destroy(struct itt_counter *counter)
{
	free(counter);
}

void itt_counter_set_value(struct itt_counter *counter, const void *data)
{
	struct itt_number number;

	if (counter == NULL || data == NULL)
		return;
	number = itt_number_of(counter->type, data);
	atomic_store(&counter->value, number.whole);
	if (itt_is_paused())
		return;
	if (number.is_real)
		ctp_counter_float(counter->name->site, number.real);
	else
		ctp_counter(counter->name->site, number.whole);
}

static void add(struct itt_counter *counter, uint64_t delta)
{
	int64_t value;

	if (counter == NULL)
		return;
	/* What is too large goes round, as atomic numbers do. */
	value = (int64_t)((uint64_t)atomic_fetch_add(
				  &counter->value, (int64_t)delta) +
			  delta);
	if (!itt_is_paused())
		ctp_counter(counter->name->site, value);
}

void itt_counter_inc(struct itt_counter *counter)
{
	add(counter, 1);
}

void itt_counter_dec(struct itt_counter *counter)
{
	add(counter, UINT64_MAX);
}

void itt_counter_inc_delta(
	struct itt_counter *counter, unsigned long long delta)
{
	add(counter, delta);
}

void itt_counter_dec_delta(
	struct itt_counter *counter, unsigned long long delta)
{
	add(counter, -(uint64_t)delta);
}

static struct itt_counter *find(
	struct itt_counter *counter, const struct inject_name *name)
{
	while (counter != NULL && counter->name != name)
		counter = counter->next;
	return counter;
}

/* The one counter of this name in the domain, made at its first use. */
static struct itt_counter *of_name(
	const struct itt_domain *domain, const struct itt_string *string)
{
	static struct itt_counter *_Atomic buckets[BUCKETS];
	const struct inject_name *name =
		itt_message(domain, itt_text(string)).name;
	struct itt_counter *_Atomic *bucket;
	struct itt_counter *found;
	struct itt_counter *made;

	if (name == NULL)
		return NULL;
	bucket = &buckets[name->hash % BUCKETS];
	found = find(atomic_load(bucket), name);
	if (found != NULL || (made = make(name, ITT_U64)) == NULL)
		return found;
	made->next = atomic_load(bucket);
	while (!atomic_compare_exchange_weak(bucket, &made->next, made)) {
		found = find(made->next, name);
		if (found != NULL) {
			free(made);
			return found;
		}
	}
	return made;
}

void itt_counter_inc_v3(
	const struct itt_domain *domain, const struct itt_string *name)
{
	add(of_name(domain, name), 1);
}

void itt_counter_dec_v3(
	const struct itt_domain *domain, const struct itt_string *name)
{
	add(of_name(domain, name), UINT64_MAX);
}

void itt_counter_inc_delta_v3(const struct itt_domain *domain,
	const struct itt_string *name, unsigned long long delta)
{
	add(of_name(domain, name), delta);
}

void itt_counter_dec_delta_v3(const struct itt_domain *domain,
	const struct itt_string *name, unsigned long long delta)
{
	add(of_name(domain, name), -(uint64_t)delta);
}

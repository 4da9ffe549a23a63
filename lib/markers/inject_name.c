/* SPDX-License-Identifier: MIT */
/*
 * Names and domains. What is added is never changed or removed, so that it is
 * read without a lock; and added by one exchange, so that no fork() finds it
 * halfway.
 *
 * The text at an address may be another the next time, so that each look into
 * a table compares all of it.
 */
#include "markers/inject.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/stable_hash.h"

/*
 * Programs make names up: torch's emit_nvtx numbers every operation. All of
 * them are kept up to this many, which take half a kilobyte each.
 */
#define NAMES_MAX (UINT32_C(1) << 17)
#define OTHER "(other)"

#define BUCKETS (UINT32_C(1) << 14)

struct inject_label {
	struct inject_label *next;
	uint32_t category;
	char name[];
};

static struct {
	struct inject_domain *_Atomic domains;
	struct inject_name *_Atomic buckets[BUCKETS];
	struct inject_name *_Atomic by_number[NAMES_MAX];
	_Atomic uint32_t count;
} names;

static struct inject_domain *find_domain(
	struct inject_domain *domain, const char *name)
{
	while (domain != NULL && strcmp(domain->name, name) != 0)
		domain = domain->next;
	return domain;
}

struct inject_domain *inject_domain(const char *name)
{
	struct inject_domain *first = atomic_load(&names.domains);
	struct inject_domain *found = find_domain(first, name);
	struct inject_domain *made;

	if (found != NULL)
		return found;
	made = calloc(1, sizeof(*made));
	if (made == NULL || (made->name = strdup(name)) == NULL) {
		free(made);
		return NULL;
	}
	/* Only before those that were looked at. */
	do {
		found = find_domain(first, name);
		if (found != NULL) {
			free((void *)(uintptr_t)made->name);
			free(made);
			return found;
		}
		made->next = first;
	} while (!atomic_compare_exchange_weak(&names.domains, &first, made));
	return made;
}

static uint64_t hash_of(
	const struct inject_domain *domain, const char *text, size_t size)
{
	return stable_hash(text, size) ^
	       (uint64_t)(uintptr_t)domain * UINT64_C(0x9e3779b97f4a7c15);
}

static struct inject_name *find(struct inject_name *name,
	const struct inject_domain *domain, uint64_t hash, const char *text)
{
	while (name != NULL && (name->hash != hash || name->domain != domain ||
				       strcmp(name->text, text) != 0))
		name = name->next;
	return name;
}

/* A number of its own; 0 if all are taken. */
static uint32_t take_number(bool is_other)
{
	uint32_t count = atomic_load(&names.count);
	/* A few are kept for those that stand for others. */
	uint32_t most = is_other ? NAMES_MAX - 1 : NAMES_MAX - 1024;

	do
		if (count >= most)
			return 0;
	while (!atomic_compare_exchange_weak(&names.count, &count, count + 1));
	return count + 1;
}

static struct inject_name *make(
	const struct inject_domain *domain, uint64_t hash, const char *text)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	bool is_other = strcmp(text, OTHER) == 0;
	uint32_t number = take_number(is_other);
	struct inject_name *made =
		number == 0 ? NULL : calloc(1, sizeof(*made));

	if (made == NULL || (made->text = strdup(text)) == NULL) {
		free(made);
		return NULL;
	}
	info.name = text;
	info.category = domain->name;
	made->site = ctp_site_intern_info(&info);
	made->domain = domain;
	made->hash = hash;
	made->number = number;
	made->is_other = is_other;
	atomic_store(&names.by_number[number], made);
	return made;
}

static const struct inject_name *add(
	const struct inject_domain *domain, uint64_t hash, const char *text)
{
	struct inject_name *_Atomic *bucket =
		&names.buckets[hash & (BUCKETS - 1)];
	struct inject_name *made = make(domain, hash, text);
	struct inject_name *found;

	if (made == NULL)
		return strcmp(text, OTHER) == 0 ? NULL
						: inject_name(domain, OTHER);
	made->next = atomic_load(bucket);
	/* Two threads may add the same: the second one's is found by number
	 * only, if it is known to anyone. */
	while (!atomic_compare_exchange_weak(bucket, &made->next, made)) {
		found = find(made->next, domain, hash, text);
		if (found != NULL)
			return found;
	}
	return made;
}

const struct inject_name *inject_name(
	const struct inject_domain *domain, const char *text)
{
	uint64_t hash = hash_of(domain, text, strlen(text));
	const struct inject_name *found =
		find(atomic_load(&names.buckets[hash & (BUCKETS - 1)]), domain,
			hash, text);

	return found != NULL ? found : add(domain, hash, text);
}

const struct inject_name *inject_numbered(uint64_t number)
{
	return number < NAMES_MAX ? atomic_load(&names.by_number[number])
				  : NULL;
}

void inject_label(
	struct inject_domain *domain, uint32_t category, const char *name)
{
	size_t size = strlen(name) + 1;
	struct inject_label *label = malloc(sizeof(*label) + size);

	if (label == NULL)
		return;
	label->category = category;
	memcpy(label->name, name, size);
	label->next = atomic_load(&domain->labels);
	while (!atomic_compare_exchange_weak(
		&domain->labels, &label->next, label))
		;
}

const char *inject_label_of(
	const struct inject_domain *domain, uint32_t category)
{
	const struct inject_label *label = atomic_load(&domain->labels);

	while (label != NULL && label->category != category)
		label = label->next;
	return label == NULL ? NULL : label->name;
}

/* Appends a character as UTF-8; false if there is no room. What is none is
 * left for the readers to complain about. */
static bool append(char *out, size_t *used, uint32_t code)
{
	static const uint32_t first[] = {0, 0xc0, 0xe0, 0xf0};
	unsigned more = code < 0x80      ? 0
			: code < 0x800   ? 1
			: code < 0x10000 ? 2
					 : 3;

	if (*used + more + 1 >= INJECT_WIDE)
		return false;
	out[(*used)++] = (char)(first[more] | code >> (6 * more));
	while (more-- > 0)
		out[(*used)++] = (char)(0x80 | (code >> (6 * more) & 0x3f));
	return true;
}

const char *inject_wide(char out[static INJECT_WIDE], const wchar_t *text)
{
	size_t used = 0;

	while (*text != L'\0' && append(out, &used, (uint32_t)*text))
		text++;
	out[used] = '\0';
	return out;
}

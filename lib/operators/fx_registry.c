/* SPDX-License-Identifier: MIT */
#include "operators/fx_registry.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strtab.h"

struct fx_registry {
	struct strtab *text;   /* file names, and texts of nodes */
	struct strtab *keys;   /* node keys: file and index */
	struct fx_node *nodes; /* by key number */
	uint32_t room;
	struct buffer key; /* scratch */
};

struct fx_registry *fx_registry_new(void)
{
	struct fx_registry *registry = memory_new_zeroed(1, sizeof(*registry));

	if (registry == NULL)
		return NULL;
	registry->text = strtab_new();
	registry->keys = strtab_new();
	if (registry->text != NULL && registry->keys != NULL)
		return registry;
	fx_registry_free(registry);
	return NULL;
}

void fx_registry_free(struct fx_registry *registry)
{
	if (registry == NULL)
		return;
	strtab_free(registry->text);
	strtab_free(registry->keys);
	memory_free(registry->nodes);
	buffer_clear(&registry->key);
	memory_free(registry);
}

uint32_t fx_registry_file(struct fx_registry *registry, struct fx_text name)
{
	return strtab_add(registry->text, name.bytes, name.size);
}

/* Skips an optional sign and leading zeros. */
static struct fx_text digits_of(struct fx_text text, bool *negative)
{
	*negative = text.size > 0 && text.bytes[0] == '-';
	if (*negative || (text.size > 0 && text.bytes[0] == '+')) {
		text.bytes++;
		text.size--;
	}
	while (text.size > 1 && text.bytes[0] == '0') {
		text.bytes++;
		text.size--;
	}
	return text;
}

bool fx_registry_is_index(struct fx_text text)
{
	bool negative;
	struct fx_text digits = digits_of(text, &negative);

	for (size_t i = 0; i < digits.size; i++)
		if (digits.bytes[i] < '0' || digits.bytes[i] > '9')
			return false;
	return digits.size > 0;
}

uint32_t fx_registry_node(
	struct fx_registry *registry, uint32_t file, struct fx_text index)
{
	struct buffer *key = &registry->key;
	bool negative;
	struct fx_text digits = digits_of(index, &negative);
	uint32_t number;

	key->used = 0;
	buffer_add(key, &file, sizeof(file));
	/* -0 is 0. */
	if (negative && digits.bytes[0] != '0')
		buffer_add_byte(key, '-');
	buffer_add(key, digits.bytes, digits.size);
	if (key->failed)
		return FX_NONE;
	number =
		strtab_add(registry->keys, (const char *)key->bytes, key->used);
	if (number == STRTAB_NONE ||
		!array_ensure_index(&registry->nodes, number, &registry->room,
			sizeof(*registry->nodes)))
		return FX_NONE;
	return number;
}

/* Copies the text into the registry; false if out of memory. */
static bool store(struct fx_registry *registry, struct fx_text *text)
{
	uint32_t number;

	if (text->size == 0)
		return true;
	number = strtab_add(registry->text, text->bytes, text->size);
	if (number == STRTAB_NONE)
		return false;
	text->bytes = strtab_text(registry->text, number, NULL);
	return true;
}

bool fx_registry_set(struct fx_registry *registry, uint32_t number,
	const struct fx_node *node)
{
	struct fx_node *entry = &registry->nodes[number];
	struct fx_node kept = *node;

	if (!store(registry, &kept.stack_trace) || !store(registry, &kept.name))
		return false;
	*entry = kept;
	return true;
}

const struct fx_node *fx_registry_get(
	const struct fx_registry *registry, uint32_t number)
{
	return &registry->nodes[number];
}

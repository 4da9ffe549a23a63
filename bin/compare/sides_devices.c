/* SPDX-License-Identifier: MIT */
#include "compare/sides_devices.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cli/say.h"
#include "input/devices.h"

/* A name is within a profile's text, and not terminated. */
struct name {
	const char *text;
	size_t size;
};

struct names {
	struct name *items;
	size_t count;
	size_t room;
	bool failed;
};

static void add(struct names *names, struct name name)
{
	if (memory_grow(&names->items, names->count, &names->room,
		    sizeof(*names->items)))
		names->items[names->count++] = name;
	else
		names->failed = true;
}

static void add_profile(struct names *names, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		struct name name;

		if (function->device.kind == PROFILE_HOST)
			continue;
		name.text = devices_function_name(function, &name.size);
		if (name.text != NULL && name.size != 0)
			add(names, name);
	}
}

static int compare(const void *a, const void *b)
{
	const struct name *one = a;
	const struct name *two = b;
	size_t size = one->size < two->size ? one->size : two->size;
	int order = memcmp(one->text, two->text, size);

	if (order != 0)
		return order;
	return one->size < two->size ? -1 : one->size > two->size;
}

/* Each name once, in order. */
static void tidy(struct names *names)
{
	size_t kept = 0;

	if (names->count == 0)
		return;
	qsort(names->items, names->count, sizeof(*names->items), compare);
	for (size_t i = 1; i < names->count; i++)
		if (compare(&names->items[kept], &names->items[i]) != 0)
			names->items[++kept] = names->items[i];
	names->count = kept + 1;
}

static bool are_equal(const struct names *one, const struct names *two)
{
	if (one->count != two->count)
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (compare(&one->items[i], &two->items[i]) != 0)
			return false;
	return true;
}

static void add_list(struct buffer *out, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		buffer_add_text(out, i == 0 ? "" : ", ");
		buffer_add(out, names->items[i].text, names->items[i].size);
	}
}

static void say_difference(const struct names *base, const struct names *other)
{
	struct buffer line = BUFFER_INIT;

	buffer_add_text(&line, "base ran on ");
	add_list(&line, base);
	buffer_add_text(&line, ", new on ");
	add_list(&line, other);
	buffer_add_byte(&line, '\0');
	if (line.failed)
		say_no_memory(NULL);
	else
		say("%s: see --across-devices", (const char *)line.bytes);
	buffer_clear(&line);
}

bool sides_devices_check(
	const struct sides_profiles *profiles, size_t base_count)
{
	struct names sides[DIFF_SIDES] = {0};
	struct names *base = &sides[DIFF_BASE];
	struct names *other = &sides[DIFF_NEW];
	bool failed;
	bool equal;

	for (size_t i = 0; i < profiles->count; i++)
		add_profile(i < base_count ? base : other, profiles->items[i]);
	tidy(base);
	tidy(other);
	failed = base->failed || other->failed;
	equal = base->count == 0 || other->count == 0 || are_equal(base, other);
	if (failed)
		say_no_memory(NULL);
	else if (!equal)
		say_difference(base, other);
	memory_free(base->items);
	memory_free(other->items);
	return equal && !failed;
}

/* SPDX-License-Identifier: MIT */
/* The modules that functions known by their address lie in. They are few, and
 * looked for only when a new address is met. */
#include <string.h>

#include "recorder/arena.h"
#include "recorder/registry_private.h"

#define FIRST_ROOM 64

struct module {
	uint64_t base;
	uint64_t bytes;
	const char *path;
	const char *build_id;
	uint32_t path_bytes;
	uint32_t build_id_bytes;
	bool closed;
};

/* By number - 1; never given back. */
static struct {
	struct module *all;
	uint32_t room;
	uint32_t count;
} modules;

static bool emit_closed(uint32_t number)
{
	return registry_emit(
		&(struct registry_record){.kind = CHUNK_MODULE_CLOSED,
			.count = 1,
			.numbers = {number},
			.texts = {"", ""}});
}

static bool emit_module(uint32_t number)
{
	const struct module *module = &modules.all[number - 1];

	return registry_emit(&(struct registry_record){.kind = CHUNK_MODULE,
		.count = 4,
		.numbers = {number, module->base, module->bytes,
			module->path_bytes},
		.texts = {module->path, module->build_id},
		.sizes = {module->path_bytes, module->build_id_bytes}});
}

bool registry_emit_modules(void)
{
	bool good = true;

	for (uint32_t i = 1; good && i <= modules.count; i++)
		good = emit_module(i) &&
		       (!modules.all[i - 1].closed || emit_closed(i));
	return good;
}

static bool make_room(void)
{
	uint32_t room = modules.room == 0 ? FIRST_ROOM : modules.room * 2;
	struct module *all;

	if (modules.count < modules.room)
		return true;
	if (modules.count + 1 >= LOG_MODULES_MAX)
		return false;
	all = arena_take(room * sizeof(*all));
	if (all == NULL)
		return false;
	if (modules.count > 0)
		memcpy(all, modules.all, modules.count * sizeof(*all));
	modules.all = all;
	modules.room = room;
	return true;
}

static bool is_same(
	const struct module *module, const struct registry_module *other)
{
	return module->base == other->base && module->bytes == other->bytes &&
	       module->build_id_bytes == other->build_id_bytes &&
	       memcmp(module->build_id, other->build_id,
		       module->build_id_bytes) == 0 &&
	       strncmp(module->path, other->path, REGISTRY_TEXT_MAX) == 0;
}

static uint32_t find(const struct registry_module *wanted)
{
	for (uint32_t i = 0; i < modules.count; i++)
		if (is_same(&modules.all[i], wanted))
			return i + 1;
	return 0;
}

static uint32_t add(const struct registry_module *module)
{
	size_t path_bytes = strnlen(module->path, REGISTRY_TEXT_MAX);
	const char *path;
	const char *build_id;

	if (!make_room())
		return 0;
	path = arena_copy(module->path, path_bytes);
	build_id = arena_copy(
		(const char *)module->build_id, module->build_id_bytes);
	if (path == NULL || build_id == NULL)
		return 0;
	modules.all[modules.count++] = (struct module){.base = module->base,
		.bytes = module->bytes,
		.path = path,
		.build_id = build_id,
		.path_bytes = (uint32_t)path_bytes,
		.build_id_bytes = module->build_id_bytes};
	return modules.count;
}

uint32_t registry_module(const struct registry_module *module)
{
	const struct thread_hold before = registry_hold();
	uint32_t number;
	bool news = true;

	number = find(module);
	if (number == 0)
		number = add(module);
	else
		news = modules.all[number - 1].closed;
	if (number != 0 && news) {
		modules.all[number - 1].closed = false;
		if (registry_is_on() && !emit_module(number))
			number = 0;
	}
	registry_release(before);
	return number;
}

void registry_module_closed(uint32_t number)
{
	const struct thread_hold before = registry_hold();

	modules.all[number - 1].closed = true;
	(void)emit_closed(number);
	registry_release(before);
}

/* SPDX-License-Identifier: MIT */
#include "symbols/symbolize_module.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

/* Equal modules have equal numbers; UINT32_MAX if out of memory. */
static uint32_t number_of(
	struct symbolize_modules *modules, const struct log_site_module *module)
{
	struct buffer key = BUFFER_INIT;
	uint32_t number = STRTAB_NONE;

	if (modules->keys == NULL)
		modules->keys = strtab_new();
	buffer_add(&key, &module->bytes, sizeof(module->bytes));
	buffer_add(&key, &module->path.size, sizeof(module->path.size));
	buffer_add(&key, module->path.bytes, module->path.size);
	buffer_add(&key, module->build_id.bytes, module->build_id.size);
	if (!key.failed && modules->keys != NULL)
		number = strtab_add(
			modules->keys, (const char *)key.bytes, key.used);
	buffer_clear(&key);
	/* Number 0 is the empty text, which no key is. */
	return number == STRTAB_NONE ? UINT32_MAX : number - 1;
}

/* The entry's place; UINT32_MAX if out of memory. */
static uint32_t enter(
	struct symbolize_modules *modules, const struct log_site_module *module)
{
	uint32_t number = number_of(modules, module);
	struct symbolize_module *added;

	if (number < modules->count || number == UINT32_MAX)
		return number;
	if (!memory_grow32(&modules->all, modules->count, &modules->room,
		    sizeof(*modules->all)))
		return UINT32_MAX;
	added = &modules->all[modules->count];
	*added = (struct symbolize_module){
		.path = strndup(module->path.bytes, module->path.size),
		.build_id = malloc(module->build_id.size + 1),
		.build_id_bytes = module->build_id.size,
		.bytes = module->bytes,
	};
	if (added->path == NULL || added->build_id == NULL) {
		free(added->path);
		free(added->build_id);
		return UINT32_MAX;
	}
	memcpy(added->build_id, module->build_id.bytes, module->build_id.size);
	return modules->count++;
}

bool symbolize_modules_add(
	struct symbolize_modules *modules, const struct log_site_module *module)
{
	uint32_t entry = enter(modules, module);

	if (entry == UINT32_MAX ||
		!memory_reach(&modules->numbers, module->number,
			&modules->number_room, sizeof(*modules->numbers)))
		return false;
	modules->numbers[module->number] = entry + 1;
	return true;
}

struct symbolize_module *symbolize_modules_find(
	const struct symbolize_modules *modules, uint32_t number)
{
	if (number >= modules->number_room || modules->numbers[number] == 0)
		return NULL;
	return &modules->all[modules->numbers[number] - 1];
}

void symbolize_modules_restart(struct symbolize_modules *modules)
{
	if (modules->number_room > 0)
		memset(modules->numbers, 0,
			modules->number_room * sizeof(*modules->numbers));
}

void symbolize_modules_clear(struct symbolize_modules *modules)
{
	for (uint32_t i = 0; i < modules->count; i++) {
		free(modules->all[i].path);
		free(modules->all[i].build_id);
		symbols_close(modules->all[i].symbols);
	}
	memory_free(modules->all);
	memory_free(modules->numbers);
	strtab_free(modules->keys);
	*modules = (struct symbolize_modules){0};
}

enum ctp_status symbolize_module_find(struct symbolize_module *module,
	const char *debug_directory, uint64_t offset,
	struct symbols_function *function, struct ctp_error *err)
{
	struct symbols_expected expected = {
		.build_id = module->build_id,
		.build_id_bytes = module->build_id_bytes,
		.bytes = module->bytes,
	};

	if (!module->tried) {
		module->tried = true;
		if (symbols_open(module->path, &expected, debug_directory,
			    &module->symbols, &module->err) == CTP_ERR_NOMEM)
			return ctp_no_memory(err);
	}
	if (module->symbols == NULL)
		return CTP_END;
	return symbols_find(module->symbols, offset, function, err);
}

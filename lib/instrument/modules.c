/* SPDX-License-Identifier: MIT */
/*
 * dl_iterate_phdr() holds a lock of the dynamic linker during callbacks, even
 * the program's own, which may be instrumented. So our lock is never held when
 * calling it, only taken within.
 */
#include "instrument/modules.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "instrument/functions.h"
#include "recorder/instrument_abi.h"

#define FIRST_ROOM 64
#define PATH_BYTES 4096
#define BUILD_ID_MAX 64
#define FORK_TRIES 100000

struct module {
	uintptr_t base;
	uintptr_t last; /* address */
	uint32_t number;
	uint32_t filter; /* ctp_private_filter()'s */
	uint64_t seen;   /* in this iteration */
	bool closed;
};

static struct {
	pthread_mutex_t lock;
	struct module *all;
	uint32_t room;
	uint32_t count;
	uint64_t looks;
	_Atomic uint32_t asking; /* threads in dl_iterate_phdr() */
} modules = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A module known by the dynamic linker. */
struct found {
	uintptr_t address; /* address that it must contain */
	uintptr_t base;
	uintptr_t last;
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t build_id_bytes;
	char path[PATH_BYTES];
};

void modules_lock(void)
{
	/* A child would wait forever for the linker's lock if another thread
	 * held it. But a thread that waits for us must not block us forever. */
	for (int i = 0; i < FORK_TRIES && atomic_load(&modules.asking) != 0;
		i++)
		(void)sched_yield();
	(void)pthread_mutex_lock(&modules.lock);
}

void modules_unlock(void)
{
	(void)pthread_mutex_unlock(&modules.lock);
}

static void ask(int (*call)(struct dl_phdr_info *info, size_t size, void *data),
	void *data)
{
	atomic_fetch_add(&modules.asking, 1);
	(void)dl_iterate_phdr(call, data);
	atomic_fetch_sub(&modules.asking, 1);
}

/* Finds its lowest and last address; false if it has no segments. */
static bool find_range(
	const struct dl_phdr_info *info, uintptr_t *base, uintptr_t *last)
{
	uintptr_t low = UINTPTR_MAX;
	uintptr_t high = 0;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_LOAD || header->p_memsz == 0)
			continue;
		if (header->p_vaddr < low)
			low = header->p_vaddr;
		if (header->p_vaddr + header->p_memsz - 1 > high)
			high = header->p_vaddr + header->p_memsz - 1;
	}
	*base = info->dlpi_addr + low;
	*last = info->dlpi_addr + high;
	return low <= high;
}

/* Reads the build id in a segment of notes. */
static void read_notes(
	const uint8_t *notes, size_t bytes, size_t align, struct found *found)
{
	size_t at = 0;

	while (bytes - at >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)(notes + at);
		size_t name = at + sizeof(*note);
		size_t id = (name + note->n_namesz + align - 1) & ~(align - 1);

		if (id > bytes || note->n_descsz > bytes - id)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			memcmp(notes + name, "GNU", 4) == 0 &&
			note->n_descsz <= BUILD_ID_MAX) {
			memcpy(found->build_id, notes + id, note->n_descsz);
			found->build_id_bytes = note->n_descsz;
			return;
		}
		at = (id + note->n_descsz + align - 1) & ~(align - 1);
		if (at > bytes)
			return;
	}
}

static void read_build_id(const struct dl_phdr_info *info, struct found *found)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_NOTE && found->build_id_bytes == 0)
			read_notes((const uint8_t *)(info->dlpi_addr +
						     header->p_vaddr),
				header->p_memsz, header->p_align == 8 ? 8 : 4,
				found);
	}
}

/* Reads the path, absolute if possible. */
static void read_path(const char *name, struct found *found)
{
	size_t used = 0;

	if (name == NULL || name[0] == '\0') { /* the program itself */
		ssize_t size = readlink(
			"/proc/self/exe", found->path, sizeof(found->path) - 1);

		found->path[size < 0 ? 0 : size] = '\0';
		return;
	}
	if (name[0] != '/' && strchr(name, '/') != NULL &&
		getcwd(found->path, sizeof(found->path) - 1) != NULL) {
		used = strlen(found->path);
		found->path[used++] = '/';
	}
	(void)snprintf(
		found->path + used, sizeof(found->path) - used, "%s", name);
}

static int match_address(struct dl_phdr_info *info, size_t size, void *data)
{
	struct found *found = data;

	(void)size;
	if (!find_range(info, &found->base, &found->last) ||
		found->address < found->base || found->address > found->last)
		return 0;
	read_build_id(info, found);
	read_path(info->dlpi_name, found);
	return 1;
}

/* The lock is held for the following functions. */

static struct module *find_by_address(uintptr_t address)
{
	for (uint32_t i = 0; i < modules.count; i++) {
		struct module *module = &modules.all[i];

		if (!module->closed && address >= module->base &&
			address <= module->last)
			return module;
	}
	return NULL;
}

static bool make_room(void)
{
	uint32_t room = modules.room == 0 ? FIRST_ROOM : modules.room * 2;
	struct module *all;

	if (modules.count < modules.room)
		return true;
	all = mmap(NULL, room * sizeof(*all), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return false;
	if (modules.count > 0) {
		memcpy(all, modules.all, modules.count * sizeof(*all));
		(void)munmap(modules.all, modules.room * sizeof(*modules.all));
	}
	modules.all = all;
	modules.room = room;
	return true;
}

/* Finds a closed module's entry for reuse. */
static struct module *find_unused(void)
{
	for (uint32_t i = 0; i < modules.count; i++)
		if (modules.all[i].closed)
			return &modules.all[i];
	return make_room() ? &modules.all[modules.count++] : NULL;
}

static struct module *add(const struct found *found)
{
	struct module *module = find_by_address(found->address);
	uint32_t number;

	if (module != NULL) /* another thread did */
		return module;
	number = ctp_private_module(
		&(struct registry_module){.base = found->base,
			.bytes = found->last - found->base + 1,
			.path = found->path,
			.build_id = found->build_id,
			.build_id_bytes = found->build_id_bytes});
	module = number == 0 ? NULL : find_unused();
	if (module != NULL)
		*module = (struct module){.base = found->base,
			.last = found->last,
			.number = number,
			.filter = ctp_private_filter(found->path),
			.seen = modules.looks};
	return module;
}

static uint64_t tag_of(uint32_t number)
{
	return number < CHUNK_ID_LONG ? (uint64_t)number << CTP_TICK_BITS
				      : FUNCTION_NUMBER + number;
}

static uint64_t tag_in(const struct module *module, uintptr_t address)
{
	uint64_t offset = address - module->base;

	if (ctp_private_is_excluded(module->filter, offset))
		return FUNCTION_EXCLUDED;
	return tag_of(ctp_private_function(module->number, offset));
}

/* Code generated at run time has no module, only an address. */
static uint64_t tag_nowhere(uintptr_t address)
{
	char name[2 + 2 * sizeof(address) + 1];

	(void)snprintf(name, sizeof(name), "%#zx", (size_t)address);
	return tag_of(ctp_private_site(name));
}

uint64_t modules_resolve(uintptr_t address)
{
	struct found found = {.address = address};
	struct module *module;
	uint64_t tag;

	(void)pthread_mutex_lock(&modules.lock);
	module = find_by_address(address);
	if (module == NULL) {
		(void)pthread_mutex_unlock(&modules.lock);
		ask(match_address, &found);
		(void)pthread_mutex_lock(&modules.lock);
		if (found.path[0] != '\0')
			module = add(&found);
	}
	tag = module == NULL ? tag_nowhere(address) : tag_in(module, address);
	(void)function_set(address, tag);
	(void)pthread_mutex_unlock(&modules.lock);
	return tag;
}

static int mark_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t base;
	uintptr_t last;

	(void)size;
	(void)data;
	if (!find_range(info, &base, &last))
		return 0;
	(void)pthread_mutex_lock(&modules.lock);
	for (uint32_t i = 0; i < modules.count; i++)
		if (modules.all[i].base == base && modules.all[i].last == last)
			modules.all[i].seen = modules.looks;
	(void)pthread_mutex_unlock(&modules.lock);
	return 0;
}

void modules_find_closed(void)
{
	uint64_t look;

	(void)pthread_mutex_lock(&modules.lock);
	look = ++modules.looks;
	(void)pthread_mutex_unlock(&modules.lock);
	ask(mark_loaded, NULL);
	(void)pthread_mutex_lock(&modules.lock);
	for (uint32_t i = 0; i < modules.count; i++) {
		struct module *module = &modules.all[i];

		if (module->closed || module->seen >= look)
			continue;
		module->closed = true;
		ctp_private_module_closed(module->number);
		function_forget(module->base, module->last);
	}
	(void)pthread_mutex_unlock(&modules.lock);
}

void modules_forget(void)
{
	(void)pthread_mutex_lock(&modules.lock);
	for (uint32_t i = 0; i < modules.count; i++)
		modules.all[i].closed = true;
	function_forget(0, UINTPTR_MAX);
	(void)pthread_mutex_unlock(&modules.lock);
}

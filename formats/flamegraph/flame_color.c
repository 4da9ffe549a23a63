/* SPDX-License-Identifier: MIT */
#include "flamegraph/flame_color.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "io/amount.h"
#include "base/stable_hash.h"

/* As many as flame.css has. */
#define HUES 12
#define SHADES 3

const char *flame_module(const struct profile_function *function, size_t *size)
{
	const char *name = function->name;
	const char *end = strstr(name, "::");

	/* "~" is Python's file of built-in functions; "<string>" and the like
	 * are not files. */
	if (function->file[0] != '\0' && function->file[0] != '~' &&
		function->file[0] != '<') {
		*size = strlen(function->file);
		return function->file;
	}
	*size = strcspn(name, " .:#(<[");
	/* In C++, a type may precede the name. */
	if (end != NULL && strcspn(name, "(<[") > (size_t)(end - name)) {
		const char *start = end;

		while (start > name && start[-1] != ' ')
			start--;
		*size = (size_t)(end - start);
		name = start;
	}
	if (*size == 0)
		*size = strlen(name);
	return name;
}

const char *flame_class(
	char text[FLAME_CLASS_TEXT], const struct profile_function *function)
{
	static const char *const kinds[] = {[PROFILE_KERNEL] = "kernel",
		[PROFILE_COPY] = "copy",
		[PROFILE_SET] = "set"};
	uint64_t shade = stable_hash(function->name, strlen(function->name));
	const char *module;
	size_t size;

	if (function->device.kind != PROFILE_HOST) {
		(void)snprintf(text, FLAME_CLASS_TEXT, "%s s%u",
			kinds[function->device.kind],
			(unsigned)(shade % SHADES));
		return text;
	}
	module = flame_module(function, &size);
	(void)snprintf(text, FLAME_CLASS_TEXT, "c%u s%u",
		(unsigned)(stable_hash(module, size) % HUES),
		(unsigned)(shade % SHADES));
	return text;
}

const char *flame_change_class(uint64_t before_ns, uint64_t after_ns)
{
	static const char *const more[] = {
		"same", "more1", "more2", "more3", "more4", "more5"};
	static const char *const less[] = {
		"same", "less1", "less2", "less3", "less4", "less5"};
	/* Least change of each level, in hundredths of a percent of the longer
	 * time. */
	static const uint32_t levels[] = {100, 300, 1000, 2500, 5000};
	bool grown = after_ns > before_ns;
	uint64_t most = grown ? after_ns : before_ns;
	uint64_t change = grown ? after_ns - before_ns : before_ns - after_ns;
	uint32_t share = most == 0 ? 0 : amount_share(change, most);
	unsigned level = 0;

	while (level < sizeof(levels) / sizeof(levels[0]) &&
		share >= levels[level])
		level++;
	return grown ? more[level] : less[level];
}

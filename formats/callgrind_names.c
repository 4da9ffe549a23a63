/* SPDX-License-Identifier: MIT */
#include "callgrind_names.h"

#include <string.h>

#include "memory.h"

bool callgrind_names_init(struct callgrind_names *names)
{
	*names = (struct callgrind_names){
		.text = strtab_new(), .numbers = strtab_new()};
	return names->text != NULL && names->numbers != NULL;
}

void callgrind_names_clear(struct callgrind_names *names)
{
	strtab_free(names->text);
	strtab_free(names->numbers);
	memory_free(names->meanings);
}

/* What a number means, for reading and writing; NULL if out of memory. */
static uint32_t *meaning_of(
	struct callgrind_names *names, const char *digits, size_t size)
{
	uint32_t number = strtab_add(names->numbers, digits, size);

	if (number == STRTAB_NONE ||
		!memory_reach(&names->meanings, number, &names->room,
			sizeof(*names->meanings)))
		return NULL;
	return &names->meanings[number];
}

bool callgrind_names_split(
	struct callgrind_names *names, const char **written, uint32_t **meaning)
{
	const char *digits = *written + 1;
	size_t size = **written == '(' ? strspn(digits, "0123456789") : 0;

	*meaning = NULL;
	/* "(below main)" is a name. */
	if (size == 0 || digits[size] != ')')
		return true;
	*meaning = meaning_of(names, digits, size);
	*written = digits + size + 1;
	*written += strspn(*written, " \t");
	return *meaning != NULL;
}

uint32_t callgrind_names_find(
	struct callgrind_names *names, const char *written)
{
	const char *name = written;
	uint32_t *meaning;
	uint32_t number;

	if (!callgrind_names_split(names, &name, &meaning))
		return STRTAB_NONE;
	if (meaning != NULL && *name == '\0') {
		if (*meaning != 0)
			return *meaning;
		names->unknown++;
		return strtab_add(names->text, written, strlen(written));
	}
	number = strtab_add(names->text, name, strlen(name));
	if (meaning != NULL)
		*meaning = number;
	return number;
}

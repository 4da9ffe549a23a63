/* SPDX-License-Identifier: MIT */
#include "callgrind/callgrind_names.h"

#include <string.h>

#include "base/memory.h"

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

/* The size of "(2)" before a name; 0 if missing: "(below main)" is a name. */
static size_t number_size(const char *written)
{
	size_t digits = *written == '(' ? strspn(written + 1, "0123456789") : 0;

	return digits > 0 && written[digits + 1] == ')' ? digits + 2 : 0;
}

static uint32_t add_text(struct callgrind_names *names, const char *text)
{
	return strtab_add(names->text, text, strlen(text));
}

struct callgrind_name callgrind_names_find(
	struct callgrind_names *names, const char *written)
{
	struct callgrind_name found = {STRTAB_NONE, STRTAB_NONE, false};
	size_t size = number_size(written);
	const char *name = written + size + strspn(written + size, " \t");
	uint32_t *meaning;

	if (size == 0) {
		found.text = add_text(names, written);
		return found;
	}
	found.number = strtab_add(names->numbers, written + 1, size - 2);
	found.said = *name != '\0';
	if (found.number == STRTAB_NONE ||
		!array_ensure_index(&names->meanings, found.number,
			&names->room, sizeof(*names->meanings)))
		return found;
	meaning = &names->meanings[found.number];
	if (found.said)
		*meaning = add_text(names, name);
	found.text = *meaning;
	if (*meaning == 0) {
		names->unknown++;
		found.text = add_text(names, written);
	}
	return found;
}

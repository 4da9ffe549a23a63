/* SPDX-License-Identifier: MIT */
#include "log_read/log_table.h"

#include "base/memory.h"

#define PAGE_NUMBERS 4096u

void log_table_clear(struct log_table *table)
{
	for (uint32_t i = 0; i < table->page_room; i++)
		memory_free(table->pages[i]);
	memory_free(table->pages);
	*table = (struct log_table){0};
}

uint32_t log_table_find(const struct log_table *table, uint32_t number)
{
	uint32_t page = number / PAGE_NUMBERS;

	if (page >= table->page_room || table->pages[page] == NULL)
		return 0;
	return table->pages[page][number % PAGE_NUMBERS];
}

bool log_table_set(struct log_table *table, uint32_t number, uint32_t value)
{
	uint32_t page = number / PAGE_NUMBERS;

	if (!array_ensure_index(
		    &table->pages, page, &table->page_room, sizeof(uint32_t *)))
		return false;
	if (table->pages[page] == NULL)
		table->pages[page] =
			memory_new_zeroed(PAGE_NUMBERS, sizeof(uint32_t));
	if (table->pages[page] == NULL)
		return false;
	table->pages[page][number % PAGE_NUMBERS] = value;
	return true;
}

/* SPDX-License-Identifier: MIT */
/* The meaning of a log's numbers. They are dense where a recorder gave them;
 * anywhere else, a large one costs a page of the table and no more. */
#ifndef LOG_TABLE_H
#define LOG_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct log_table {
	uint32_t **pages;
	uint32_t page_room;
};

void log_table_clear(struct log_table *table);

/* The value that was set for this number; 0 if there is none. */
uint32_t log_table_find(const struct log_table *table, uint32_t number);

/* Sets what a number stands for; false if out of memory. */
bool log_table_set(struct log_table *table, uint32_t number, uint32_t value);

#endif

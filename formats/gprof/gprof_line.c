/* SPDX-License-Identifier: MIT */
#include "gprof/gprof_line.h"

#include <stdlib.h>
#include <string.h>

#include "json/json_value.h"
#include "io/lines.h"

#define SECOND_DIGITS 9
#define DIGITS "0123456789"

/* Consumes a word of these characters; NULL, consuming nothing, if the next
 * character is another. */
static char *take_word(char **text, const char *characters, size_t *size)
{
	char *word = *text + strspn(*text, " \t");

	*size = strspn(word, characters);
	if (*size == 0 || (word[*size] != '\0' && word[*size] != ' ' &&
				  word[*size] != '\t'))
		return NULL;
	*text = word + *size;
	return word;
}

/* A number with a decimal point: seconds. */
static bool take_time(char **text, uint64_t *time_ns)
{
	char *at = *text;
	size_t size;
	char *word = take_word(&at, DIGITS ".", &size);
	int64_t ns;

	if (word == NULL || memchr(word, '.', size) == NULL ||
		!json_value_scaled(word, size, SECOND_DIGITS, &ns))
		return false;
	*time_ns = (uint64_t)ns;
	*text = at;
	return true;
}

/* "3", "3/4", where the 4 is redundant, or "3+4". */
static bool take_calls(char **text, struct gprof_line *line)
{
	char *at = *text;
	size_t size;
	char *word = take_word(&at, DIGITS "/+", &size);
	int64_t calls;
	int64_t more = 0;
	size_t first;
	char mark;

	if (word == NULL)
		return false;
	first = strspn(word, DIGITS);
	mark = first < size ? word[first] : '\0';
	if (!json_value_scaled(word, first, 0, &calls) ||
		(mark != '\0' && !json_value_scaled(word + first + 1,
					 size - first - 1, 0, &more)))
		return false;
	line->calls = (uint64_t)calls;
	line->self_calls = mark == '+' ? (uint64_t)more : 0;
	line->has_calls = true;
	*text = at;
	return true;
}

/* Cuts off an index at the end, "[3]", or "(3)" if that has no entry. */
static bool cut_index(char *text, uint32_t *index)
{
	size_t size = strlen(text);
	char *open;
	int64_t number;

	if (size < 3 || (text[size - 1] != ']' && text[size - 1] != ')'))
		return false;
	open = text + size - 1;
	while (open > text && open[-1] >= '0' && open[-1] <= '9')
		open--;
	if (open == text || open == text + size - 1 ||
		open[-1] != (text[size - 1] == ']' ? '[' : '(') ||
		!json_value_scaled(
			open, (size_t)(text + size - 1 - open), 0, &number) ||
		number < 1 || number >= UINT32_MAX)
		return false;
	*index = (uint32_t)number;
	open[-1] = '\0';
	return true;
}

/* Cuts off "<cycle 1>"; recognizes "<cycle 1 as a whole>". */
static void cut_cycle(char *text, struct gprof_line *line)
{
	static const char mark[] = "<cycle ";
	char *open = strstr(text, mark);
	char *next = open;
	unsigned long number;
	char *end;

	while (next != NULL) {
		open = next;
		next = strstr(open + 1, mark);
	}
	if (open == NULL)
		return;
	number = strtoul(open + sizeof(mark) - 1, &end, 10);
	line->is_cycle = open == text && strcmp(end, " as a whole>") == 0;
	if (strcmp(end, ">") != 0 || number == 0 || number >= UINT32_MAX)
		return;
	line->cycle = (uint32_t)number;
	*open = '\0';
}

/* The rest is the name. */
static bool take_name(char *text, struct gprof_line *line)
{
	text = lines_trim(text);
	cut_cycle(text, line);
	line->name = lines_trim(text);
	return *line->name != '\0';
}

bool gprof_line_reference(char *text, struct gprof_line *line)
{
	*line = (struct gprof_line){0};
	text = lines_trim(text);
	if (!cut_index(text, &line->index))
		return false;
	text = lines_trim(text);
	if (take_time(&text, &line->self_ns))
		(void)take_time(&text, &line->children_ns);
	return take_calls(&text, line) && take_name(text, line);
}

bool gprof_line_primary(char *text, struct gprof_line *line)
{
	uint64_t share;
	size_t digits;

	*line = (struct gprof_line){0};
	if (*text != '[')
		return false;
	digits = strspn(++text, DIGITS);
	text += digits;
	if (digits == 0)
		return false;
	text = lines_trim(text + (*text == ']'));
	if (!cut_index(text, &line->index))
		return false;
	text = lines_trim(text);
	if (!take_time(&text, &share) || !take_time(&text, &line->self_ns) ||
		!take_time(&text, &line->children_ns))
		return false;
	(void)take_calls(&text, line);
	return take_name(text, line);
}

bool gprof_line_flat(char *text, uint64_t unit_ns, struct gprof_line *line)
{
	uint64_t share;
	uint64_t sum_ns;
	uint64_t each;
	uint64_t whole_ns;
	uint32_t index;

	*line = (struct gprof_line){0};
	text = lines_trim(text);
	if (!take_time(&text, &share) || !take_time(&text, &sum_ns) ||
		!take_time(&text, &line->self_ns))
		return false;
	if (take_calls(&text, line) && take_time(&text, &each) &&
		take_time(&text, &each) &&
		!__builtin_mul_overflow(each, line->calls, &whole_ns)) {
		/* `each` is in billionths of the unit. */
		whole_ns = whole_ns / 1000000000 * unit_ns +
			   whole_ns % 1000000000 * unit_ns / 1000000000;
		if (whole_ns > line->self_ns)
			line->children_ns = whole_ns - line->self_ns;
	}
	text = lines_trim(text);
	(void)cut_index(text, &index);
	return take_name(text, line);
}

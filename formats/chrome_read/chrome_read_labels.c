/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_labels.h"

#include <string.h>

#include "timeline/json_args.h"
#include "base/memory.h"
#include "base/strtab.h"

#define PYTHON_CALLS "python_function"

/* Most digits of a line. */
#define LINE_DIGITS 9

/* The uses of one of the trace's texts. */
struct chrome_read_name {
	uint32_t category;      /* as a category: number + 1; 0: unknown */
	uint32_t site_category; /* as a name: its last category + 1 ... */
	uint32_t site;          /* ... and its site */
};

static const struct {
	const char *name;
	const char *today; /* NULL: the same */
	enum chrome_read_class class;
} known[] = {
	{"cpu_op", NULL, CHROME_READ_OP},
	{"user_annotation", NULL, CHROME_READ_OP},
	{PYTHON_CALLS, NULL, CHROME_READ_PYTHON},
	{"cuda_runtime", NULL, CHROME_READ_API},
	{"cuda_driver", NULL, CHROME_READ_API},
	{"xpu_runtime", NULL, CHROME_READ_API},
	{"xpu_driver", NULL, CHROME_READ_API},
	{"mtia_runtime", NULL, CHROME_READ_API},
	{"privateuse1_runtime", NULL, CHROME_READ_API},
	{"privateuse1_driver", NULL, CHROME_READ_API},
	{"kernel", NULL, CHROME_READ_WORK},
	{"mtia_ccp_events", NULL, CHROME_READ_ROW_WORK},
	{"gpu_memcpy", NULL, CHROME_READ_WORK},
	{"gpu_memset", NULL, CHROME_READ_WORK},
	{"gpu_user_annotation", NULL, CHROME_READ_ANNOTATION},
	{"cuda_sync", NULL, CHROME_READ_WAIT},
	{"Trace", NULL, CHROME_READ_SPAN},
	{"Operator", "cpu_op", CHROME_READ_OP},
	{"Runtime", "cuda_runtime", CHROME_READ_API},
	{"Kernel", "kernel", CHROME_READ_WORK},
	{"Memcpy", "gpu_memcpy", CHROME_READ_WORK},
	{"Memset", "gpu_memset", CHROME_READ_WORK},
};

/* Categories of compilations: ranges of `record --compile`, and instants of
 * TORCH_TRACE logs. */
static const char *const wholes[] = {"traced", "torch_trace"};

/* Categories of arrows; the oldest is also the arrows' name. */
static const char *const arrows[] = {"ac2g", "async_cpu_to_gpu", "async_gpu"};
#define OLD_ARROW "async"
#define OLD_ARROW_NAME "launch"

/* Adds a category; NULL if out of memory. */
static struct chrome_read_category *add_category(
	struct chrome_read_labels *labels)
{
	struct chrome_read_category *more;

	if (!array_reserve32(&labels->categories, labels->category_count,
		    &labels->category_room, sizeof(*more)))
		return NULL;
	more = &labels->categories[labels->category_count++];
	*more = (struct chrome_read_category){.class = CHROME_READ_PLAIN};
	return more;
}

bool chrome_read_labels_init(struct chrome_read_labels *labels,
	struct trace *trace, struct chrome_read_args *args)
{
	struct chrome_read_category *jax;

	*labels = (struct chrome_read_labels){.trace = trace, .args = args};
	if (add_category(labels) == NULL)
		return false;
	jax = add_category(labels);
	if (jax == NULL)
		return false;
	*jax = (struct chrome_read_category){
		.class = CHROME_READ_PYTHON, .jax = true};
	return true;
}

void chrome_read_labels_clear(struct chrome_read_labels *labels)
{
	memory_free(labels->categories);
	memory_free(labels->names);
}

enum chrome_read_class chrome_read_labels_class(
	const struct chrome_read_labels *labels, uint32_t category)
{
	return labels->categories[category].class;
}

uint32_t chrome_read_labels_wanted(const struct chrome_read_labels *labels,
	uint32_t category, bool keeps_args)
{
	uint32_t kept = keeps_args ? CHROME_READ_WANT_KEPT : 0;

	switch (labels->categories[category].class) {
	case CHROME_READ_OP:
		return CHROME_READ_WANT(CHROME_READ_EXTERNAL_ID) | kept;
	case CHROME_READ_API:
		return CHROME_READ_WANT(CHROME_READ_CORRELATION);
	case CHROME_READ_WORK:
	case CHROME_READ_ROW_WORK:
		return CHROME_READ_WANT_KNOWN | kept;
	case CHROME_READ_ANNOTATION:
	case CHROME_READ_WAIT:
		return CHROME_READ_WANT_KNOWN;
	default:
		return labels->categories[category].whole ? CHROME_READ_WANT_ALL
							  : 0;
	}
}

bool chrome_read_labels_is_whole(
	const struct chrome_read_labels *labels, uint32_t category)
{
	return labels->categories[category].whole;
}

bool chrome_read_labels_is_arrow(const struct chrome_read_labels *labels,
	const struct json_scan *scan, const struct json_token *name,
	uint32_t category)
{
	const struct chrome_read_category *of = &labels->categories[category];
	const char *text = strtab_text(labels->trace->text, of->text, NULL);

	if (!of->arrow || strcmp(text, OLD_ARROW) != 0)
		return of->arrow;
	return name->size == strlen(OLD_ARROW_NAME) &&
	       memcmp(json_scan_text(scan, name), OLD_ARROW_NAME, name->size) ==
		       0;
}

bool chrome_read_labels_is_jax(
	const struct json_scan *scan, const struct json_token *name)
{
	const char *text;

	if (name->kind != JSON_STRING || name->size < 4)
		return false;
	text = json_scan_text(scan, name);
	return text[0] == '$' && text[1] != ' ' &&
	       memchr(text, ' ', name->size - 1) != NULL;
}

bool chrome_read_labels_is_sum(const char *name, size_t size)
{
	return size > 6 && memcmp(name, "Total ", 6) == 0;
}

/* The entry of a text; NULL if out of memory. */
static struct chrome_read_name *ensure_name(
	struct chrome_read_labels *labels, uint32_t text)
{
	return array_ensure_index(&labels->names, text, &labels->name_room,
		       sizeof(*labels->names))
		       ? &labels->names[text]
		       : NULL;
}

/* The token's text in the trace's table; STRTAB_NONE if out of memory. */
static uint32_t intern(struct chrome_read_labels *labels,
	const struct json_scan *scan, const struct json_token *token)
{
	const char *text;
	size_t size;

	if (!chrome_read_args_plain(labels->args, scan, token, &text, &size))
		return STRTAB_NONE;
	return strtab_add(labels->trace->text, text, size);
}

/* Fills the entry of a new category. */
static bool classify(struct chrome_read_labels *labels, uint32_t text,
	struct chrome_read_category *category)
{
	const char *name = strtab_text(labels->trace->text, text, NULL);

	category->text = text;
	category->python = strcmp(name, "FEE") == 0 || strcmp(name, "fee") == 0;
	category->arrow = strcmp(name, OLD_ARROW) == 0;
	for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++)
		category->whole |= labels->trace->request.keeps_compilations &&
				   strcmp(name, wholes[i]) == 0;
	for (size_t i = 0; i < sizeof(arrows) / sizeof(arrows[0]); i++)
		category->arrow |= strcmp(name, arrows[i]) == 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name) != 0)
			continue;
		category->class = known[i].class;
		if (known[i].today != NULL)
			category->text = strtab_add(labels->trace->text,
				known[i].today, strlen(known[i].today));
	}
	return category->text != STRTAB_NONE;
}

static bool is_none(const struct chrome_read_labels *labels,
	const struct json_scan *scan, const struct json_token *token)
{
	static const char none[] = JSON_ARGS_NO_CATEGORY;

	return labels->is_own && token->size == sizeof(none) - 1 &&
	       memcmp(json_scan_text(scan, token), none, token->size) == 0;
}

bool chrome_read_labels_category(struct chrome_read_labels *labels,
	const struct json_scan *scan, const struct json_token *token,
	uint32_t *category)
{
	struct chrome_read_label_lookup this = {
		.text = json_smallstr(scan, token)};
	struct chrome_read_label_lookup *recent =
		&labels->recent[json_smallstr_place(
			this.text.begin + 3 * this.text.end,
			CHROME_READ_LABELS_RECENT)];
	struct chrome_read_name *name;
	uint32_t text;

	if (recent->category != 0 &&
		json_smallstr_is(&recent->text, &this.text)) {
		*category = recent->category - 1;
		return true;
	}
	text = token->size == 0 || is_none(labels, scan, token)
		       ? 0
		       : intern(labels, scan, token);
	if (text == STRTAB_NONE)
		return false;
	name = ensure_name(labels, text);
	if (name == NULL)
		return false;
	if (text != 0 && name->category == 0) {
		struct chrome_read_category *entry = add_category(labels);

		if (entry == NULL || !classify(labels, text, entry))
			return false;
		name->category = labels->category_count;
	}
	*category = text == 0 ? CHROME_READ_NO_CATEGORY : name->category - 1;
	this.category = *category + 1;
	*recent = this;
	return true;
}

/* A name with its function's location. */
struct name_parts {
	const char *name;
	size_t name_size;
	const char *file;
	size_t file_size;
	uint32_t line;
};

/* The number of digits at `text`, and the line; 0: not a line. */
static size_t parse_line(const char *text, size_t size, uint32_t *line)
{
	size_t digits = 0;

	*line = 0;
	while (digits < size && (unsigned char)(text[digits] - '0') < 10) {
		if (digits == LINE_DIGITS)
			return 0;
		*line = *line * 10 + (uint32_t)(text[digits] - '0');
		digits++;
	}
	return digits;
}

/* Splits "name (file:line)", VizTracer's form of Python functions; false if it
 * has another form. */
static bool split(const char *text, size_t size, struct name_parts *parts)
{
	size_t at = size;

	if (size < 6 || text[size - 1] != ')')
		return false;
	at--;
	while (at > 0 && (unsigned char)(text[at - 1] - '0') < 10)
		at--;
	if (parse_line(text + at, size - 1 - at, &parts->line) == 0 ||
		at == 0 || text[at - 1] != ':')
		return false;
	for (size_t i = 1; i + 2 < at; i++)
		if (text[i] == ' ' && text[i + 1] == '(') {
			parts->name = text;
			parts->name_size = i;
			parts->file = text + i + 2;
			parts->file_size = at - 1 - (i + 2);
			return true;
		}
	return false;
}

/* Likewise for "$file:line name". */
static bool split_jax(const char *text, size_t size, struct name_parts *parts)
{
	for (size_t i = 2; i < size; i++) {
		size_t digits;

		if (text[i] != ':')
			continue;
		digits = parse_line(text + i + 1, size - i - 1, &parts->line);
		if (digits == 0 || i + digits + 2 >= size ||
			text[i + 1 + digits] != ' ')
			continue;
		parts->file = text + 1;
		parts->file_size = i - 1;
		parts->name = text + i + digits + 2;
		parts->name_size = size - (i + digits + 2);
		return true;
	}
	return false;
}

static uint32_t make_site(
	struct chrome_read_labels *labels, uint32_t text, uint32_t category)
{
	struct chrome_read_category *of = &labels->categories[category];
	struct strtab *table = labels->trace->text;
	struct trace_site site = {.name = text};
	struct name_parts parts;
	size_t size;
	const char *name = strtab_text(table, text, &size);

	if (of->jax)
		of->text = strtab_add(
			table, PYTHON_CALLS, sizeof(PYTHON_CALLS) - 1);
	site.category = of->text;
	if ((of->python && split(name, size, &parts)) ||
		(of->jax && split_jax(name, size, &parts))) {
		site.name = strtab_add(table, parts.name, parts.name_size);
		site.file = strtab_add(table, parts.file, parts.file_size);
		site.line = parts.line;
	}
	return trace_add_place(labels->trace, site);
}

bool chrome_read_labels_site(struct chrome_read_labels *labels,
	const struct json_scan *scan, const struct json_token *name,
	uint32_t category, uint32_t *site)
{
	uint32_t text = 0;
	struct chrome_read_name *entry;

	if (name->kind == JSON_STRING || name->kind == JSON_NUMBER)
		text = intern(labels, scan, name);
	if (text == STRTAB_NONE)
		return false;
	entry = ensure_name(labels, text);
	if (entry == NULL)
		return false;
	if (entry->site_category != category + 1) {
		entry->site = make_site(labels, text, category);
		entry->site_category = category + 1;
	}
	*site = entry->site;
	return *site != TRACE_NONE;
}

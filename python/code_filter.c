/* SPDX-License-Identifier: MIT */
#include "code_filter.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "callee_name.h"

struct patterns {
	char **texts;
	size_t count;
};

/* Changes only while no trace is on; but in a free-threaded build, a thread may
 * still be naming a callee for the previous one. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct patterns include, exclude, values;
static char *own_directory; /* with a trailing slash */

static void patterns_clear(struct patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		free(patterns->texts[i]);
	free(patterns->texts);
	*patterns = (struct patterns){0};
}

static int patterns_set(struct patterns *patterns, PyObject *tuple)
{
	Py_ssize_t count = PyTuple_GET_SIZE(tuple);
	struct patterns set = {calloc((size_t)count + 1, sizeof(char *)), 0};
	struct patterns old;

	for (Py_ssize_t i = 0; set.texts != NULL && i < count; i++) {
		char *text = callee_text(PyTuple_GET_ITEM(tuple, i));

		if (text == NULL)
			break;
		set.texts[set.count++] = text;
	}
	if (set.count != (size_t)count || set.texts == NULL) {
		patterns_clear(&set);
		PyErr_NoMemory();
		return -1;
	}
	pthread_mutex_lock(&lock);
	old = *patterns;
	*patterns = set;
	pthread_mutex_unlock(&lock);
	patterns_clear(&old);
	return 0;
}

int code_filter_set(PyObject *included, PyObject *excluded, PyObject *chosen)
{
	if (patterns_set(&include, included) != 0 ||
		patterns_set(&exclude, excluded) != 0)
		return -1;
	return patterns_set(&values, chosen);
}

int code_filter_hide(PyObject *directory)
{
	char *text = callee_text(directory);
	size_t length = text == NULL ? 0 : strlen(text);
	char *with_slash = text == NULL ? NULL : realloc(text, length + 2);

	if (with_slash == NULL) {
		free(text);
		PyErr_NoMemory();
		return -1;
	}
	memcpy(with_slash + length, "/", 2);
	free(own_directory);
	own_directory = with_slash;
	return 0;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
	size_t length = strlen(text), tail = strlen(with);

	return length >= tail && strcmp(text + length - tail, with) == 0;
}

/* Is the dotted name `module` equal to `name`, or inside it? */
static bool module_is(const char *module, const char *name)
{
	size_t length = strlen(name);

	return begins(module, name) &&
	       (module[length] == '\0' || module[length] == '.');
}

/* Does a sequence of whole parts of the path spell `name`?
 * "/lib/json/decoder.py" is in json, and in json.decoder. */
static bool path_is(const char *path, const char *name)
{
	const char *at = path;

	while (at != NULL) {
		size_t i = 0;

		while (name[i] != '\0' &&
			at[i] == (name[i] == '.' ? '/' : name[i]))
			i++;
		if (name[i] == '\0' &&
			(at[i] == '/' || strcmp(at + i, ".py") == 0))
			return true;
		at = strchr(at, '/');
		if (at != NULL)
			at++;
	}
	return false;
}

/* "<frozen importlib._bootstrap>" belongs to a module, too. */
static bool frozen_is(const char *file, const char *name)
{
	char module[256];
	size_t length;

	if (!begins(file, "<frozen ") || !ends(file, ">"))
		return false;
	file += strlen("<frozen ");
	length = strlen(file) - 1;
	if (length >= sizeof(module))
		return false;
	memcpy(module, file, length);
	module[length] = '\0';
	return module_is(module, name);
}

/* Does the file or module match? */
static bool matches(const struct callee_names *names, const char *pattern)
{
	if (strpbrk(pattern, "/*?[") != NULL || ends(pattern, ".py"))
		return fnmatch(pattern, names->file, 0) == 0 ||
		       (strchr(pattern, '/') == NULL &&
			       strrchr(names->file, '/') != NULL &&
			       fnmatch(pattern, strrchr(names->file, '/') + 1,
				       0) == 0);
	if (names->module != NULL)
		return module_is(names->module, pattern);
	return path_is(names->file, pattern) || frozen_is(names->file, pattern);
}

static bool any(
	const struct callee_names *names, const struct patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (matches(names, patterns->texts[i]))
			return true;
	return false;
}

/* Does a glob match the name of the function? */
static bool is_named(const struct callee_names *names, const char *glob)
{
	const char *full_name = names->full_name;

	if (names->module != NULL)
		return names->c_name != NULL &&
		       fnmatch(glob, names->c_name, 0) == 0;
	return fnmatch(glob, names->name, 0) == 0 ||
	       (full_name != NULL && fnmatch(glob, full_name, 0) == 0);
}

/* Does the text, "NAME" or "PLACE:NAME", choose the function? */
static bool chooses(const char *text, const struct callee_names *names)
{
	const char *colon = strrchr(text, ':');
	char *place;
	bool is_there;

	if (colon == NULL)
		return is_named(names, text);
	if (!is_named(names, colon + 1))
		return false;
	place = strndup(text, (size_t)(colon - text));
	is_there = place != NULL && matches(names, place);
	free(place);
	return is_there;
}

bool code_filter_has_values(const struct callee_names *names)
{
	bool is_chosen = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < values.count && !is_chosen; i++)
		is_chosen = chooses(values.texts[i], names);
	pthread_mutex_unlock(&lock);
	return is_chosen;
}

static bool is(
	const struct callee_names *names, const char *file, const char *name)
{
	return strcmp(names->full_name, name) == 0 && ends(names->file, file);
}

/* Callees recognized by the file that defines them, imported or not. */
static enum callee_kind special(const struct callee_names *names)
{
	static const struct {
		const char *file, *name;
		enum callee_kind kind;
	} known[] = {
		{"<frozen importlib._bootstrap>", "_find_and_load",
			CALLEE_IMPORT},
		{"asyncio/base_events.py", "BaseEventLoop.create_task",
			CALLEE_TASK},
		/* Before 3.13, this function names the task. */
		{"asyncio/tasks.py", "create_task", CALLEE_TASK},
		{"asyncio/taskgroups.py", "TaskGroup.create_task", CALLEE_TASK},
		{"torch/nn/modules/module.py", "Module.__call__",
			CALLEE_MODULE},
		{"torch/nn/modules/module.py", "Module._wrapped_call_impl",
			CALLEE_MODULE},
		{"torch/nn/modules/module.py", "Module._call_impl",
			CALLEE_MODULE},
		{"torch/optim/optimizer.py",
			"Optimizer.profile_hook_step.<locals>.wrapper",
			CALLEE_OPTIMIZER},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is(names, known[i].file, known[i].name))
			return known[i].kind;
	return CALLEE_PLAIN;
}

static bool is_excluded(const struct callee_names *names)
{
	bool excluded;

	pthread_mutex_lock(&lock);
	excluded = (include.count > 0 && !any(names, &include)) ||
		   any(names, &exclude);
	pthread_mutex_unlock(&lock);
	return excluded;
}

enum callee_kind code_filter_kind(const struct callee_names *names)
{
	bool is_python = names->module == NULL;

	if (is_python ? own_directory != NULL &&
				begins(names->file, own_directory)
		      : strcmp(names->module, "ctprof._ctprof") == 0)
		return CALLEE_HIDDEN;
	if (is_excluded(names))
		return CALLEE_EXCLUDED;
	return is_python ? special(names) : CALLEE_PLAIN;
}

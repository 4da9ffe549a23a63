/* SPDX-License-Identifier: MIT */
#include "place.h"

#include <string.h>

#define FIRST_ROOM 64

static bool same_text(PyObject *a, PyObject *b)
{
	return a == b || PyUnicode_Compare(a, b) == 0;
}

/* The slot of this place, used or free. */
static size_t find_slot(const struct places *places, const struct place *wanted)
{
	size_t mask = places->room - 1;
	size_t slot = (size_t)wanted->hash & mask;
	const struct place *found;

	while ((found = places->slots[slot]) != NULL) {
		if (found->hash == wanted->hash &&
			found->line == wanted->line &&
			same_text(found->name, wanted->name) &&
			same_text(found->file, wanted->file))
			break;
		slot = (slot + 1) & mask;
	}
	return slot;
}

static bool grow(struct places *places)
{
	struct places bigger = {
		.count = places->count,
		.room = places->room == 0 ? FIRST_ROOM : 2 * places->room,
	};

	bigger.slots = PyMem_Calloc(bigger.room, sizeof(struct place *));
	if (bigger.slots == NULL) {
		(void)PyErr_NoMemory();
		return false;
	}
	for (size_t i = 0; i < places->room; i++)
		if (places->slots[i] != NULL)
			bigger.slots[find_slot(&bigger, places->slots[i])] =
				places->slots[i];
	PyMem_Free(places->slots);
	*places = bigger;
	return true;
}

/* Adds a copy of the place, which is not in the table yet. */
static struct place *add(struct places *places, const struct place *wanted)
{
	struct place *place;

	if (places->count >= places->room / 2 && !grow(places))
		return NULL;
	place = PyMem_Malloc(sizeof(*place));
	if (place == NULL) {
		(void)PyErr_NoMemory();
		return NULL;
	}
	*place = *wanted;
	Py_INCREF(place->name);
	Py_INCREF(place->file);
	places->slots[find_slot(places, place)] = place;
	places->count++;
	return place;
}

struct place *places_find(
	struct places *places, PyObject *name, PyObject *file, long long line)
{
	struct place wanted = {.name = name, .file = file, .line = line};
	Py_hash_t name_hash = PyObject_Hash(name); /* str remembers it */
	Py_hash_t file_hash = PyObject_Hash(file);
	struct place *place = NULL;

	if (name_hash == -1 || file_hash == -1)
		return NULL;
	wanted.hash = (Py_hash_t)((size_t)name_hash * 31 + (size_t)file_hash +
				  (size_t)line * 0x9e3779b1);
	if (places->room > 0)
		place = places->slots[find_slot(places, &wanted)];
	return place != NULL ? place : add(places, &wanted);
}

void places_clear(struct places *places)
{
	for (size_t i = 0; i < places->room; i++) {
		struct place *place = places->slots[i];

		if (place == NULL)
			continue;
		Py_DECREF(place->name);
		Py_DECREF(place->file);
		PyMem_Free(place);
	}
	PyMem_Free(places->slots);
	*places = (struct places){0};
}

/* Text that is not valid (half of a surrogate pair) is shown with escapes. */
static PyObject *encode(PyObject *text)
{
	return PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
}

struct ctp_site *place_site(struct place *place)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	PyObject *name, *file;

	if (place->site != NULL)
		return place->site;
	name = encode(place->name);
	file = encode(place->file);
	if (name != NULL && file != NULL) {
		info.name = PyBytes_AS_STRING(name);
		info.file = PyBytes_AS_STRING(file);
		if (place->line > 0 && place->line <= UINT32_MAX)
			info.line = (uint32_t)place->line;
		info.category = "python";
		place->site = ctp_site_intern_info(&info);
	}
	Py_XDECREF(name);
	Py_XDECREF(file);
	return place->site;
}

/* SPDX-License-Identifier: MIT */
#include "event_iterator.h"

#include <stdbool.h>
#include <string.h>

#include "input_file.h"
#include "report.h"
#include "timeline/event_rows.h"

/* Interval for noticing a signal, in events. */
#define EVENTS_PER_CHECK 65536

/* The columns: kind, number, parent, cause, depth, start_ns, duration_ns,
 * self_ns, pid, tid, process, thread, device, stream, name, category, file,
 * line, id, bytes, value, args (JSON). */
enum { COLUMNS = 22 };

/* A writer that turns rows into tuples. */
struct tuple_writer {
	struct event_rows rows; /* first: the layer holds a pointer to it */
	struct trace *trace;
	PyObject *ready;  /* a list of tuples */
	PyObject **texts; /* by strtab number; NULL: not made */
	size_t text_room;
};

/* Columns are added in order; the first failure stays. */
struct tuple_cells {
	PyObject *tuple;
	Py_ssize_t count;
	bool failed;
};

/* Takes the reference. */
static void add_cell(struct tuple_cells *cells, PyObject *value)
{
	if (value == NULL)
		cells->failed = true;
	else
		PyTuple_SET_ITEM(cells->tuple, cells->count, value);
	cells->count++;
}

static void add_none(struct tuple_cells *cells)
{
	add_cell(cells, Py_NewRef(Py_None));
}

static void add_uint(struct tuple_cells *cells, uint64_t value)
{
	add_cell(cells, PyLong_FromUnsignedLongLong(value));
}

static void add_int(struct tuple_cells *cells, int64_t value)
{
	add_cell(cells, PyLong_FromLongLong(value));
}

/* Adds the number, or None if it is 0: unknown. */
static void add_number(struct tuple_cells *cells, uint64_t value)
{
	if (value == 0)
		add_none(cells);
	else
		add_uint(cells, value);
}

/* None where the trace has a text for it, which is a name here. */
static void add_id(struct tuple_cells *cells, int64_t id)
{
	if (trace_id_is_text(id))
		add_none(cells);
	else
		add_int(cells, id);
}

static bool grow_texts(struct tuple_writer *writer, uint32_t number)
{
	size_t room = 2 * ((size_t)number + 64);
	PyObject **texts =
		PyMem_Realloc(writer->texts, room * sizeof(*writer->texts));

	if (texts == NULL)
		return false;
	memset(texts + writer->text_room, 0,
		(room - writer->text_room) * sizeof(*texts));
	writer->texts = texts;
	writer->text_room = room;
	return true;
}

/* A new reference to the str of a strtab number, which is made once. */
static PyObject *text_of(struct tuple_writer *writer, uint32_t number)
{
	size_t size;
	const char *bytes;

	if (number >= writer->text_room && !grow_texts(writer, number))
		return PyErr_NoMemory();
	if (writer->texts[number] == NULL) {
		bytes = strtab_text(writer->trace->text, number, &size);
		writer->texts[number] = PyUnicode_DecodeUTF8(
			bytes, (Py_ssize_t)size, "replace");
	}
	return Py_XNewRef(writer->texts[number]);
}

/* None for number 0, the empty text. */
static void add_text(
	struct tuple_cells *cells, struct tuple_writer *writer, uint32_t number)
{
	if (number == 0)
		add_none(cells);
	else
		add_cell(cells, text_of(writer, number));
}

static void add_track(struct tuple_cells *cells, struct tuple_writer *writer,
	const struct event_row *row)
{
	const struct trace_track *track = &writer->trace->tracks[row->track];
	bool is_stream = track->kind == TRACE_STREAM;

	add_id(cells, track->pid);
	if (is_stream)
		add_none(cells);
	else
		add_id(cells, track->tid);
	add_text(cells, writer, track->process_name);
	add_text(cells, writer, track->name);
	if (is_stream)
		add_uint(cells, track->device);
	else if (row->device >= 0)
		add_int(cells, row->device);
	else
		add_none(cells);
	if (is_stream)
		add_id(cells, track->tid);
	else
		add_none(cells);
}

static void add_site(struct tuple_cells *cells, struct tuple_writer *writer,
	const struct event_row *row)
{
	static const struct trace_site none;
	const struct trace_site *site =
		row->site == TRACE_NONE ? &none
					: &writer->trace->sites[row->site];

	if (row->site == TRACE_NONE)
		add_none(cells);
	else
		add_cell(cells, text_of(writer, site->name));
	add_text(cells, writer, site->category);
	add_text(cells, writer, site->file);
	add_number(cells, site->line);
}

/* A counter's number. */
static void add_value(struct tuple_cells *cells, const struct event_arg *value)
{
	if (value != NULL && value->kind == ARG_INT)
		add_int(cells, value->value.integer);
	else if (value != NULL && value->kind == ARG_FLOAT)
		add_cell(cells, PyFloat_FromDouble(value->value.real));
	else
		add_none(cells);
}

static void add_columns(struct tuple_cells *cells, struct tuple_writer *writer,
	const struct event_row *row)
{
	add_cell(cells, PyUnicode_InternFromString(event_rows_kind_name(row)));
	add_uint(cells, row->number);
	add_number(cells, row->parent);
	add_number(cells, row->cause);
	add_uint(cells, row->depth);
	add_int(cells, row->start_ns);
	if (row->has_duration) {
		add_uint(cells, row->duration_ns);
		add_uint(cells, row->self_ns);
	} else {
		add_none(cells);
		add_none(cells);
	}
	add_track(cells, writer, row);
	add_site(cells, writer, row);
	add_number(cells, row->id);
	add_number(cells, row->bytes);
	add_value(cells, row->value);
	if (row->args != NULL)
		add_cell(cells, PyUnicode_DecodeUTF8(row->args,
					(Py_ssize_t)row->args_size, "replace"));
	else
		add_none(cells);
}

/* False with an exception. */
static bool write_row(struct event_rows *rows, const struct event_row *row)
{
	struct tuple_writer *writer = (struct tuple_writer *)rows;
	struct tuple_cells cells = {.tuple = PyTuple_New(COLUMNS)};
	bool done = false;

	if (cells.tuple == NULL)
		return false;
	add_columns(&cells, writer, row);
	if (!cells.failed)
		done = PyList_Append(writer->ready, cells.tuple) == 0;
	Py_DECREF(cells.tuple);
	return done;
}

static bool finish_rows(struct timeline *timeline)
{
	(void)timeline;
	return true;
}

static bool init_writer(struct timeline *timeline)
{
	struct tuple_writer *writer = (struct tuple_writer *)timeline;

	writer->trace = timeline->trace;
	writer->rows.write_row = write_row;
	writer->ready = PyList_New(0);
	return event_rows_init(&writer->rows) && writer->ready != NULL;
}

static void clear_writer(struct timeline *timeline)
{
	struct tuple_writer *writer = (struct tuple_writer *)timeline;

	for (size_t i = 0; i < writer->text_room; i++)
		Py_XDECREF(writer->texts[i]);
	PyMem_Free(writer->texts);
	Py_CLEAR(writer->ready);
	event_rows_clear(&writer->rows);
}

static const struct timeline_form form = {
	EVENT_ROWS_FORM,
	.bytes = sizeof(struct tuple_writer),
	.init = init_writer,
	.finish = finish_rows,
	.clear = clear_writer,
};

struct event_iterator {
	PyObject_HEAD PyObject *path;
	struct input_file input;
	bool is_open; /* the input and the writer */
	bool is_ended;
	bool is_running;
	struct timeline_writer *writer;
	Py_ssize_t taken; /* of the writer's tuples */
	uint64_t losses[LOSS_KINDS];
};

static PyObject *ready_of(const struct event_iterator *iterator)
{
	return ((struct tuple_writer *)iterator->writer)->ready;
}

static void close_iterator(struct event_iterator *iterator)
{
	if (!iterator->is_open)
		return;
	iterator->is_open = false;
	memcpy(iterator->losses, iterator->input.source->trace->losses,
		sizeof(iterator->losses));
	iterator->writer->free(iterator->writer);
	input_file_close(&iterator->input);
}

static void iterator_dealloc(PyObject *self)
{
	struct event_iterator *iterator = (struct event_iterator *)self;

	close_iterator(iterator);
	Py_XDECREF(iterator->path);
	Py_TYPE(self)->tp_free(self);
}

/* Adds the next event, or finishes after the last one. */
static enum ctp_status add_next(
	struct event_iterator *iterator, struct ctp_error *err)
{
	struct event_source *source = iterator->input.source;
	struct event event;
	enum ctp_status status = source->next(source, &event, err);

	if (status == CTP_OK)
		return iterator->writer->add(iterator->writer, &event, err);
	if (status == CTP_END) {
		iterator->is_ended = true;
		status = iterator->writer->finish(iterator->writer, err);
	}
	return status;
}

/* Reads until there are rows, or to the end. False with an exception. */
static bool read_rows(struct event_iterator *iterator)
{
	struct ctp_error err = {0};
	enum ctp_status status = CTP_OK;
	uint32_t count = 0;

	while (status == CTP_OK && !iterator->is_ended &&
		PyList_GET_SIZE(ready_of(iterator)) == 0) {
		status = add_next(iterator, &err);
		if (++count % EVENTS_PER_CHECK == 0 &&
			PyErr_CheckSignals() != 0)
			return false;
	}
	if (PyErr_Occurred())
		return false;
	if (status == CTP_OK)
		return true;
	report_error(iterator->path, &err);
	return false;
}

/* The next tuple; NULL at the end, or with an exception. */
static PyObject *take_row(struct event_iterator *iterator)
{
	PyObject *ready = ready_of(iterator);

	if (iterator->taken == PyList_GET_SIZE(ready)) {
		iterator->taken = 0;
		if (PyList_SetSlice(ready, 0, PY_SSIZE_T_MAX, NULL) != 0 ||
			!read_rows(iterator))
			return NULL;
	}
	if (iterator->taken == PyList_GET_SIZE(ready))
		return NULL;
	return Py_NewRef(PyList_GET_ITEM(ready, iterator->taken++));
}

/* A finalizer that runs meanwhile must not come in again. */
static PyObject *next_guarded(struct event_iterator *iterator)
{
	PyObject *row;

	if (iterator->is_running) {
		PyErr_SetString(
			PyExc_ValueError, "the iterator is already executing");
		return NULL;
	}
	if (!iterator->is_open)
		return NULL;
	iterator->is_running = true;
	row = take_row(iterator);
	iterator->is_running = false;
	if (row == NULL)
		close_iterator(iterator);
	return row;
}

static PyObject *iterator_next(PyObject *self)
{
	PyObject *row;

#ifdef Py_GIL_DISABLED
	Py_BEGIN_CRITICAL_SECTION(self);
#endif
	row = next_guarded((struct event_iterator *)self);
#ifdef Py_GIL_DISABLED
	Py_END_CRITICAL_SECTION();
#endif
	return row;
}

static PyObject *iterator_losses(PyObject *self, PyObject *unused)
{
	const struct event_iterator *iterator = (struct event_iterator *)self;

	(void)unused;
	return report_losses(iterator->is_open
				     ? iterator->input.source->trace->losses
				     : iterator->losses);
}

static PyMethodDef iterator_methods[] = {
	{"losses", iterator_losses, METH_NOARGS,
		"losses() -> {loss: count} of what was read so far."},
	{NULL, NULL, 0, NULL},
};

static PyTypeObject iterator_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ctprof._convert.Events",
	.tp_basicsize = sizeof(struct event_iterator),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_dealloc = iterator_dealloc,
	.tp_iter = PyObject_SelfIter,
	.tp_iternext = iterator_next,
	.tp_methods = iterator_methods,
};

int event_iterator_add(PyObject *module)
{
	(void)module;
	return PyType_Ready(&iterator_type);
}

/* Opens the writer, too. */
static enum ctp_status open_writer(
	struct event_iterator *iterator, struct ctp_error *err)
{
	struct event_source *source = iterator->input.source;

	if (source->read_profile != NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"is a profile (no timestamps) and has no events");
	return timeline_new(
		&form, NULL, source->trace, NULL, &iterator->writer, err);
}

/* False with an exception. */
static bool open_iterator(struct event_iterator *iterator, const char *path,
	const struct read_request *request)
{
	struct ctp_error err = {0};
	PyThreadState *threads;
	enum ctp_status status;

	threads = PyEval_SaveThread();
	status = input_file_open(&iterator->input, path, NULL, request, &err);
	PyEval_RestoreThread(threads);
	if (status == CTP_OK) {
		status = open_writer(iterator, &err);
		iterator->is_open = status == CTP_OK;
		if (!iterator->is_open)
			input_file_close(&iterator->input);
	}
	if (status != CTP_OK && !PyErr_Occurred())
		report_error(iterator->path, &err);
	return status == CTP_OK;
}

PyObject *event_iterator_new(
	PyObject *module, PyObject *args, PyObject *keywords)
{
	static const char *const names[] = {"path", "trim_prefix", NULL};
	struct read_request request = {0};
	struct event_iterator *iterator = NULL;
	PyObject *path, *encoded;
	int trim_prefix = 0;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$p:events",
		    (char **)(uintptr_t)names, &path, &trim_prefix) ||
		!PyUnicode_FSConverter(path, &encoded))
		return NULL;
	request.trim_prefix = trim_prefix;
	iterator = (struct event_iterator *)iterator_type.tp_alloc(
		&iterator_type, 0);
	if (iterator != NULL) {
		iterator->path = Py_NewRef(path);
		if (!open_iterator(
			    iterator, PyBytes_AS_STRING(encoded), &request))
			Py_CLEAR(iterator);
	}
	Py_DECREF(encoded);
	return (PyObject *)iterator;
}

/* SPDX-License-Identifier: MIT */
/*
 * Tables are read into memory rather than mapped: another process may shorten
 * the file, and a mapped page that is gone ends this one. No size is believed
 * before the file is seen to be that long.
 */
#include "symbols/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/memory.h"

/* Beyond anything that linkers write. */
#define NOTES_MAX ((uint64_t)1 << 20)
#define BUILD_ID_MAX 64
/* Longer names are not worth having, and cost time. */
#define NAME_MAX_BYTES ((size_t)65536)

/* One table of each kind: a linker writes no more. */
enum table { TABLE_ALL, TABLE_DYNAMIC, TABLES };

struct elf_file {
	int fd;
	bool is_wide; /* 64 bits */
	bool is_big;  /* byte order */
	uint64_t bytes;
	/* Tables of the header. */
	uint64_t programs;
	uint64_t program_count;
	uint64_t sections;
	uint64_t section_count;
	uint64_t lowest;
	uint64_t highest;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_bytes;
	uint64_t note_bytes; /* read so far */
	char *names[TABLES]; /* text of the symbols; NULL: not read */
};

/* The fields of a program header, or of a section's, that matter. */
struct part {
	uint64_t type;
	uint64_t address;
	uint64_t offset;
	uint64_t bytes; /* in the file */
	uint64_t memory_bytes;
	uint64_t align;
	uint64_t link;
	uint64_t info;
};

enum ctp_status elf_open(const char *path, int *out, struct ctp_error *err)
{
	unsigned char ident[SELFMAG];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat found;

	if (fd < 0 || fstat(fd, &found) != 0) {
		enum ctp_status status =
			ctp_fail(err, CTP_ERR_IO, "cannot open");

		if (fd >= 0)
			(void)close(fd);
		return status;
	}
	if (!S_ISREG(found.st_mode) ||
		pread(fd, ident, sizeof(ident), 0) != (ssize_t)sizeof(ident) ||
		memcmp(ident, ELFMAG, SELFMAG) != 0) {
		(void)close(fd);
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is not a program or shared library");
	}
	*out = fd;
	return CTP_OK;
}

/* ---- bytes ---- */

static bool is_inside(
	const struct elf_file *file, uint64_t offset, uint64_t bytes)
{
	return offset <= file->bytes && bytes <= file->bytes - offset;
}

/* Reads a part of the file; false if it has fewer bytes. */
static bool read_at(
	const struct elf_file *file, uint64_t offset, void *to, size_t bytes)
{
	uint8_t *at = to;

	if (!is_inside(file, offset, bytes))
		return false;
	while (bytes > 0) {
		ssize_t got = pread(file->fd, at, bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return true;
}

/* Takes a number of 2, 4 or 8 bytes; 0 if too few are left. */
static uint64_t take(
	const struct elf_file *file, struct cursor *cursor, size_t bytes)
{
	uint64_t wide = 0;
	uint32_t middle = 0;
	uint16_t narrow = 0;

	if (file->is_big) {
		(void)cursor_be(cursor, bytes, &wide);
		return wide;
	}
	if (bytes == sizeof(wide))
		(void)cursor_le64(cursor, &wide);
	else if (bytes == sizeof(middle))
		(void)cursor_le32(cursor, &middle);
	else
		(void)cursor_le16(cursor, &narrow);
	return wide | middle | narrow;
}

/* Takes an address, an offset or a size. */
static uint64_t take_word(const struct elf_file *file, struct cursor *cursor)
{
	return take(file, cursor, file->is_wide ? 8 : 4);
}

/* ---- headers ---- */

static uint64_t header_bytes(const struct elf_file *file)
{
	return file->is_wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static uint64_t program_bytes(const struct elf_file *file)
{
	return file->is_wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

static uint64_t section_bytes(const struct elf_file *file)
{
	return file->is_wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

static bool read_program(
	const struct elf_file *file, uint64_t number, struct part *part)
{
	uint8_t bytes[sizeof(Elf64_Phdr)];
	uint64_t size = program_bytes(file);
	struct cursor cursor;

	if (number >= file->program_count || number > file->bytes / size ||
		!is_inside(file, file->programs, number * size) ||
		!read_at(file, file->programs + number * size, bytes, size))
		return false;
	cursor_init(&cursor, bytes, size);
	part->type = take(file, &cursor, 4);
	if (file->is_wide)
		(void)take(file, &cursor, 4); /* flags */
	part->offset = take_word(file, &cursor);
	part->address = take_word(file, &cursor);
	(void)take_word(file, &cursor); /* physical address */
	part->bytes = take_word(file, &cursor);
	part->memory_bytes = take_word(file, &cursor);
	if (!file->is_wide)
		(void)take(file, &cursor, 4);
	part->align = take_word(file, &cursor);
	return true;
}

static bool read_section(
	const struct elf_file *file, uint64_t number, struct part *part)
{
	uint8_t bytes[sizeof(Elf64_Shdr)];
	uint64_t size = section_bytes(file);
	struct cursor cursor;

	if (number > file->bytes / size ||
		!is_inside(file, file->sections, number * size) ||
		!read_at(file, file->sections + number * size, bytes, size))
		return false;
	cursor_init(&cursor, bytes, size);
	(void)take(file, &cursor, 4); /* name */
	part->type = take(file, &cursor, 4);
	(void)take_word(file, &cursor); /* flags */
	part->address = take_word(file, &cursor);
	part->offset = take_word(file, &cursor);
	part->bytes = take_word(file, &cursor);
	part->link = take(file, &cursor, 4);
	part->info = take(file, &cursor, 4);
	part->align = take_word(file, &cursor);
	return true;
}

/* Counts that do not fit in the header are in the first section's. */
static void read_large_counts(struct elf_file *file)
{
	struct part first = {0};

	if ((file->section_count != 0 && file->program_count != PN_XNUM) ||
		file->sections == 0 || !read_section(file, 0, &first))
		return;
	if (file->section_count == 0)
		file->section_count = first.bytes;
	if (file->program_count == PN_XNUM)
		file->program_count = first.info;
}

static bool read_header(struct elf_file *file)
{
	uint8_t bytes[sizeof(Elf64_Ehdr)];
	uint64_t program_size;
	uint64_t section_size;
	struct cursor cursor;

	if (!read_at(file, 0, bytes, EI_NIDENT) ||
		(bytes[EI_CLASS] != ELFCLASS32 &&
			bytes[EI_CLASS] != ELFCLASS64) ||
		(bytes[EI_DATA] != ELFDATA2LSB &&
			bytes[EI_DATA] != ELFDATA2MSB))
		return false;
	file->is_wide = bytes[EI_CLASS] == ELFCLASS64;
	file->is_big = bytes[EI_DATA] == ELFDATA2MSB;
	if (!read_at(file, 0, bytes, header_bytes(file)))
		return false;
	cursor_init(&cursor, bytes, header_bytes(file));
	(void)cursor_bytes(&cursor, EI_NIDENT + 8); /* type to version */
	(void)take_word(file, &cursor);             /* entry */
	file->programs = take_word(file, &cursor);
	file->sections = take_word(file, &cursor);
	(void)cursor_bytes(&cursor, 6); /* flags, size of the header */
	program_size = take(file, &cursor, 2);
	file->program_count = take(file, &cursor, 2);
	section_size = take(file, &cursor, 2);
	file->section_count = take(file, &cursor, 2);
	if (section_size == section_bytes(file))
		read_large_counts(file);
	else
		file->section_count = 0;
	return program_size == program_bytes(file);
}

/* Finds the build id among the notes of a segment. */
static void read_notes(struct elf_file *file, const struct part *part)
{
	size_t align = part->align == 8 ? 8 : 4;
	uint8_t *bytes;
	struct cursor cursor;

	if (part->bytes > NOTES_MAX - file->note_bytes)
		return;
	file->note_bytes += part->bytes;
	bytes = memory_new(part->bytes + 1);
	if (bytes == NULL || !read_at(file, part->offset, bytes, part->bytes)) {
		memory_free(bytes);
		return;
	}
	cursor_init(&cursor, bytes, part->bytes);
	while (cursor.left >= 12 && file->build_id_bytes == 0) {
		size_t name_bytes = take(file, &cursor, 4);
		size_t id_bytes = take(file, &cursor, 4);
		uint64_t type = take(file, &cursor, 4);
		const void *name = cursor_bytes(&cursor,
			(name_bytes + 12 + align - 1) / align * align - 12);
		const void *id = cursor_bytes(&cursor, id_bytes);

		if (name == NULL || id == NULL)
			break;
		if (type == NT_GNU_BUILD_ID && name_bytes == 4 &&
			memcmp(name, "GNU", 4) == 0 &&
			id_bytes <= sizeof(file->build_id)) {
			memcpy(file->build_id, id, id_bytes);
			file->build_id_bytes = id_bytes;
		}
		(void)cursor_bytes(&cursor, (align - id_bytes % align) % align);
	}
	memory_free(bytes);
}

/* Reads the segments; false if none is loaded. */
static bool read_segments(struct elf_file *file)
{
	struct part part;

	file->lowest = UINT64_MAX;
	for (uint64_t i = 0; read_program(file, i, &part); i++) {
		if (part.type == PT_NOTE && file->build_id_bytes == 0)
			read_notes(file, &part);
		if (part.type != PT_LOAD || part.memory_bytes == 0)
			continue;
		if (part.address < file->lowest)
			file->lowest = part.address;
		if (part.address + part.memory_bytes > file->highest)
			file->highest = part.address + part.memory_bytes;
	}
	return file->lowest < file->highest;
}

enum ctp_status elf_file_new(
	int fd, struct elf_file **out, struct ctp_error *err)
{
	struct elf_file *file = memory_new_zeroed(1, sizeof(*file));
	struct stat found;

	if (file == NULL)
		return ctp_no_memory(err);
	file->fd = fd;
	if (fstat(fd, &found) == 0 && found.st_size > 0)
		file->bytes = (uint64_t)found.st_size;
	if (!read_header(file) || !read_segments(file)) {
		memory_free(file);
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is not a program or shared library, or is damaged");
	}
	*out = file;
	return CTP_OK;
}

void elf_file_free(struct elf_file *file)
{
	if (file == NULL)
		return;
	for (int i = 0; i < TABLES; i++)
		memory_free(file->names[i]);
	(void)close(file->fd);
	memory_free(file);
}

void elf_file_span(
	const struct elf_file *file, uint64_t *lowest, uint64_t *highest)
{
	*lowest = file->lowest;
	*highest = file->highest;
}

const uint8_t *elf_file_build_id(const struct elf_file *file, size_t *size)
{
	*size = file->build_id_bytes;
	return file->build_id;
}

bool elf_file_interpreter(const struct elf_file *file, char *out, size_t room)
{
	struct part part;

	for (uint64_t i = 0; read_program(file, i, &part); i++) {
		if (part.type != PT_INTERP)
			continue;
		if (part.bytes >= room ||
			!read_at(file, part.offset, out, part.bytes))
			return false;
		out[part.bytes] = '\0';
		return true;
	}
	return false;
}

/* ---- symbols ---- */

/* The name at an offset; NULL if it is outside or too long. */
static const char *find_name(const struct cursor *names, uint64_t offset)
{
	size_t left;

	if (offset >= names->left)
		return NULL;
	left = names->left - offset;
	return memchr(names->at + offset, '\0',
		       left < NAME_MAX_BYTES ? left : NAME_MAX_BYTES) == NULL
		       ? NULL
		       : (const char *)names->at + offset;
}

/* Adds the symbols in `bytes`; their names are in `names`, which ends with a
 * zero byte. False if out of memory. */
static bool add_symbols(const struct elf_file *file, struct elf_table *table,
	struct cursor bytes, struct cursor names)
{
	size_t each = file->is_wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	while (bytes.left >= each) {
		const char *name = find_name(&names, take(file, &bytes, 4));
		uint64_t address = 0;
		uint64_t section;
		uint8_t info = 0;

		if (!file->is_wide) {
			address = take(file, &bytes, 4);
			(void)take(file, &bytes, 4); /* size */
		}
		(void)cursor_u8(&bytes, &info);
		(void)cursor_bytes(&bytes, 1); /* visibility */
		section = take(file, &bytes, 2);
		if (file->is_wide) {
			address = take(file, &bytes, 8);
			(void)take(file, &bytes, 8); /* size */
		}
		if (name != NULL && !elf_table_add(table, name, address, info,
					    section == SHN_UNDEF))
			return false;
	}
	return true;
}

/* Reads a section and one zero byte after it. NULL if it is not in the file, or
 * out of memory, which sets `*failed`. */
static void *read_contents(
	const struct elf_file *file, const struct part *section, bool *failed)
{
	char *bytes;

	if (!is_inside(file, section->offset, section->bytes))
		return NULL;
	bytes = memory_new(section->bytes + 1);
	if (bytes == NULL) {
		*failed = true;
		return NULL;
	}
	bytes[section->bytes] = '\0';
	if (!read_at(file, section->offset, bytes, section->bytes)) {
		memory_free(bytes);
		return NULL;
	}
	return bytes;
}

/* Adds the symbols of a section. False if out of memory. */
static bool add_section(struct elf_file *file, enum table kind,
	const struct part *section, struct elf_table *table)
{
	bool failed = false;
	struct part text = {0};
	struct cursor symbols;
	struct cursor names;
	void *bytes = NULL;

	if (read_section(file, section->link, &text) && text.type == SHT_STRTAB)
		file->names[kind] = read_contents(file, &text, &failed);
	if (file->names[kind] != NULL)
		bytes = read_contents(file, section, &failed);
	if (bytes != NULL) {
		cursor_init(&symbols, bytes, section->bytes);
		cursor_init(&names, file->names[kind], text.bytes + 1);
		failed = !add_symbols(file, table, symbols, names);
	}
	memory_free(bytes);
	return !failed;
}

enum ctp_status elf_file_add_symbols(
	struct elf_file *file, struct elf_table *table, struct ctp_error *err)
{
	bool failed = false;
	struct part section;

	for (uint64_t i = 0; i < file->section_count && !failed &&
			     read_section(file, i, &section);
		i++) {
		if (section.type == SHT_SYMTAB &&
			file->names[TABLE_ALL] == NULL)
			failed = !add_section(file, TABLE_ALL, &section, table);
		else if (section.type == SHT_DYNSYM &&
			 file->names[TABLE_DYNAMIC] == NULL)
			failed = !add_section(
				file, TABLE_DYNAMIC, &section, table);
	}
	elf_table_sort(table);
	return failed ? ctp_no_memory(err) : CTP_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * The process's own interpreter calls sys.remote_exec(), since both must have
 * the same version, and it knows where its own state is. Its file may belong to
 * the user of the process, so root gives up its rights before running it.
 * Source: PEP 768; https://docs.python.org/3.14/library/sys.html#sys.remote_exec
 */
#include "record/attach_target.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/environment.h"
#include "cli/command.h"
#include "cli/diag.h"

#define PROC_BYTES 64
#define ANSWER_BYTES 1024
/* Environments and lists of mapped files are read up to this. */
#define FILE_MAX ((size_t)4 << 20)
/* An interpreter starts in less than a tenth of a second. */
#define INTERPRETER_MS 30000
#define PTRACE_SCOPE "/proc/sys/kernel/yama/ptrace_scope"

/* Valid in all versions of Python. */
static const char injector[] =
	"import sys\n"
	"try:\n"
	"    sys.remote_exec(int(sys.argv[1]), sys.argv[2])\n"
	"    said = 'done'\n"
	"except AttributeError:\n"
	"    said = 'old %d.%d.%d' % sys.version_info[:3]\n"
	"except BaseException as error:\n"
	"    said = type(error).__name__ + ': ' + str(error)\n"
	"sys.stdout.write(said)\n";

static char *proc_path(char path[PROC_BYTES], uint32_t pid, const char *name)
{
	(void)snprintf(path, PROC_BYTES, "/proc/%u/%s", pid, name);
	return path;
}

bool attach_target_has_ended(const struct attach_target *target)
{
	struct pollfd end = {target->pidfd, POLLIN, 0};

	return poll(&end, 1, 0) == 1;
}

static int open_process(struct attach_target *target)
{
	/* glibc has had pidfd_open() only since 2.36. */
	target->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)target->pid, 0);
	if (target->pidfd >= 0 && attach_target_has_ended(target)) {
		diag("process %u has ended", target->pid);
		return EXIT_INPUT;
	}
	if (target->pidfd >= 0)
		return EXIT_DONE;
	if (errno == ESRCH || kill((pid_t)target->pid, 0) != 0)
		diag("process %u: no such process", target->pid);
	else if (errno == EINVAL || errno == ENOENT)
		diag("process %u: is a thread; --pid takes the number of its "
		     "process",
			target->pid);
	else
		diag("process %u: cannot be watched: %s", target->pid,
			strerror(errno));
	return EXIT_INPUT;
}

static int check_user(struct attach_target *target)
{
	char path[PROC_BYTES];
	struct stat found;

	if (stat(proc_path(path, target->pid, ""), &found) != 0) {
		diag("process %u: %s: %s", target->pid, path, strerror(errno));
		return EXIT_INPUT;
	}
	target->uid = found.st_uid;
	target->gid = found.st_gid;
	if (geteuid() == 0 || geteuid() == found.st_uid)
		return EXIT_DONE;
	diag("process %u: belongs to another user (%u); run ctprof as that "
	     "user, or as root",
		target->pid, (unsigned)found.st_uid);
	return EXIT_INPUT;
}

static bool is_same_file(const char *one, const char *other)
{
	struct stat first;
	struct stat second;

	return stat(one, &first) == 0 && stat(other, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* Paths must name the same files for both processes. */
static int check_namespace(const struct attach_target *target)
{
	char root[PROC_BYTES];
	char mounts[PROC_BYTES];

	errno = 0;
	if (is_same_file(proc_path(mounts, target->pid, "ns/mnt"),
		    "/proc/self/ns/mnt") &&
		is_same_file(proc_path(root, target->pid, "root"), "/"))
		return EXIT_DONE;
	if (errno == EACCES || errno == EPERM)
		diag("process %u: cannot be examined: %s", target->pid,
			strerror(errno));
	else
		diag("process %u: has other files mounted, as in a container; "
		     "run ctprof there",
			target->pid);
	return EXIT_INPUT;
}

/* Reads a file of /proc; false if it cannot. */
static bool read_proc(struct buffer *content,
	const struct attach_target *target, const char *name)
{
	char path[PROC_BYTES];
	int fd = open(proc_path(path, target->pid, name), O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && content->used < FILE_MAX &&
		buffer_reserve(content, 65536)) {
		got = read(fd, content->bytes + content->used, 65536);
		if (got > 0)
			content->used += (size_t)got;
	}
	if (fd >= 0)
		(void)close(fd);
	buffer_add_byte(content, '\0');
	return got >= 0 && !content->failed;
}

/* A program may hold Python as a library; its file is not an interpreter. */
static int diag_not_python(const struct attach_target *target)
{
	struct buffer maps = BUFFER_INIT;
	bool is_embedded = read_proc(&maps, target, "maps") &&
			   strstr((char *)maps.bytes, "/libpython3.") != NULL;

	buffer_clear(&maps);
	if (is_embedded)
		diag("process %u: %s embeds Python; --pid needs a process of "
		     "the interpreter itself",
			target->pid, target->path);
	else
		diag("process %u: %s is not Python", target->pid, target->path);
	return EXIT_INPUT;
}

static int open_interpreter(struct attach_target *target)
{
	char path[PROC_BYTES];
	ssize_t size = readlink(proc_path(path, target->pid, "exe"),
		target->path, sizeof(target->path) - 1);
	struct stat found;

	target->path[size < 0 ? 0 : size] = '\0';
	if (size < 0) {
		diag("process %u: its program is unknown: %s", target->pid,
			strerror(errno));
		return EXIT_INPUT;
	}
	if (strncmp(basename(target->path), "python", 6) != 0)
		return diag_not_python(target);
	target->exe = open(path, O_RDONLY | O_CLOEXEC);
	if (target->exe < 0 || fstat(target->exe, &found) != 0) {
		diag("process %u: %s: %s", target->pid, target->path,
			strerror(errno));
		return EXIT_INPUT;
	}
	if (found.st_nlink == 0) {
		diag("process %u: its interpreter was replaced on disk, %s; "
		     "restart the process",
			target->pid, target->path);
		return EXIT_INPUT;
	}
	return EXIT_DONE;
}

/* A copy of NAME=VALUE in the process's environment; NULL if it is not
 * there. */
static char *copy_variable(const struct buffer *environment, const char *name)
{
	const char *at = (const char *)environment->bytes;
	const char *end = at + environment->used;

	for (; at < end; at += strlen(at) + 1)
		if (strncmp(at, name, strlen(name)) == 0)
			return strdup(at);
	return NULL;
}

static void read_environment(struct attach_target *target)
{
	struct buffer environment = BUFFER_INIT;

	if (read_proc(&environment, target, "environ")) {
		target->library_path =
			copy_variable(&environment, "LD_LIBRARY_PATH=");
		target->home = copy_variable(&environment, "PYTHONHOME=");
	}
	buffer_clear(&environment);
}

int attach_target_open(struct attach_target *target, uint32_t pid)
{
	int status;

	*target = (struct attach_target){.pid = pid, .pidfd = -1, .exe = -1};
	if (environment_is_refused()) {
		diag("--pid: refused with more rights than the caller has");
		return EXIT_INPUT;
	}
	status = open_process(target);
	if (status == EXIT_DONE)
		status = check_user(target);
	if (status == EXIT_DONE)
		status = check_namespace(target);
	if (status == EXIT_DONE)
		status = open_interpreter(target);
	if (status == EXIT_DONE)
		read_environment(target);
	return status;
}

void attach_target_close(struct attach_target *target)
{
	if (target->pidfd >= 0)
		(void)close(target->pidfd);
	if (target->exe >= 0)
		(void)close(target->exe);
	free(target->library_path);
	free(target->home);
}

/* In the child. */
static bool take_user(const struct attach_target *target)
{
	if (geteuid() == target->uid)
		return true;
	return setgroups(0, NULL) == 0 &&
	       setresgid(target->gid, target->gid, target->gid) == 0 &&
	       setresuid(target->uid, target->uid, target->uid) == 0;
}

/* In the child: runs the interpreter with an environment that is the process's
 * where it matters. */
static _Noreturn void run_interpreter(
	const struct attach_target *target, const char *script, int out)
{
	char pid[16];
	const char *argv[] = {
		target->path, "-S", "-s", "-c", injector, pid, script, NULL};
	const char *variables[] = {"LC_ALL=C", NULL, NULL, NULL};
	size_t count = 1;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)snprintf(pid, sizeof(pid), "%u", target->pid);
	if (target->library_path != NULL)
		variables[count++] = target->library_path;
	if (target->home != NULL)
		variables[count++] = target->home;
	if (take_user(target) && chdir("/") == 0 &&
		dup2(null, STDIN_FILENO) >= 0 &&
		dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		(void)fexecve(target->exe, (char *const *)(uintptr_t)argv,
			(char *const *)(uintptr_t)variables);
	(void)!write(out, strerror(errno), strlen(strerror(errno)));
	_exit(127);
}

/* Reads what the interpreter prints until it ends, or for too long. */
static void read_answer(int from, char answer[ANSWER_BYTES])
{
	struct pollfd source = {from, POLLIN, 0};
	size_t used = 0;
	ssize_t got = 1;

	while (used < ANSWER_BYTES - 1 && got > 0 &&
		poll(&source, 1, INTERPRETER_MS) == 1) {
		got = read(from, answer + used, ANSWER_BYTES - 1 - used);
		if (got > 0)
			used += (size_t)got;
	}
	answer[used] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
}

static int ask_interpreter(const struct attach_target *target,
	const char *script, char answer[ANSWER_BYTES])
{
	int ends[2];
	pid_t child;

	answer[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) != 0) {
		diag("cannot create a pipe: %s", strerror(errno));
		return EXIT_LIMIT;
	}
	child = fork();
	if (child == 0)
		run_interpreter(target, script, ends[1]);
	(void)close(ends[1]);
	if (child < 0)
		diag("cannot create a process: %s", strerror(errno));
	else
		read_answer(ends[0], answer);
	(void)close(ends[0]);
	if (child < 0)
		return EXIT_LIMIT;
	(void)kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return EXIT_DONE;
}

/* The restriction of the Yama security module; 0: none. */
static int ptrace_scope(void)
{
	char text[2] = "0";
	int fd = open(PTRACE_SCOPE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (read(fd, text, 1) != 1)
		text[0] = '0';
	(void)close(fd);
	return text[0] - '0';
}

static void diag_not_permitted(const struct attach_target *target)
{
	int scope = ptrace_scope();

	if (scope == 0)
		diag("process %u: not permitted: it, or this process, may not "
		     "be traced (prctl, seccomp, a container without "
		     "CAP_SYS_PTRACE)",
			target->pid);
	else if (scope == 3)
		diag("process %u: not permitted: kernel.yama.ptrace_scope is 3 "
		     "until the next boot",
			target->pid);
	else
		diag("process %u: not permitted: kernel.yama.ptrace_scope is "
		     "%d; %s'sysctl kernel.yama.ptrace_scope=0'",
			target->pid, scope,
			geteuid() == 0 ? "use " : "run ctprof as root, or ");
}

/* Why the process does not execute the script; `why` is Python's answer. */
static int diag_failure(const struct attach_target *target, const char *why)
{
	if (attach_target_has_ended(target))
		diag("process %u has ended", target->pid);
	else if (strncmp(why, "old ", 4) == 0)
		diag("process %u: runs Python %s, and --pid needs 3.14; start "
		     "it by 'ctprof record --python --last=N', and SIGUSR2 "
		     "writes a log at any time",
			target->pid, why + 4);
	else if (strncmp(why, "PermissionError", 15) == 0)
		diag_not_permitted(target);
	else if (strstr(why, "not enabled") != NULL)
		diag("process %u: remote debugging is off: start the program "
		     "without PYTHON_DISABLE_REMOTE_DEBUG and "
		     "-X disable-remote-debug",
			target->pid);
	else
		diag("process %u: %s cannot reach it: %s", target->pid,
			target->path, why[0] == '\0' ? "no answer" : why);
	return EXIT_INPUT;
}

int attach_target_execute(
	const struct attach_target *target, const char *script)
{
	char answer[ANSWER_BYTES];
	int status = ask_interpreter(target, script, answer);

	if (status != EXIT_DONE || strcmp(answer, "done") == 0)
		return status;
	return diag_failure(target, answer);
}

/* A machine that fails below Python: libraries that write by themselves (SQLite, polars) meet it too.
 *
 * Preloaded (LD_PRELOAD), and armed by the process itself. Disk: from the nth call that changes a
 * file below a folder, every such call fails. The first write that is hit leaves half of its bytes,
 * as on a disk that has just become full. Clock: the time of day jumps at every look at it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long first, count;
static int error;

/* From the nth call on (0 only counts), calls below `place` fail with `code`. */
void disk_arm(const char *place, long nth, int code) {
    count = 0, first = nth, error = code;
    snprintf(folder, sizeof folder, "%s", place);
}

/* How many calls there were; nothing fails any more. */
long disk_disarm(void) {
    folder[0] = 0;
    return count;
}

/* 0: go on; 1: the first that fails; 2: a later one. */
static int fate(const char *path) {
    if (!folder[0] || strncmp(path, folder, strlen(folder))) return 0;
    long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (!first || number < first) return 0;
    errno = error;
    return number == first ? 1 : 2;
}

static int fate_of(int handle) {
    char link[64], path[PATH_MAX];
    if (!folder[0]) return 0;
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t size = readlink(link, path, sizeof path - 1);
    errno = kept;
    if (size < 0) return 0;
    path[size] = 0;
    return fate(path);
}

static int fate_at(int parent, const char *name) {
    char link[64], path[2 * PATH_MAX] = "";
    if (!folder[0]) return 0;
    if (name[0] != '/') {
        snprintf(link, sizeof link, parent == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", parent);
        ssize_t size = readlink(link, path, PATH_MAX - 1);
        if (size < 0) return 0;
        path[size] = '/', path[size + 1] = 0;
    }
    strncat(path, name, PATH_MAX);
    return fate(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Every look at the clock is this many seconds before or after the last one; 0 ends that. */
static long step, looks;

void clock_jump(long seconds) { step = seconds; }

static long jump(void) { return step * (__atomic_add_fetch(&looks, 1, __ATOMIC_SEQ_CST) % 2 ? 1 : -1); }

int clock_gettime(clockid_t clock, struct timespec *now) {
    int ended = REAL(clock_gettime)(clock, now);
    if (step && clock == CLOCK_REALTIME) now->tv_sec += jump();
    return ended;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int ended = REAL(gettimeofday)(now, zone);
    if (step) now->tv_sec += jump();
    return ended;
}

time_t time(time_t *place) {
    time_t now = REAL(time)(NULL) + (step ? jump() : 0);
    if (place) *place = now;
    return now;
}

#define HALF(handle, size, all, half)                             \
    do {                                                          \
        int met = fate_of(handle);                                \
        return !met ? (all) : met == 1 && (size) > 1 ? (half) : -1; \
    } while (0)

ssize_t write(int handle, const void *from, size_t size) {
    HALF(handle, size, REAL(write)(handle, from, size), REAL(write)(handle, from, size / 2));
}

ssize_t pwrite(int handle, const void *from, size_t size, off_t at) {
    HALF(handle, size, REAL(pwrite)(handle, from, size, at), REAL(pwrite)(handle, from, size / 2, at));
}

ssize_t pwrite64(int handle, const void *from, size_t size, off64_t at) {
    HALF(handle, size, REAL(pwrite64)(handle, from, size, at), REAL(pwrite64)(handle, from, size / 2, at));
}

ssize_t writev(int handle, const struct iovec *parts, int number) {
    return fate_of(handle) ? -1 : REAL(writev)(handle, parts, number);
}

int fsync(int handle) { return fate_of(handle) ? -1 : REAL(fsync)(handle); }

int fdatasync(int handle) { return fate_of(handle) ? -1 : REAL(fdatasync)(handle); }

int ftruncate(int handle, off_t size) { return fate_of(handle) ? -1 : REAL(ftruncate)(handle, size); }

int ftruncate64(int handle, off64_t size) {
    return fate_of(handle) ? -1 : REAL(ftruncate64)(handle, size);
}

int rename(const char *from, const char *to) {
    return fate_at(AT_FDCWD, to) ? -1 : REAL(rename)(from, to);
}

int renameat(int here, const char *from, int there, const char *to) {
    return fate_at(there, to) ? -1 : REAL(renameat)(here, from, there, to);
}

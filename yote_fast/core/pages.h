/* Pages of memory, as the system knows them.
 *
 * Pages: zeroed memory for large tables that are read at random. Where the system has huge pages it asks for them: most look-ups in
 * small ones miss the processor's table of pages as well as its cache, and a prefetch then waits as long as a read.
 *
 * pages_forget: lets the pages of a mapped file go from this process. They stay in the file, and come back when they are used. */
#ifndef YOTE_FAST_PAGES_H
#define YOTE_FAST_PAGES_H

#include <stdint.h>
#include <stdlib.h>

/* Of a huge page. */
#define PAGES_ALIGNMENT ((size_t)2 << 20)

typedef struct {
    void *block; /* NULL: no memory */
    void *memory;
    size_t size;
} Pages;

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>

static inline void pages_forget(void *start, size_t bytes) { madvise(start, bytes, MADV_DONTNEED); }
#else
/* The system takes the pages that it needs elsewhere. */
static inline void pages_forget(void *start, size_t bytes) {
    (void)start;
    (void)bytes;
}
#endif

#if defined(__linux__)

static inline Pages pages_allocate(size_t bytes) {
    Pages pages = {NULL, NULL, bytes + PAGES_ALIGNMENT};
    pages.memory = mmap(NULL, pages.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages.memory == MAP_FAILED) return pages;
    pages.block = (void *)(((uintptr_t)pages.memory + PAGES_ALIGNMENT - 1) & ~(uintptr_t)(PAGES_ALIGNMENT - 1));
#if defined(MADV_HUGEPAGE)
    madvise(pages.block, bytes, MADV_HUGEPAGE);
#endif
    return pages;
}

static inline void pages_release(Pages pages) {
    if (pages.block) munmap(pages.memory, pages.size);
}

#else

static inline Pages pages_allocate(size_t bytes) {
    Pages pages = {NULL, NULL, bytes + 64};
    pages.memory = calloc(pages.size, 1);
    if (pages.memory) pages.block = (void *)(((uintptr_t)pages.memory + 63) & ~(uintptr_t)63);
    return pages;
}

static inline void pages_release(Pages pages) { free(pages.memory); }

#endif
#endif

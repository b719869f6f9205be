/* Large memory that is read at random: zeroed, aligned to cache lines, and in huge pages where the system has them, because most
 * look-ups in small pages would miss the processor's table of pages as well as its cache. */
#ifndef YOTE_FAST_PAGES_H
#define YOTE_FAST_PAGES_H

#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>

static inline void *pages_allocate(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
#if defined(MADV_HUGEPAGE)
    madvise(pages, bytes, MADV_HUGEPAGE);
#endif
    return pages;
}
static inline void pages_release(void *pages, size_t bytes) {
    if (pages) munmap(pages, bytes);
}

#else

/* The pointer that calloc gave lies just before the aligned block. */
static inline void *pages_allocate(size_t bytes) {
    char *memory = (char *)calloc(bytes + 64 + sizeof(void *), 1), *pages;
    if (!memory) return NULL;
    pages = (char *)(((size_t)memory + sizeof(void *) + 63) & ~(size_t)63);
    ((void **)pages)[-1] = memory;
    return pages;
}
static inline void pages_release(void *pages, size_t bytes) {
    (void)bytes;
    if (pages) free(((void **)pages)[-1]);
}

#endif

#if defined(__GNUC__) || defined(__clang__)
#define prefetch(address) __builtin_prefetch(address)
#else
#define prefetch(address) ((void)(address))
#endif

#endif

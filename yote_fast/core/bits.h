/* Population count, lowest set bit and the like, for every compiler. */
#ifndef YOTE_FAST_BITS_H
#define YOTE_FAST_BITS_H

#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)

#define prefetch(address) __builtin_prefetch(address)
static inline int popcount(uint64_t x) { return __builtin_popcountll(x); }
/* x must not be zero. */
static inline int lowest(uint64_t x) { return __builtin_ctzll(x); }

#else

#define prefetch(address) ((void)(address))
static inline int popcount(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)((x * 0x0101010101010101u) >> 56);
}
static inline int lowest(uint64_t x) { return popcount((x & (0 - x)) - 1); }

#endif

/* Add to a 64-bit counter; returns 1, leaving it alone, where the sum does not fit. */
static inline int add_overflows(uint64_t *total, uint64_t n) {
    if (n > UINT64_MAX - *total) return 1;
    *total += n;
    return 0;
}

#endif

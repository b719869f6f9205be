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

#ifdef __BMI2__

#include <immintrin.h>
/* The bits of x at the places of a mask, moved together. */
static inline uint64_t compress(uint64_t x, uint64_t mask) { return _pext_u64(x, mask); }
/* The set bit with n others below it; there must be one. */
static inline int nth(uint64_t x, int n) { return lowest(_pdep_u64((uint64_t)1 << n, x)); }

#else

static inline uint64_t compress(uint64_t x, uint64_t mask) {
    uint64_t result = 0, place = 1;
    /* Without a bit of x left, the rest is zero. */
    for (x &= mask; x; mask &= mask - 1, place <<= 1) {
        uint64_t bit = mask & (0 - mask);
        if (x & bit) {
            result |= place;
            x ^= bit;
        }
    }
    return result;
}
static inline int nth(uint64_t x, int n) {
    while (n--) x &= x - 1;
    return lowest(x);
}

#endif

/* Add to a 64-bit counter; returns 1, leaving it alone, where the sum does not fit. */
static inline int add_overflows(uint64_t *total, uint64_t n) {
    if (n > UINT64_MAX - *total) return 1;
    *total += n;
    return 0;
}

#endif

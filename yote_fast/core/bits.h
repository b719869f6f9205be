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

#if defined(__BMI2__)

#include <immintrin.h>
/* The bits of x at the places of mask, moved together to the low end; and such low bits spread out to the places of mask. */
static inline uint64_t extract_bits(uint64_t x, uint64_t mask) { return _pext_u64(x, mask); }
static inline uint64_t deposit_bits(uint64_t x, uint64_t mask) { return _pdep_u64(x, mask); }

#else

static inline uint64_t extract_bits(uint64_t x, uint64_t mask) {
    uint64_t result = 0;
    for (x &= mask; x; x &= x - 1) result |= (uint64_t)1 << popcount(mask & ((x & (0 - x)) - 1));
    return result;
}
static inline uint64_t deposit_bits(uint64_t x, uint64_t mask) {
    uint64_t result = 0;
    for (; x && mask; x >>= 1, mask &= mask - 1) result |= (0 - (x & 1)) & mask & (0 - mask);
    return result;
}

#endif

/* The set bit with n others below it; there must be one. */
static inline int nth(uint64_t x, int n) { return lowest(deposit_bits((uint64_t)1 << n, x)); }

/* Add to a counter that threads share; returns what it was. */
#if defined(__GNUC__) || defined(__clang__)
static inline uint64_t fetch_add(volatile uint64_t *counter, uint64_t n) {
    return __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}
#else
#include <intrin.h>
static inline uint64_t fetch_add(volatile uint64_t *counter, uint64_t n) {
    return (uint64_t)_InterlockedExchangeAdd64((volatile __int64 *)counter, (__int64)n);
}
#endif

/* Add to a 64-bit counter; returns 1, leaving it alone, where the sum does not fit. */
static inline int add_overflows(uint64_t *total, uint64_t n) {
    if (n > UINT64_MAX - *total) return 1;
    *total += n;
    return 0;
}

#endif

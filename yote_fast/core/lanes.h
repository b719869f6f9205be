/* Sixteen numbers of 16 bits, worked on at once where the compiler can. */
#ifndef YOTE_FAST_LANES_H
#define YOTE_FAST_LANES_H

#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)

/* Aligned like a single number, so that any row of a table can be read. */
typedef int16_t Lanes __attribute__((vector_size(32), aligned(2), may_alias));

static inline void lanes_add(Lanes *sum, const int16_t *row) { *sum += *(const Lanes *)row; }

/* Add a weight to the numbers whose bit is set. */
static inline void lanes_add_where(Lanes *sum, uint16_t bits, int16_t weight) {
    const Lanes one = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, -32768};
    Lanes all = (Lanes){0} + (int16_t)bits;
    *sum += (Lanes)((all & one) == one) & weight;
}

#else

typedef struct { int16_t lane[16]; } Lanes;

static inline void lanes_add(Lanes *sum, const int16_t *row) {
    for (int i = 0; i < 16; i++) sum->lane[i] += row[i];
}
static inline void lanes_add_where(Lanes *sum, uint16_t bits, int16_t weight) {
    for (int i = 0; i < 16; i++) sum->lane[i] += (bits >> i & 1) * weight;
}

#endif

/* Put what lies outside of 0 to top there. */
static inline void lanes_clip(Lanes *sum, int16_t top) {
    int16_t *lane = (int16_t *)sum;
    for (int i = 0; i < 16; i++) {
        int16_t x = lane[i];
        lane[i] = x < 0 ? 0 : x > top ? top : x;
    }
}

/* The sum of the products with a row. */
static inline int32_t lanes_dot(const Lanes *sum, const int16_t *row) {
    const int16_t *lane = (const int16_t *)sum;
    int32_t product = 0;
    for (int i = 0; i < 16; i++) product += lane[i] * row[i];
    return product;
}

#endif

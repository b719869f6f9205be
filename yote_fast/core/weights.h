/* The weights of the evaluation, in hundredths of a piece, by phase and feature; evaluate.pxd says what they are. */
#ifndef YOTE_FAST_WEIGHTS_H
#define YOTE_FAST_WEIGHTS_H

static const int WEIGHTS[3][16] = {
    {33, 55, -3, 35, 36, -46, -29, 14, 4, -18, -14, 3, 11, -5, 0, 4},
    {21, 52, 4, 31, 34, -37, -26, 26, 17, -8, -5, -1, 2, 0, 10, -6},
    {31, 7, 1, 34, 34, -25, -23, 17, 4, 2, -1, -2, 5, 0, 8, -3},
};

#endif

/* The weights of the evaluation, in hundredths of a piece, by phase and feature; evaluate.pxd says what they are. */
#ifndef YOTE_FAST_WEIGHTS_H
#define YOTE_FAST_WEIGHTS_H

static const int WEIGHTS[3][16] = {
    {26, 33, 0, 35, 35, -32, -25, 10, 4, -2, -5, 3, 3, -4, 0, 3},
    {26, 30, -15, 34, 34, -21, -23, 10, 2, 5, -2, -11, 8, 0, 10, -13},
    {26, 7, -3, 34, 34, -25, -23, 15, 0, 2, 1, -2, 3, 0, 10, -3},
};

#endif

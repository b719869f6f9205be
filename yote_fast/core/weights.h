/* The weights of the evaluation, in hundredths of a piece, by phase and feature; evaluate.pxd says what they are. */
#ifndef YOTE_FAST_WEIGHTS_H
#define YOTE_FAST_WEIGHTS_H

static const int WEIGHTS[3][15] = {
    {100, 8, 4, 45, 45, -30, -30, 0, 0, 0, 0, 0, 0, 0, 8},
    {100, 8, 4, 45, 45, -30, -30, 0, 0, 0, 0, 0, 0, 0, 8},
    {100, 8, 4, 45, 45, -30, -30, 0, 0, 0, 0, 0, 0, 0, 8},
};

#endif

// The value of an iteration in `warp-value`, and what a lane does with it.
#pragma once

constexpr int WORK = OPTION_WORK;

// Each step depends on the one before; none is linear, so that the compiler cannot derive a value from the previous one.
__device__ inline unsigned value_of(unsigned number) {
#pragma unroll
    for (int step = 0; step < WORK; ++step) number = (number ^ number >> 15) * 0x2C1B3C6Du;
    return number;
}

// An odd factor loses no difference: a lane that had one different value never agrees with the others again.
__device__ inline unsigned advance(unsigned x, unsigned value) { return 5 * x + value; }

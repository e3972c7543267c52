// The next value of a thread in `column-sum`, from its value and the sum of its column.
#pragma once
#include "modulo.cuh"
#include "shflbench.cuh"

// Every thread adds the sum to its value, so that the sum of a column grows by a factor of BLOCK / COLUMNS + 1: it is
// odd, and no difference is lost.
template <typename T>
__device__ T advance(T x, T sum) {
    return modulo(add(x, sum));
}

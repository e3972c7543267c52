// The mean of five adjacent elements, for `moving-average` and `moving-average-blocked`.
#pragma once
#include "shflbench.cuh"

// All variants add in this order, so that their results agree bit for bit.
template <typename T>
__device__ T mean(T a, T b, T c, T d, T e) { return (a + b + c + d + e) * T(0.2); }

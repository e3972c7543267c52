#pragma once

template <typename T> static __global__ void darken(T *sum);

template <> __global__ void darken<float>(float *sum) { sum[0] = 0; }

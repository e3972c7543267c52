#pragma once

template <int SIDE>
__global__ void transpose_tile(int n, float *out, const float *in);
float measure(int number, int n, float *out, float *in);

// macros.h, which is missing, marks `bad` as a kernel; it has a race.
#include "macros.h"
__global__ void good(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
KERNEL void bad(int *out) { __shared__ int s[128]; s[threadIdx.x] = 1; out[threadIdx.x] = s[127 - threadIdx.x]; }
int main() { int *p; cudaMalloc(&p, 128*4); good<<<1,128>>>(p); bad<<<1,128>>>(p); }

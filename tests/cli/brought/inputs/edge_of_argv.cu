// Nothing checks that argv[1] is a multiple of 64, and the last block of the grid, which is rounded up, has no guard.
#include <cstdlib>
__global__ void twice(float *x) {
    int i = blockIdx.x * 64 + threadIdx.x;
    x[i] *= 2;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    twice<<<(n + 63) / 64, 64>>>(x);
}

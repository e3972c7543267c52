// The program refuses sizes that are no multiple of 64.
#include <cstdlib>
__global__ void twice(float *x) {
    int i = blockIdx.x * 64 + threadIdx.x;
    x[i] *= 2;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n % 64 != 0) return 1;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    twice<<<(n + 63) / 64, 64>>>(x);
}

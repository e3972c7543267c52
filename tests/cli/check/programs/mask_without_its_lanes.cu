// broken: 1 finding: lane outside its own mask (first in launch 2x64)
#include <cstdio>
__global__ void show(const int *in, int *out) {
    int v = __shfl_sync(0x00ff00ff, in[threadIdx.x], 3);
    __syncwarp();
    if (v < 0) printf("%d\n", v);
    out[threadIdx.x + 64 * blockIdx.x] = v;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 128 * sizeof(int));
    show<<<2, 64>>>(in, out);
}

// The kernel is right in the only grid that its assertion allows, which a caller of the function has to pass.
#include <cassert>
__global__ void filled(int *out, int n) {
    assert(gridDim.x == 7);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1;
}
void fill(int *out, int n, int blocks) { filled<<<blocks, 128>>>(out, n); }

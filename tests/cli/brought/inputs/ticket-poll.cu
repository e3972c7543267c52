// Blocks take tickets and wait for the block before by a plain load, which the compiler moves out of the loop.
#include <cstdlib>
#include <vector>

__global__ void chain(const int *in, int *out, int n, unsigned *ticket, int *prefix, int *ready) {
    __shared__ int values[64];
    __shared__ unsigned tile;
    __shared__ int base;
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned mine = tile;
    unsigned i = mine * 64 + threadIdx.x;
    values[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < 64; ++k) sum += values[k];
        if (mine > 0) {
            while (ready[mine - 1] == 0) {}
            __threadfence();
            sum += prefix[mine - 1];
        }
        prefix[mine] = sum;
        __threadfence();
        atomicExch(&ready[mine], 1);
        base = sum;
    }
    __syncthreads();
    if (i < n) out[i] = base - values[threadIdx.x];
}

int main() {
    const int n = 1024, tiles = n / 64;
    std::vector<int> numbers(n);
    for (int i = 0; i < n; ++i) numbers[i] = rand() % 17 - 5;
    int *in, *out, *prefix, *ready;
    unsigned *ticket;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&prefix, tiles * sizeof(int));
    cudaMalloc(&ready, tiles * sizeof(int));
    cudaMalloc(&ticket, sizeof(unsigned));
    cudaMemcpy(in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(ready, 0, tiles * sizeof(int));
    cudaMemset(ticket, 0, sizeof(unsigned));
    chain<<<tiles, 64>>>(in, out, n, ticket, prefix, ready);
    cudaDeviceSynchronize();
    return 0;
}

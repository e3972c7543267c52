// Bitonic sort of up to 1024 ints in one block, one element per thread.
#include <cstdio>
#include <cstdlib>
#include <climits>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

__global__ void bitonic(int* data, int n)
{
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;

    s[t] = t < n ? data[t] : INT_MAX;
    __syncthreads();

    for (unsigned k = 2; k <= blockDim.x; k <<= 1) {
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            const unsigned p = t ^ j;
            if (p > t) {
                const int a = s[t], b = s[p];
                const bool up = (t & k) == 0;
                if ((a > b) == up && a != b) {
                    s[t] = b;
                    s[p] = a;
                }
            }
            __syncthreads();
        }
    }

    __syncthreads();     // sorted
    if (t < n) data[t] = s[t];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32;
    unsigned seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 42;
    if (n < 1 || n > 1024) {
        fprintf(stderr, "can only sort 1..1024 elements\n");
        return 2;
    }
    int threads = 32;
    while (threads < n) threads *= 2;

    std::vector<int> h(n);
    for (int& v : h) {
        seed = seed * 22695477u + 1u;
        v = (int)(seed >> 12) % 5000 - 2500;
    }
    std::vector<int> ref = h;
    std::sort(ref.begin(), ref.end());

    int* d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    bitonic<<<1, threads, threads * sizeof(int)>>>(d, n);
    cudaError_t err = cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    if (err != cudaSuccess || h != ref) {
        printf("FAIL\n");
        return 1;
    }
    long long sum = 0;
    for (int i = 0; i < n; ++i) sum += (long long)h[i] * (i + 1);
    printf("PASS %lld\n", sum);
    return 0;
}

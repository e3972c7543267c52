// Bitonic sort of short segments, several segments per block.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void sortSegments(int* data, int n, int seg)
{
    __shared__ int key[128];
    const int t = threadIdx.x;
    const int g = blockIdx.x * 128 + t;
    key[t] = g < n ? data[g] : 0x7fffffff;
    const int p = t & (seg - 1);
    for (int k = 2; k <= seg; k <<= 1)
        for (int j = k >> 1; j; j >>= 1) {
            __syncthreads();
            int mine = key[t];
            int other = key[t ^ j];
            __syncthreads();
            bool up = (p & k) == 0 || k == seg;
            bool low = (p & j) == 0;
            key[t] = (up == low) ? min(mine, other) : max(mine, other);
        }
    __syncthreads();
    if (g < n) data[g] = key[t];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    unsigned seed = argc > 2 ? atoi(argv[2]) : 7;
    if (n < 1 || n > (1 << 26)) { fprintf(stderr, "size?\n"); return 2; }
    int seg = n <= 2048 ? 32 : 64;
    std::vector<int> v(n), g(n);
    for (int i = 0; i < n; ++i) { seed = seed * 1103515245u + 12345u; v[i] = (seed >> 8) & 0xfffff; }
    int* d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sortSegments<<<(n + 127) / 128, 128>>>(d, n, seg);
    if (cudaMemcpy(g.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) { printf("FAIL cuda\n"); return 1; }
    unsigned c = 0;
    for (int i = 0; i < n; i += seg) std::sort(v.begin() + i, v.begin() + std::min(n, i + seg));
    for (int i = 0; i < n; ++i) {
        if (v[i] != g[i]) { printf("FAIL %d\n", i); return 1; }
        c = c * 16777619u ^ g[i];
    }
    printf("PASS %u\n", c);
    return 0;
}

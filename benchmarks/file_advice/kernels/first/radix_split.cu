// Sort tiles of 128 byte keys in shared memory by splitting on one bit after the other.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 128
#define BITS 8

#define CUDA_DO(what) \
    do { cudaError_t r_ = what; if (r_ != cudaSuccess) { fprintf(stderr, #what ": %s\n", cudaGetErrorString(r_)); exit(1); } } while (0)

__global__ void sortTiles(int *keys, int n)
{
    __shared__ int cnt[TILE];
    __shared__ int tile[TILE];
    const int t = threadIdx.x;
    const int i = blockIdx.x * TILE + t;
    int key = i < n ? keys[i] : 255;        // padding goes (stays) last

    for (int bit = 0; bit < BITS; bit++) {
        int zero = !((key >> bit) & 1);
        int sum = zero;
        cnt[t] = sum;
        __syncthreads();

        /* count the zeros up to here */
        for (int d = 1; d < TILE; d <<= 1) {
            int other = t >= d ? cnt[t - d] : 0;
            __syncthreads();
            sum += other;
            cnt[t] = sum;
            __syncthreads();
        }
        int zeros = cnt[TILE - 1];
        int pos = zero ? sum - 1 : zeros + t - sum;
        __syncthreads();

        /* move */
        tile[pos] = key;
        __syncthreads();
        key = tile[t];
        __syncthreads();
    }
    if (i < n)
        keys[i] = key;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 640;
    unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], nullptr, 10) : 0;
    if (n <= 0 || n > 5000000) {
        fprintf(stderr, "%s [1..5000000] [seed]\n", argv[0]);
        return 2;
    }
    std::vector<int> h(n), got(n);
    unsigned z = seed;
    for (int i = 0; i < n; i++) {
        z = z * 1664525u + 1013904223u;
        h[i] = seed ? z >> 24 : 7;          // seed 0: all keys equal
    }
    int *d;
    CUDA_DO(cudaMalloc(&d, n * sizeof(int)));
    CUDA_DO(cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    sortTiles<<<(n + TILE - 1) / TILE, TILE>>>(d, n);
    CUDA_DO(cudaGetLastError());
    CUDA_DO(cudaMemcpy(got.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));

    unsigned check = 0;
    for (int b = 0; b < n; b += TILE)
        std::sort(h.begin() + b, h.begin() + std::min(n, b + TILE));
    for (int i = 0; i < n; i++) {
        if (h[i] != got[i]) { printf("FAIL %d\n", i); return 1; }
        check = check * 257u + h[i];
    }
    printf("PASS %u\n", check);
    return 0;
}

// Warp-specialized pipeline: warp 0 produces chunks (gather through an index
// list), warps 1..3 consume them.  Two stages, hardware named barriers.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define BAR_SYNC(id, cnt)   asm volatile("barrier.sync %0, %1;"   :: "r"(id), "r"(cnt) : "memory")
#define BAR_ARRIVE(id, cnt) asm volatile("barrier.arrive %0, %1;" :: "r"(id), "r"(cnt) : "memory")
#define DIE_ON(x) do { if ((x) != cudaSuccess) { fprintf(stderr, "CUDA failure line %d\n", __LINE__); exit(1); } } while (0)

constexpr int CHUNK = 96;              // one item per consumer thread
constexpr int ALL = 128;
enum { FULL = 1, FREE = 3, CONS = 5 }; // FULL+0/1, FREE+0/1, consumers only

__global__ void gather_pipeline(const int* src, const int* index, int n, int chunks, int perBlock,
                                int* dst, long long* blockSum)
{
    __shared__ int stage[2][CHUNK];
    __shared__ long long red[CHUNK];
    const int first = blockIdx.x * perBlock;
    const int last = min(chunks, first + perBlock);

    if (threadIdx.x < 32) {                                    // producer
        for (int c = first; c < last; ++c) {
            int b = (c - first) & 1;
            if (c - first >= 2) BAR_SYNC(FREE + b, ALL);
            for (int k = threadIdx.x; k < CHUNK; k += 32) {
                int i = c * CHUNK + k;
                stage[b][k] = i < n ? src[index[i]] : 0;
            }
            BAR_ARRIVE(FULL + b, ALL);
        }
    } else {                                                   // consumers
        const int t = threadIdx.x - 32;
        long long sum = 0;
        for (int c = first; c < last; ++c) {
            int b = (c - first) & 1;
            BAR_SYNC(FULL + b, ALL);
            int v = stage[b][t];
            int mirror = stage[b][CHUNK - 1 - t];
            int i = c * CHUNK + t;
            if (i < n) dst[i] = 2 * v - mirror;
            sum += v;
            BAR_SYNC(CONS, CHUNK);         // all consumers have read
            if (c + 2 < last) BAR_ARRIVE(FREE + b, ALL);
        }
        red[t] = sum;
        BAR_SYNC(CONS, CHUNK);
        if (t == 0) {
            long long s = 0;
            for (int k = 0; k < CHUNK; ++k) s += red[k];
            blockSum[blockIdx.x] = s;
        }
    }
    __syncthreads();
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (n < 1 || n > 4000000) { fprintf(stderr, "need 1 <= n <= 4000000\n"); return 2; }
    std::vector<int> src(n), idx(n), got(n);
    srand(seed);
    for (int i = 0; i < n; ++i) { src[i] = rand() % 10007; idx[i] = seed ? rand() % n : i; }
    int chunks = (n + CHUNK - 1) / CHUNK;
    int blocks = chunks < 16 ? chunks : 16;
    int perBlock = (chunks + blocks - 1) / blocks;
    int *ds, *di, *dd; long long* dsum;
    DIE_ON(cudaMalloc(&ds, n * 4)); DIE_ON(cudaMalloc(&di, n * 4)); DIE_ON(cudaMalloc(&dd, n * 4));
    DIE_ON(cudaMalloc(&dsum, blocks * 8));
    DIE_ON(cudaMemcpy(ds, src.data(), n * 4, cudaMemcpyHostToDevice));
    DIE_ON(cudaMemcpy(di, idx.data(), n * 4, cudaMemcpyHostToDevice));
    gather_pipeline<<<blocks, ALL>>>(ds, di, n, chunks, perBlock, dd, dsum);
    DIE_ON(cudaGetLastError());
    std::vector<long long> bs(blocks);
    DIE_ON(cudaMemcpy(got.data(), dd, n * 4, cudaMemcpyDeviceToHost));
    DIE_ON(cudaMemcpy(bs.data(), dsum, blocks * 8, cudaMemcpyDeviceToHost));
    long long ref = 0, sum = 0, chk = 0;
    for (auto s : bs) sum += s;
    for (int i = 0; i < n; ++i) {
        int v = src[idx[i]], mi = i / CHUNK * CHUNK + CHUNK - 1 - i % CHUNK;
        int mirror = mi < n ? src[idx[mi]] : 0;
        if (got[i] != 2 * v - mirror) { printf("FAIL\n"); return 1; }
        ref += v; chk += (long long)got[i] * (i % 11);
    }
    if (ref != sum) { printf("FAIL\n"); return 1; }
    printf("PASS %lld\n", sum + chk);
    return 0;
}

// Partitioned hash join: build and probe sides were partitioned beforehand; each
// block joins one partition through an open-addressing table in shared memory.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define SLOTS 256
#define PART 128               /* keys per partition == threads per block */
#define EMPTY 0xffffffffu

inline void must(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "cuda: %s\n", cudaGetErrorString(e)); exit(1); } }

__global__ void join(const unsigned* bkey, const unsigned* bval, const unsigned* pkey, unsigned* res, int n)
{
    __shared__ unsigned key[SLOTS];
    __shared__ unsigned val[SLOTS];
    int i = blockIdx.x * PART + threadIdx.x;

    for (int s = threadIdx.x; s < SLOTS; s += PART) key[s] = EMPTY;
    __syncthreads();

    if (i < n) {
        unsigned k = bkey[i];
        int s = k & (SLOTS - 1);
        while (atomicCAS(&key[s], EMPTY, k) != EMPTY) s = (s + 1) & (SLOTS - 1);
        val[s] = bval[i];
    }
    __syncthreads();

    unsigned r = EMPTY;
    if (i < n) {
        unsigned k = pkey[i];
        int s = k & (SLOTS - 1);
        while (key[s] != EMPTY && key[s] != k) s = (s + 1) & (SLOTS - 1);
        if (key[s] == k) r = val[s];
    }
    __syncthreads();
    if (i < n) res[i] = r;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    if (n < 1 || n > (1 << 22)) { fprintf(stderr, "n must be between 1 and %d\n", 1 << 22); return 2; }
    std::vector<unsigned> bk(n), bv(n), pk(n), want(n), got(n);
    std::mt19937 g(seed);
    int parts = (n + PART - 1) / PART;
    for (int p = 0; p < parts; ++p) {
        int lo = p * PART, hi = std::min(n, lo + PART);
        for (int i = lo; i < hi; ++i) bk[i] = pk[i] = i;        // unique build keys
        if (seed) {
            for (int i = lo; i < hi; ++i) bk[i] = (unsigned)i * 8u + (g() & 7u);
            std::shuffle(bk.begin() + lo, bk.begin() + hi, g);
            for (int i = lo; i < hi; ++i) pk[i] = g() % 4 ? bk[lo + g() % (hi - lo)] : (unsigned)i * 8u + 3u;
        }
    }
    for (int i = 0; i < n; ++i) bv[i] = g() >> 1;
    for (int i = 0; i < n; ++i) {
        int lo = i / PART * PART, hi = std::min(n, lo + PART);
        want[i] = EMPTY;
        for (int j = lo; j < hi; ++j) if (bk[j] == pk[i]) want[i] = bv[j];
    }
    unsigned *dbk, *dbv, *dpk, *dr;
    size_t bytes = n * sizeof(unsigned);
    must(cudaMalloc(&dbk, bytes)); must(cudaMalloc(&dbv, bytes)); must(cudaMalloc(&dpk, bytes)); must(cudaMalloc(&dr, bytes));
    must(cudaMemcpy(dbk, bk.data(), bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(dbv, bv.data(), bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(dpk, pk.data(), bytes, cudaMemcpyHostToDevice));
    join<<<parts, PART>>>(dbk, dbv, dpk, dr, n);
    must(cudaGetLastError());
    must(cudaMemcpy(got.data(), dr, bytes, cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i) {
        if (got[i] != want[i]) { printf("FAIL\n"); return 1; }
        sum += got[i] % 1000003u;
    }
    printf("PASS %llu\n", sum);
    return 0;
}

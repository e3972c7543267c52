// Sum of |a_i - b_j| over all j, tiles of b staged in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define T 256
static void die(const char* m, int rc) { printf("%s\n", m); exit(rc); }

__global__ void all_pairs(const int* a, const int* b, long long* out, int n)
{
    __shared__ int tile[T];
    int i = blockIdx.x * T + threadIdx.x;
    int mine = i < n ? a[i] : 0;
    long long acc = 0;
    for (int base = 0; base < n; base += T) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? b[j] : 0;
        __syncthreads();
        int m = min(T, n - base);
        for (int k = 0; k < m; ++k) acc += abs(mine - tile[k]);
        __syncthreads();
    }
    __syncthreads();
    if (i < n) out[i] = acc;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200;
    int seed = argc > 2 ? atoi(argv[2]) : 1;
    if (n < 1 || n > 60000) die("n must be in 1..60000", 2);
    std::vector<int> a(n), b(n);
    std::vector<long long> o(n);
    srand(seed);
    for (int i = 0; i < n; ++i) { a[i] = rand() % 10000; b[i] = rand() % 10000; }
    int *da, *db; long long* d;
    cudaMalloc(&da, n * 4); cudaMalloc(&db, n * 4); cudaMalloc(&d, n * 8);
    cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
    all_pairs<<<(n + T - 1) / T, T>>>(da, db, d, n);
    if (cudaMemcpy(o.data(), d, n * 8, cudaMemcpyDeviceToHost)) die("FAIL cuda", 1);
    long long c = 0;
    for (int i = 0; i < n; ++i) {
        long long s = 0;
        for (int j = 0; j < n; ++j) s += abs(a[i] - b[j]);
        if (s != o[i]) die("FAIL", 1);
        c ^= s * (i + 1);
    }
    printf("PASS %lld\n", c);
    return 0;
}

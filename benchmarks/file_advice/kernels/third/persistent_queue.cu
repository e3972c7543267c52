// Persistent blocks that pull work items from a global counter.
// reduce_items: one block-wide sum per item.  scale_items: element-wise.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define E(x) do { cudaError_t q = x; if (q) { fprintf(stderr, "%s at %d\n", cudaGetErrorString(q), __LINE__); return 1; } } while (0)
const int BT = 128;

__global__ void reduce_items(const int* in, int n, int items, int* counter, long long* sums)
{
    __shared__ int item;
    __shared__ long long red[BT];
    const int t = threadIdx.x;
    while (true) {
        if (t == 0) item = atomicAdd(counter, 1);
        __syncthreads();
        const int my = item;
        if (my >= items) break;
        const int i = my * BT + t;
        red[t] = i < n ? (long long)in[i] * in[i] : 0;
        __syncthreads();
        for (int s = BT / 2; s > 0; s >>= 1) {
            if (t < s) red[t] += red[t + s];
            __syncthreads();
        }
        if (t == 0) sums[my] = red[0];
        __syncthreads();      // done with this item
    }
}

__global__ void scale_items(int* data, int n, int items, int* counter, const long long* sums)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(counter, 1);
        __syncthreads();
        int my = item;
        __syncthreads();
        if (my >= items) return;
        int i = my * BT + threadIdx.x;
        if (i < n) data[i] = data[i] * 3 + (int)(sums[my] % 17);
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1500;
    int seed = argc > 2 ? atoi(argv[2]) : 3;
    if (n < 1 || n > 8000000) { fprintf(stderr, "n must be 1..8000000\n"); return 2; }
    std::vector<int> h(n);
    srand(seed);
    for (int& v : h) v = rand() % 2001 - 1000;
    int items = (n + BT - 1) / BT;
    int *d, *ctr;
    long long* ds;
    E(cudaMalloc(&d, n * sizeof(int)));
    E(cudaMalloc(&ctr, 2 * sizeof(int)));
    E(cudaMalloc(&ds, items * sizeof(long long)));
    E(cudaMemset(ctr, 0, 2 * sizeof(int)));
    E(cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int blocks = items < 16 ? items : 16;
    reduce_items<<<blocks, BT>>>(d, n, items, ctr, ds);
    E(cudaGetLastError());
    scale_items<<<blocks, BT>>>(d, n, items, ctr + 1, ds);
    E(cudaGetLastError());
    std::vector<int> got(n);
    std::vector<long long> gs(items);
    E(cudaMemcpy(got.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
    E(cudaMemcpy(gs.data(), ds, items * sizeof(long long), cudaMemcpyDeviceToHost));
    long long chk = 0;
    for (int b = 0; b < items; ++b) {
        long long s = 0;
        for (int i = b * BT; i < n && i < (b + 1) * BT; ++i) s += (long long)h[i] * h[i];
        bool ok = s == gs[b];
        for (int i = b * BT; i < n && i < (b + 1) * BT; ++i) {
            ok = ok && got[i] == h[i] * 3 + (int)(s % 17);
            chk += got[i];
        }
        if (!ok) { printf("FAIL\n"); return 1; }
        chk += s;
    }
    printf("PASS %lld\n", chk);
    return 0;
}

// Order preserving stream compaction by one block (keep the samples above a threshold).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
using std::vector;

static const int THREADS = 256;

#define GPU_CHECK(x) { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } }

__global__ void compactAbove(const int* in, int* out, int* count, int n, int threshold)
{
    __shared__ int warpCount[THREADS / 32];
    __shared__ int base;
    int t = threadIdx.x;
    int lane = t & 31, warp = t >> 5;

    if (t == 0) base = 0;
    __syncthreads();

    for (int start = 0; start < n; start += THREADS) {
        int i = start + t;
        int v = i < n ? in[i] : 0;
        bool keep = i < n && v > threshold;
        unsigned votes = __ballot_sync(0xffffffffu, keep);
        if (lane == 0) warpCount[warp] = __popc(votes);
        __syncthreads();

        int pos = base;
        for (int w = 0; w < warp; w++)
            pos += warpCount[w];
        pos += __popc(votes & ((1u << lane) - 1u));
        if (keep) out[pos] = v;

        __syncthreads();
        if (t == 0) {
            int all = 0;
            for (int w = 0; w < THREADS / 32; w++)
                all += warpCount[w];
            base += all;
        }
        __syncthreads();
    }
    if (t == 0) *count = base;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 11u;
    if (n <= 0 || n > 2000000) {
        fprintf(stderr, "n must be between 1 and 2000000\n");
        return 2;
    }
    vector<int> h(n), want, got(n);
    const int threshold = 500;
    for (int i = 0; i < n; i++) {
        seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5;
        h[i] = seed % 1000;
        if (h[i] > threshold) want.push_back(h[i]);
    }
    int *dIn, *d_out, *dCount, count = -1;
    GPU_CHECK(cudaMalloc(&dIn, n * sizeof(int)));
    GPU_CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    GPU_CHECK(cudaMalloc(&dCount, sizeof(int)));
    GPU_CHECK(cudaMemcpy(dIn, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    compactAbove<<<1, THREADS>>>(dIn, d_out, dCount, n, threshold);
    GPU_CHECK(cudaGetLastError());
    GPU_CHECK(cudaMemcpy(&count, dCount, sizeof(int), cudaMemcpyDeviceToHost));
    GPU_CHECK(cudaMemcpy(got.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));

    if (count != (int)want.size()) { printf("FAIL count %d\n", count); return 1; }
    unsigned check = count;
    for (int i = 0; i < count; i++) {
        if (got[i] != want[i]) { printf("FAIL at %d\n", i); return 1; }
        check = check * 37u + got[i];
    }
    printf("PASS %u\n", check);
    return 0;
}

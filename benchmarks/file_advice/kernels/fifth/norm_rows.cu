// One warp per row: subtract the row mean (integer).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
constexpr int kWarps = 4;

__global__ void center_rows(const int* __restrict__ in, int* __restrict__ out, int rows)
{
    __shared__ int buf[kWarps][32];
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    for (int base = blockIdx.x * kWarps; base < rows; base += gridDim.x * kWarps) {
        int r = base + wid;
        int v = r < rows ? in[r * 32 + lane] : 0;
        buf[wid][lane] = v;
        __syncthreads();
        for (int d = 16; d > 0; d >>= 1) {
            if (lane < d)
                buf[wid][lane] += buf[wid][lane + d];
            __syncthreads();
        }
        int mean = buf[wid][0] / 32;
        if (r < rows) out[r * 32 + lane] = v - mean;
        __syncthreads(); // buffer is reused
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200;
    int seed = argc > 2 ? atoi(argv[2]) : 1;
    if (n <= 0 || n > 4000000) { puts("size out of range"); return 2; }
    std::vector<int> h(n * 32), g(n * 32);
    srand(seed);
    for (auto& x : h) x = rand() % 2000 - 1000;
    int *di, *d_out;
    size_t bytes = h.size() * sizeof(int);
    cudaMalloc(&di, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(di, h.data(), bytes, cudaMemcpyHostToDevice);
    int grid = std::min(64, (n + kWarps - 1) / kWarps);
    center_rows<<<grid, kWarps * 32>>>(di, d_out, n);
    if (cudaMemcpy(g.data(), d_out, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) { puts("FAIL cuda"); return 1; }
    unsigned long long chk = 0;
    for (int r = 0; r < n; ++r) {
        int s = 0;
        for (int c = 0; c < 32; ++c) s += h[r * 32 + c];
        for (int c = 0; c < 32; ++c) {
            if (g[r * 32 + c] != h[r * 32 + c] - s / 32) { puts("FAIL"); return 1; }
            chk = chk * 31 + g[r * 32 + c];
        }
    }
    printf("PASS %llu\n", chk);
}

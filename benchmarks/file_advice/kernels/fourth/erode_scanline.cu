/* Grey-scale erosion of scan lines by a 3-tap structuring element, applied several times.
 * One block owns one line, ping-pong between two shared lines.
 *   erode_scanline [pixels per line] [seed]     number of passes: 1 + seed % 5
 */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>

#define MAXLINE 2048
#define THREADS 128
#define CUDA_OK(call) if ((call) != cudaSuccess) { fprintf(stderr, "CUDA error line %d\n", __LINE__); exit(1); }

__global__ void erodeLines(const int* src, int* dst, int n, int passes)
{
    __shared__ int ping[MAXLINE], pong[MAXLINE];
    int* a = ping;
    int* b = pong;
    const int* line = src + blockIdx.x * n;

    for (int i = threadIdx.x; i < n; i += THREADS)
        a[i] = line[i];
    __syncthreads();

    for (int p = 0; p < passes; ++p) {
        for (int i = threadIdx.x; i < n; i += THREADS) {
            int l = i > 0 ? i - 1 : 0, r = i < n - 1 ? i + 1 : n - 1;
            int m = min(a[i], min(a[l], a[r]));
            b[i] = m;
        }
        __syncthreads();
        int* t = a; a = b; b = t;
    }

    if (threadIdx.x == 0) dst[(size_t)gridDim.x * n + blockIdx.x] = passes;   // log for the host
    __syncthreads();      // line complete before it is copied out
    for (int i = threadIdx.x; i < n; i += THREADS)
        dst[blockIdx.x * n + i] = a[i];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500;
    unsigned seed = argc > 2 ? (unsigned)atol(argv[2]) : 0;
    if (n <= 0 || n > MAXLINE) { fprintf(stderr, "line length 1..%d\n", MAXLINE); return 2; }
    int passes = 1 + seed % 5, lines = 24;
    std::vector<int> h(n * lines), g(n * lines + lines);
    unsigned x = seed ^ 0x9e3779b9u;
    for (auto& v : h) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; v = x % 1000; }

    int *d, *o;
    CUDA_OK(cudaMalloc(&d, h.size() * 4));
    CUDA_OK(cudaMalloc(&o, g.size() * 4));
    CUDA_OK(cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    erodeLines<<<lines, THREADS>>>(d, o, n, passes);
    CUDA_OK(cudaMemcpy(g.data(), o, g.size() * 4, cudaMemcpyDeviceToHost));

    long long sum = 0;
    for (int l = 0; l < lines; ++l) {
        for (int i = 0; i < n; ++i) {
            // passes times a 3-tap minimum is one minimum over +-passes
            int m = h[l * n + i];
            for (int k = -passes; k <= passes; ++k)
                m = std::min(m, h[l * n + std::min(std::max(i + k, 0), n - 1)]);
            if (m != g[l * n + i]) { printf("FAIL\n"); return 1; }
            sum += (long long)m * (i + 1);
        }
        if (g[lines * n + l] != passes) { printf("FAIL\n"); return 1; }
    }
    printf("PASS %lld\n", sum);
    cudaFree(d); cudaFree(o);
    return 0;
}

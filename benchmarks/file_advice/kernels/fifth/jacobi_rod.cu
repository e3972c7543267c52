// Heat on short rods, one rod per block, double-buffered in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>
const int R = 128;

__global__ void rod(const int* in, int* out, int iters)
{
    __shared__ int u[2][R + 2];
    int t = threadIdx.x, cur = 0;
    u[0][t + 1] = in[blockIdx.x * R + t];
    if (t == 0) {
        u[0][0] = u[1][0] = 1000;
        u[0][R + 1] = u[1][R + 1] = -1000;
    }
    __syncthreads();
    for (int k = 0; k < iters; ++k) {
        int v = u[cur][t] + 2 * u[cur][t + 1] + u[cur][t + 2];
        u[1 - cur][t + 1] = v / 4;
        __syncthreads();
        cur = 1 - cur;
    }
    int res = u[cur][t + 1];
    __syncthreads();
    out[blockIdx.x * R + t] = res;
}

int main(int argc, char** argv)
{
    int rods = argc > 1 ? atoi(argv[1]) : 40;
    int seed = argc > 2 ? abs(atoi(argv[2])) : 0;
    if (rods < 1 || rods > 100000) { printf("need 1..100000 rods\n"); return 2; }
    int iters = 1 + seed % 9;
    std::vector<int> a(rods * R), got(rods * R);
    for (size_t i = 0; i < a.size(); ++i) a[i] = int((i * 7919 + seed * 31) % 4001) - 2000;
    int *x, *y;
    cudaMalloc(&x, a.size() * 4);
    cudaMalloc(&y, a.size() * 4);
    cudaMemcpy(x, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    rod<<<rods, R>>>(x, y, iters);
    if (cudaMemcpy(got.data(), y, a.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess) { puts("FAIL"); return 1; }
    long long sum = 0;
    for (int b = 0; b < rods; ++b) {
        std::vector<int> p(R + 2), q(R + 2);
        p[0] = q[0] = 1000; p[R + 1] = q[R + 1] = -1000;
        for (int i = 0; i < R; ++i) p[i + 1] = a[b * R + i];
        for (int k = 0; k < iters; ++k) {
            for (int i = 1; i <= R; ++i) q[i] = (p[i - 1] + 2 * p[i] + p[i + 1]) / 4;
            std::swap(p, q);
        }
        for (int i = 0; i < R; ++i) {
            if (got[b * R + i] != p[i + 1]) { printf("FAIL rod %d\n", b); return 1; }
            sum += (long long)p[i + 1] * (i + 1);
        }
    }
    printf("PASS %lld\n", sum);
    return 0;
}

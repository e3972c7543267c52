// Symmetric int8 quantization with one scale per group. Small tensors use groups of 32, larger ones of 64.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define BLOCK 256
#define RET(e) do { cudaError_t err = (e); if (err != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(err)); exit(1); } } while (0)

__global__ void quantizeGroups(const float* x, int8_t* q, float* scales, int n, int group)
{
    __shared__ float amax[BLOCK];
    const int t = threadIdx.x;
    const int i = blockIdx.x * BLOCK + t;
    const int g = t & (group - 1);          // place in the group
    const float v = i < n ? x[i] : 0.0f;

    amax[t] = fabsf(v);
    __syncthreads();
    for (int off = group / 2; off > 0; off /= 2) {
        if (g < off)
            amax[t] = fmaxf(amax[t], amax[t + off]);
        __syncthreads();
    }
    const float scale = amax[t - g] / 127.0f;
    __syncthreads();
    if (i < n) {
        q[i] = scale > 0.0f ? (int8_t)rintf(v / scale) : 0;
        if (g == 0) scales[i / group] = scale;
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    unsigned seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 6;
    if (n < 1 || n > (1 << 26)) { fprintf(stderr, "n must be between 1 and 2^26\n"); return 2; }
    const int group = n <= 8192 ? 32 : 64;
    const int groups = (n + group - 1) / group;
    std::vector<float> x(n), sc(groups);
    std::vector<int8_t> q(n);
    unsigned s = seed | 1u;
    for (auto& f : x) {
        s = s * 22695477u + 1u;
        f = ((int)(s >> 8) - (1 << 23)) / 65536.0f;
    }
    float *dx, *ds; int8_t* dq;
    RET(cudaMalloc(&dx, sizeof(float) * n));
    RET(cudaMalloc(&ds, sizeof(float) * groups));
    RET(cudaMalloc(&dq, n));
    RET(cudaMemcpy(dx, x.data(), sizeof(float) * n, cudaMemcpyHostToDevice));
    quantizeGroups<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(dx, dq, ds, n, group);
    RET(cudaGetLastError());
    RET(cudaMemcpy(sc.data(), ds, sizeof(float) * groups, cudaMemcpyDeviceToHost));
    RET(cudaMemcpy(q.data(), dq, n, cudaMemcpyDeviceToHost));

    long long sum = 0;
    bool good = true;
    for (int g = 0; g < groups; ++g) {
        float m = 0;
        int end = (g + 1) * group < n ? (g + 1) * group : n;
        for (int i = g * group; i < end; ++i) m = fmaxf(m, fabsf(x[i]));
        float scale = m / 127.0f;
        good = good && scale == sc[g];
        for (int i = g * group; i < end; ++i) {
            int want = scale > 0 ? (int)rintf(x[i] / scale) : 0;
            good = good && want == q[i];
            sum += want * (i % 13);
        }
    }
    if (good) printf("PASS %lld\n", sum); else printf("FAIL\n");
    RET(cudaFree(dx)); RET(cudaFree(ds)); RET(cudaFree(dq));
    return good ? 0 : 1;
}

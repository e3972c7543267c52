/* Batch of 32x32 float matrices, each transposed by one warp in its own slab. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define WARPS 4
#define GRID  8

#define CUDA_OK(call) \
    do { cudaError_t err = (call); \
         if (err != cudaSuccess) { printf("CUDA error %s at line %d\n", cudaGetErrorString(err), __LINE__); return 1; } \
    } while (0)

__global__ void batch_transpose(const float *in, float *out, int batch)
{
    __shared__ float slab[WARPS][32][33];
    const int lane = threadIdx.x % 32;
    const int w    = threadIdx.x / 32;

    for (int base = blockIdx.x * WARPS; base < batch; base += gridDim.x * WARPS) {
        const int m = base + w;
        if (m < batch) {
            const float *src = in + (size_t)m * 1024;
            for (int r = 0; r < 32; r++)
                slab[w][r][lane] = src[r * 32 + lane];
        }
        __syncthreads();
        if (m < batch) {
            float *dst = out + (size_t)m * 1024;
            for (int r = 0; r < 32; r++)
                dst[r * 32 + lane] = slab[w][lane][r];
        }
        __syncthreads();    /* slab is free again */
    }
}

int main(int argc, char **argv)
{
    int batch = (argc > 1) ? atoi(argv[1]) : 30;
    unsigned s = (argc > 2) ? (unsigned)atoi(argv[2]) : 3u;
    if (batch <= 0 || batch > 100000) { printf("batch must be 1..100000\n"); return 2; }

    size_t cnt = (size_t)batch * 1024;
    std::vector<float> h(cnt), g(cnt);
    for (size_t i = 0; i < cnt; i++) {
        s = s * 1664525u + 1013904223u;
        h[i] = (float)(s >> 16);
    }
    float *a = nullptr, *b = nullptr;
    CUDA_OK(cudaMalloc((void **)&a, cnt * sizeof(float)));
    CUDA_OK(cudaMalloc((void **)&b, cnt * sizeof(float)));
    CUDA_OK(cudaMemcpy(a, h.data(), cnt * sizeof(float), cudaMemcpyHostToDevice));
    batch_transpose<<<GRID, WARPS * 32>>>(a, b, batch);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(g.data(), b, cnt * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0.0;
    for (int m = 0; m < batch; m++)
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 32; j++) {
                float v = g[(size_t)m * 1024 + i * 32 + j];
                if (v != h[(size_t)m * 1024 + j * 32 + i]) { printf("FAIL\n"); return 1; }
                sum += v * (i + 1);
            }
    printf("PASS %.0f\n", sum);
    return 0;
}

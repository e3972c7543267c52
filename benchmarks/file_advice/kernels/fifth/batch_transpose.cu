// Transpose a batch of matrices; a block walks over the batch.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define TD 32

__global__ void transposeBatch(const float *a, float *b, int w, int h, int batch)
{
    __shared__ float tile[TD][TD + 1];
    for (int z = 0; z < batch; z++) {
        const float *src = a + (size_t)z * w * h;
        float *dst = b + (size_t)z * w * h;
        int x = blockIdx.x * TD + threadIdx.x, y0 = blockIdx.y * TD;
        for (int r = threadIdx.y; r < TD; r += blockDim.y)
            if (x < w && y0 + r < h) tile[r][threadIdx.x] = src[(size_t)(y0 + r) * w + x];
        __syncthreads();
        int yo = y0 + threadIdx.x, x0 = blockIdx.x * TD;
        for (int r = threadIdx.y; r < TD; r += blockDim.y)
            if (yo < h && x0 + r < w) dst[(size_t)(x0 + r) * h + yo] = tile[threadIdx.x][r];
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 100;
    int seed = argc > 2 ? abs(atoi(argv[2])) : 0;
    if (w < 1 || w > 4000) { fprintf(stderr, "width 1..4000\n"); return 2; }
    int h = w / 2 + 1, batch = 1 + seed % 3;
    size_t m = (size_t)w * h * batch;
    std::vector<float> a(m), b(m);
    for (size_t i = 0; i < m; i++) a[i] = (float)((i * 31 + seed) % 9973);
    float *da, *db;
    cudaMalloc(&da, m * sizeof(float));
    cudaMalloc(&db, m * sizeof(float));
    cudaMemcpy(da, a.data(), m * sizeof(float), cudaMemcpyHostToDevice);
    dim3 blk(TD, 8), grd((w + TD - 1) / TD, (h + TD - 1) / TD);
    transposeBatch<<<grd, blk>>>(da, db, w, h, batch);
    if (cudaMemcpy(b.data(), db, m * sizeof(float), cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    double s = 0;
    for (int z = 0; z < batch; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                size_t o = (size_t)z * w * h;
                if (b[o + (size_t)x * h + y] != a[o + (size_t)y * w + x]) { puts("FAIL"); return 1; }
                s += a[o + (size_t)y * w + x] * (x % 5);
            }
    printf("PASS %.0f\n", s);
    return 0;
}

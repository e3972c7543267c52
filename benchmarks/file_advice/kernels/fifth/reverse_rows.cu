// Mirror each row of a matrix. Row width is picked from the size.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("FAIL %s\n", cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void reverse_rows(const int* in, int* out, int rows)
{
    extern __shared__ int s[];
    const int w = blockDim.x;
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    int* row = s + threadIdx.y * w;
    if (r < rows)
        row[threadIdx.x] = in[r * w + threadIdx.x];
    __syncthreads();
    int v = 0;
    if (r < rows)
        v = row[w - 1 - threadIdx.x];
    __syncthreads();
    if (r < rows)
        out[r * w + threadIdx.x] = v;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    unsigned seed = argc > 2 ? strtoul(argv[2], 0, 10) : 0;
    if (n < 1 || n > 1000000) { fprintf(stderr, "bad size\n"); return 2; }
    const int widths[3] = {16, 32, 64};
    int w = widths[n % 3];
    std::vector<int> a(n * w), b(n * w);
    for (int i = 0; i < n * w; ++i) a[i] = (i * 2654435761u + seed) >> 8;
    int *da, *db;
    CK(cudaMalloc(&da, a.size() * 4)); CK(cudaMalloc(&db, a.size() * 4));
    CK(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    dim3 block(w, 256 / w);
    reverse_rows<<<(n + block.y - 1) / block.y, block, 256 * sizeof(int)>>>(da, db, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(b.data(), db, a.size() * 4, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int r = 0; r < n; ++r)
        for (int x = 0; x < w; ++x) {
            if (b[r * w + x] != a[r * w + w - 1 - x]) { printf("FAIL at %d,%d\n", r, x); return 1; }
            sum += (long long)b[r * w + x] * (x + 1);
        }
    printf("PASS %lld\n", sum);
    return 0;
}

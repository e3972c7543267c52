// 1-2-1 blur, separable, of a strip 32 pixels wide that wraps around horizontally
// (a rolled out panorama). Rows are clamped. Block: 32 x 8, of which 6 rows are output.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define W 32
#define H 8
#define OUT_ROWS (H - 2)

#define CUDA(e)                                                        \
    do {                                                               \
        cudaError_t err = (e);                                         \
        if (err != cudaSuccess) {                                      \
            fprintf(stderr, "%s (line %d)\n", cudaGetErrorString(err), __LINE__); \
            exit(EXIT_FAILURE);                                        \
        }                                                              \
    } while (0)

__global__ void blur121(const int *img, int *out, int rows)
{
    __shared__ int src[H][W];
    __shared__ int mid[H][W];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x * OUT_ROWS + y - 1;
    int clamped = min(max(row, 0), rows - 1);

    int c = img[clamped * W + x];
    src[y][x] = c;
    __syncthreads();

    // horizontal
    int l = src[y][(x + W - 1) % W];
    int r = src[y][(x + 1) % W];
    int m = l + 2 * c + r;
    __syncthreads();
    mid[y][x] = m;
    __syncthreads();

    // vertical
    if (y > 0 && y < H - 1 && row < rows) {
        int up = mid[y - 1][x];
        int down = mid[y + 1][x];
        out[row * W + x] = (up + 2 * m + down) / 16;
    }
    __syncthreads();
}

static int at(const int *img, int rows, int y, int x)
{
    y = y < 0 ? 0 : y >= rows ? rows - 1 : y;
    return img[y * W + (x + W) % W];
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 100;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 3;
    if (rows < 1 || rows > 500000) { fprintf(stderr, "rows must be 1..500000\n"); return 2; }

    size_t bytes = (size_t)rows * W * sizeof(int);
    int *h = (int *)malloc(bytes), *g = (int *)malloc(bytes);
    for (int i = 0; i < rows * W; i++) {
        seed = seed * 1664525u + 1013904223u;
        h[i] = (seed >> 16) & 0xff;
    }
    int *d_img, *d_out;
    CUDA(cudaMalloc(&d_img, bytes));
    CUDA(cudaMalloc(&d_out, bytes));
    CUDA(cudaMemcpy(d_img, h, bytes, cudaMemcpyHostToDevice));
    dim3 block(W, H);
    blur121<<<(rows + OUT_ROWS - 1) / OUT_ROWS, block>>>(d_img, d_out, rows);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(g, d_out, bytes, cudaMemcpyDeviceToHost));

    static const int k[3] = {1, 2, 1};
    unsigned check = 0;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < W; x++) {
            int s = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    s += k[dy + 1] * k[dx + 1] * at(h, rows, y + dy, x + dx);
            if (s / 16 != g[y * W + x]) { printf("FAIL (%d,%d)\n", x, y); return 1; }
            check = check * 131 + s / 16;
        }
    printf("PASS %u\n", check);
    return 0;
}

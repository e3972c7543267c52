// y = A x with 16-lane tiles (cooperative groups), integer arithmetic.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;
constexpr int COLS = 100, NT = 4;

__global__ void matvec(const int* A, const int* x, int* y, int rows)
{
    __shared__ int part[NT][16];
    __shared__ int res[NT];
    cg::thread_block blk = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(blk);
    int id = threadIdx.x / 16, l = tile.thread_rank();
    for (int base = blockIdx.x * NT; base < rows; base += gridDim.x * NT) {
        int r = base + id, acc = 0;
        if (r < rows)
            for (int c = l; c < COLS; c += 16) acc += A[r * COLS + c] * x[c];
        part[id][l] = acc;
        tile.sync();
        if (l == 0) {
            int s = 0;
            for (int k = 0; k < 16; ++k) s += part[id][k];
            res[id] = s;
        }
        tile.sync();
        blk.sync();
        if (threadIdx.x < NT && base + threadIdx.x < rows)
            y[base + threadIdx.x] = res[threadIdx.x];
        blk.sync();
    }
}

int main(int argc, char** argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 90;
    int seed = argc > 2 ? atoi(argv[2]) : 5;
    if (rows < 1 || rows > 1000000) { printf("rows 1..1000000\n"); return 2; }
    std::vector<int> A((size_t)rows * COLS), x(COLS), y(rows);
    srand(seed);
    for (int& v : A) v = rand() % 21 - 10;
    for (int& v : x) v = rand() % 21 - 10;
    int *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * 4); cudaMalloc(&dx, COLS * 4); cudaMalloc(&dy, rows * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), COLS * 4, cudaMemcpyHostToDevice);
    int grid = (rows + NT - 1) / NT;
    if (grid > 48) grid = 48;
    matvec<<<grid, NT * 16>>>(dA, dx, dy, rows);
    if (cudaMemcpy(y.data(), dy, rows * 4, cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    long long c = 0;
    for (int r = 0; r < rows; ++r) {
        int s = 0;
        for (int k = 0; k < COLS; ++k) s += A[(size_t)r * COLS + k] * x[k];
        if (s != y[r]) { printf("FAIL row %d\n", r); return 1; }
        c += (long long)s * (r + 1);
    }
    printf("PASS %lld\n", c);
}

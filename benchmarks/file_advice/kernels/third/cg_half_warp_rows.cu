// Quadratic form x'Ax with cooperative groups: 16-thread tiles take a CSR row
// each, blocks add up their rows, and after a grid barrier block 0 finishes.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;
#define GUARD(x) if (auto e = (x); e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); return 1; }

constexpr int BLOCK = 128, TILE = 16, TILES = BLOCK / TILE;

__global__ void quad_form(int n, const int* ptr, const int* idx, const int* a, const int* x,
                          long long* partial, long long* result)
{
    __shared__ long long lanes[TILES][TILE];
    __shared__ long long rows[TILES];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<TILE> tile = cg::tiled_partition<TILE>(block);
    const int t = tile.meta_group_rank(), l = tile.thread_rank();

    long long mine = 0;
    for (int r = blockIdx.x * TILES + t; r < n; r += gridDim.x * TILES) {
        long long s = 0;
        for (int j = ptr[r] + l; j < ptr[r + 1]; j += TILE) s += (long long)a[j] * x[idx[j]];
        lanes[t][l] = s;
        tile.sync();
        for (int d = TILE / 2; d > 0; d /= 2) {
            if (l < d) lanes[t][l] += lanes[t][l + d];
            tile.sync();
        }
        if (l == 0) mine += lanes[t][0] * x[r];
        tile.sync();
    }
    if (l == 0) rows[t] = mine;
    block.sync();
    if (block.thread_rank() == 0) {
        long long s = 0;
        for (int k = 0; k < TILES; ++k) s += rows[k];
        partial[blockIdx.x] = s;
    }
    block.sync();
    grid.sync();
    if (blockIdx.x == 0 && block.thread_rank() == 0) {
        long long s = 0;
        for (int b = 0; b < (int)gridDim.x; ++b) s += partial[b];
        *result = s;
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    unsigned seed = argc > 2 ? atoi(argv[2]) : 5;
    if (n < 1 || n > 500000) { fprintf(stderr, "rows: 1..500000\n"); return 2; }
    std::vector<int> ptr(1, 0), idx, a, x(n);
    srand(seed);
    for (int& v : x) v = rand() % 21 - 10;
    long long ref = 0;
    for (int r = 0; r < n; ++r) {
        int len = rand() % 40;
        for (int k = 0; k < len; ++k) {
            idx.push_back(rand() % n);
            a.push_back(rand() % 13 - 6);
            ref += (long long)a.back() * x[idx.back()] * x[r];
        }
        ptr.push_back((int)idx.size());
    }
    idx.push_back(0); a.push_back(0);
    int *dp, *di, *da, *dx; long long *dpart, *dres;
    GUARD(cudaMalloc(&dp, ptr.size() * 4));
    GUARD(cudaMalloc(&di, idx.size() * 4));
    GUARD(cudaMalloc(&da, a.size() * 4));
    GUARD(cudaMalloc(&dx, x.size() * 4));
    GUARD(cudaMalloc(&dpart, 32 * 8));
    GUARD(cudaMalloc(&dres, 8));
    GUARD(cudaMemcpy(dp, ptr.data(), ptr.size() * 4, cudaMemcpyHostToDevice));
    GUARD(cudaMemcpy(di, idx.data(), idx.size() * 4, cudaMemcpyHostToDevice));
    GUARD(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    GUARD(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    int blocks = (n + TILES - 1) / TILES;
    if (blocks > 32) blocks = 32;
    void* args[] = { &n, &dp, &di, &da, &dx, &dpart, &dres };
    GUARD(cudaLaunchCooperativeKernel((void*)quad_form, dim3(blocks), dim3(BLOCK), args, 0, 0));
    long long got = 0;
    GUARD(cudaMemcpy(&got, dres, 8, cudaMemcpyDeviceToHost));
    if (got != ref) { printf("FAIL\n"); return 1; }
    printf("PASS %lld\n", got);
    return 0;
}

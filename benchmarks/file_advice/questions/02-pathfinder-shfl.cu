// Dynamic programming over a grid (pathfinder): each row takes min of three upper neighbors.
// Template SHFL: the two side neighbors come from warp shuffles rather than shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int COLS = 100000, ROWS = 100, PYR = 20, BLK = 256;
constexpr int VALID = BLK - 2 * PYR;

template <bool SHFL>
__global__ void path(int iters, const int *wall, const int *src, int *dst, int startRow) {
    __shared__ int prev[BLK];
    __shared__ int next[BLK];
    int tx = threadIdx.x;
    int x = blockIdx.x * VALID - PYR + tx;
    bool in = x >= 0 && x < COLS;
    int wl = max(tx - 1, 0), wr = min(tx + 1, BLK - 1);
    if (x - 1 < 0) wl = tx;
    if (x + 1 >= COLS) wr = tx;
    if (in) prev[tx] = src[x]; else prev[tx] = 1 << 28;
    __syncthreads();
    int res = prev[tx];
    for (int i = 0; i < iters; i++) {
        bool act = in && tx >= i + 1 && tx <= BLK - 2 - i;
        int left, up, right;
        up = prev[tx];
        if (SHFL) {
            left = __shfl_up_sync(0xffffffffu, up, 1);
            right = __shfl_down_sync(0xffffffffu, up, 1);
            int lane = tx & 31;
            if (lane == 0 || wl == tx) left = prev[wl];
            if (lane == 31 || wr == tx) right = prev[wr];
        } else {
            left = prev[wl];
            right = prev[wr];
        }
        if (act) {
            int best = min(min(left, up), right);
            next[tx] = best + wall[(startRow + i) * COLS + x];
        }
        __syncthreads();
        if (act) { res = next[tx]; prev[tx] = res; }
        __syncthreads();
    }
    if (in && tx >= PYR && tx < BLK - PYR) dst[x] = res;
}

int main() {
    std::vector<int> wall((size_t)ROWS * COLS), cur(COLS), nxt(COLS), got(COLS);
    for (auto &v : wall) v = rand() % 10;
    for (auto &v : cur) v = rand() % 10;
    std::vector<int> first = cur;
    for (int r = 0; r < ROWS; r++) {
        for (int x = 0; x < COLS; x++) {
            int m = cur[x];
            if (x > 0) m = std::min(m, cur[x - 1]);
            if (x + 1 < COLS) m = std::min(m, cur[x + 1]);
            nxt[x] = m + wall[(size_t)r * COLS + x];
        }
        cur.swap(nxt);
    }
    int *dw, *d[2];
    CK(cudaMalloc(&dw, wall.size() * 4)); CK(cudaMalloc(&d[0], COLS * 4)); CK(cudaMalloc(&d[1], COLS * 4));
    CK(cudaMemcpy(dw, wall.data(), wall.size() * 4, cudaMemcpyHostToDevice));
    int grid = (COLS + VALID - 1) / VALID;
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemcpy(d[0], first.data(), COLS * 4, cudaMemcpyHostToDevice));
        int s = 0;
        for (int r = 0; r < ROWS; r += PYR, s ^= 1) {
            int it = std::min(PYR, ROWS - r);
            if (ver) path<true><<<grid, BLK>>>(it, dw, d[s], d[s ^ 1], r);
            else     path<false><<<grid, BLK>>>(it, dw, d[s], d[s ^ 1], r);
        }
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(got.data(), d[s], COLS * 4, cudaMemcpyDeviceToHost));
        printf("%s: %s\n", ver ? "shuffle" : "shared", got == cur ? "ok" : "FAIL");
    }
}

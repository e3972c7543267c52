// Summed-area table: row pass (one warp-wide row of the block per image row), then column pass.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

static inline void check(cudaError_t err, int line)
{
    if (err == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(err));
    std::exit(1);
}
#define CHECK(e) check((e), __LINE__)

#define LANES 32
#define ROWS 8

__global__ void integralRows(const uint8_t* img, uint32_t* sat, int w, int h)
{
    __shared__ uint32_t sh[ROWS][LANES];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int y = blockIdx.x * ROWS + ty;
    uint32_t carry = 0;

    for (int base = 0; base < w; base += LANES) {
        const int x = base + tx;
        sh[ty][tx] = (x < w && y < h) ? img[(size_t)y * w + x] : 0;
        __syncthreads();
        for (int off = 1; off < LANES; off <<= 1) {
            uint32_t add = tx >= off ? sh[ty][tx - off] : 0;
            __syncthreads();
            sh[ty][tx] += add;
            __syncthreads();
        }
        if (x < w && y < h)
            sat[(size_t)y * w + x] = carry + sh[ty][tx];
        carry += sh[ty][LANES - 1];
        __syncthreads();
    }
}

__global__ void integralCols(uint32_t* sat, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    uint32_t run = 0;
    for (int y = 0; y < h; ++y) {
        run += sat[(size_t)y * w + x];
        sat[(size_t)y * w + x] = run;
    }
}

int main(int argc, char** argv)
{
    int w = argc > 1 ? std::atoi(argv[1]) : 150;
    uint32_t seed = argc > 2 ? (uint32_t)std::strtoul(argv[2], nullptr, 10) : 5;
    if (w < 1 || w > 8192) { std::fprintf(stderr, "width out of range (1..8192)\n"); return 2; }
    int h = 75;
    size_t n = (size_t)w * h;
    std::vector<uint8_t> img(n);
    std::vector<uint32_t> got(n), ref(n);
    uint64_t z = seed;
    for (auto& p : img) {
        z += 0x9e3779b97f4a7c15ull;
        uint64_t q = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        p = (uint8_t)(q >> 40);
    }
    uint8_t* dImg; uint32_t* dSat;
    CHECK(cudaMalloc(&dImg, n));
    CHECK(cudaMalloc(&dSat, n * sizeof(uint32_t)));
    CHECK(cudaMemcpy(dImg, img.data(), n, cudaMemcpyHostToDevice));
    integralRows<<<(h + ROWS - 1) / ROWS, dim3(LANES, ROWS)>>>(dImg, dSat, w, h);
    CHECK(cudaGetLastError());
    integralCols<<<(w + 127) / 128, 128>>>(dSat, w, h);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), dSat, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));

    uint64_t sum = 0;
    for (int y = 0; y < h; ++y) {
        uint32_t run = 0;
        for (int x = 0; x < w; ++x) {
            run += img[(size_t)y * w + x];
            ref[(size_t)y * w + x] = run + (y ? ref[(size_t)(y - 1) * w + x] : 0);
            sum += ref[(size_t)y * w + x];
        }
    }
    bool ok = ref == got;
    if (ok) std::printf("PASS %llu\n", (unsigned long long)sum); else std::puts("FAIL");
    CHECK(cudaFree(dImg)); CHECK(cudaFree(dSat));
    return ok ? 0 : 1;
}

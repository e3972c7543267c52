// Group-by count for several byte columns: histograms private to each warp in
// shared memory, merged per block, then added to the global result.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BINS 64
#define NW 4
#define NT (NW * 32)

#define CU(x) if ((x) != cudaSuccess) { std::fprintf(stderr, "failed: %s\n", #x); std::exit(1); }

__global__ void count_columns(const unsigned char* data, int n, int columns, unsigned* out)
{
    __shared__ unsigned hist[NW][BINS];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;

    for (int c = 0; c < columns; c++) {
        for (int b = lane; b < BINS; b += 32) hist[warp][b] = 0;
        __syncthreads();

        for (int i = blockIdx.x * NT + tid; i < n; i += gridDim.x * NT)
            atomicAdd(&hist[warp][data[(size_t)c * n + i] % BINS], 1u);
        __syncthreads();

        for (int b = tid; b < BINS; b += NT) {
            unsigned s = 0;
            for (int w = 0; w < NW; w++) s += hist[w][b];
            if (s) atomicAdd(&out[c * BINS + b], s);
        }
        __syncthreads();
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 50000;
    int seed = argc > 2 ? std::atoi(argv[2]) : 0;
    if (n <= 0 || n > 20000000) { std::fprintf(stderr, "row count must be 1..20000000\n"); return 2; }
    int columns = 1 + (seed & 3);
    std::vector<unsigned char> data((size_t)n * columns);
    std::srand(seed);
    for (auto& d : data) d = (unsigned char)((std::rand() >> 8) * (std::rand() & 7) >> 3);
    std::vector<unsigned> ref(columns * BINS, 0), got(columns * BINS);
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < n; i++) ref[c * BINS + data[(size_t)c * n + i] % BINS]++;

    unsigned char* dd;
    unsigned* d_out;
    CU(cudaMalloc(&dd, data.size()));
    CU(cudaMalloc(&d_out, ref.size() * sizeof(unsigned)));
    CU(cudaMemcpy(dd, data.data(), data.size(), cudaMemcpyHostToDevice));
    CU(cudaMemset(d_out, 0, ref.size() * sizeof(unsigned)));
    int grid = (n + NT - 1) / NT;
    if (grid > 40) grid = 40;
    count_columns<<<grid, NT>>>(dd, n, columns, d_out);
    CU(cudaGetLastError());
    CU(cudaMemcpy(got.data(), d_out, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (size_t b = 0; b < ref.size(); b++) {
        if (ref[b] != got[b]) { std::puts("FAIL"); return 1; }
        sum += (unsigned long long)got[b] * (b + 1);
    }
    std::printf("PASS %llu\n", sum);
    return 0;
}

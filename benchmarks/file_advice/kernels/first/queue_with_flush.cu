// Collect "event" samples through a queue in shared memory which is flushed when it runs full.
// The order of the output is arbitrary. One block.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int CAPACITY = 2 * BLOCK;

inline void cudaAssert(cudaError_t code, int line)
{
    if (code != cudaSuccess) { std::fprintf(stderr, "GPU: %s, line %d\n", cudaGetErrorString(code), line); std::exit(1); }
}
#define ASSERT_CUDA(c) cudaAssert((c), __LINE__)

__global__ void collectEvents(const int* signal, int n, int limit, int* events, int* numEvents)
{
    __shared__ int queue[CAPACITY];
    __shared__ int fill;
    __shared__ int dest;
    const int t = threadIdx.x;

    if (t == 0) fill = 0;
    __syncthreads();

    for (int start = 0; start < n; start += BLOCK) {
        const int i = start + t;
        if (i < n && signal[i] >= limit) {
            const int slot = atomicAdd(&fill, 1);
            queue[slot] = signal[i];
        }
        __syncthreads();
        const int filled = fill;
        if (filled > CAPACITY - BLOCK) {     // the next round might not fit
            if (t == 0) dest = atomicAdd(numEvents, filled);
            __syncthreads();
            for (int k = t; k < filled; k += BLOCK) events[dest + k] = queue[k];
            __syncthreads();
            if (t == 0) fill = 0;
        }
        __syncthreads();
    }

    // the rest
    const int rest = fill;
    if (t == 0) dest = atomicAdd(numEvents, rest);
    __syncthreads();
    for (int k = t; k < rest; k += BLOCK) events[dest + k] = queue[k];
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 250;
    unsigned state = argc > 2 ? std::atoi(argv[2]) : 1;
    if (n <= 0 || n > 1000000) { std::fprintf(stderr, "need 0 < n <= 1000000\n"); return 2; }
    const int limit = 700 - int(state % 8) * 100;

    std::vector<int> signal(n), want, got;
    for (int& s : signal) {
        state = state * 22695477u + 1u;
        s = (state >> 16) % 1000;
        if (s >= limit) want.push_back(s);
    }
    int *dSignal, *dEvents, *dNum, num = 0;
    ASSERT_CUDA(cudaMalloc(&dSignal, n * sizeof(int)));
    ASSERT_CUDA(cudaMalloc(&dEvents, n * sizeof(int)));
    ASSERT_CUDA(cudaMalloc(&dNum, sizeof(int)));
    ASSERT_CUDA(cudaMemcpy(dSignal, signal.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    ASSERT_CUDA(cudaMemset(dNum, 0, sizeof(int)));
    collectEvents<<<1, BLOCK>>>(dSignal, n, limit, dEvents, dNum);
    ASSERT_CUDA(cudaGetLastError());
    ASSERT_CUDA(cudaMemcpy(&num, dNum, sizeof(int), cudaMemcpyDeviceToHost));
    if (num != (int)want.size()) { std::printf("FAIL number %d\n", num); return 1; }
    got.resize(num);
    if (num) ASSERT_CUDA(cudaMemcpy(got.data(), dEvents, num * sizeof(int), cudaMemcpyDeviceToHost));
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    if (got != want) { std::printf("FAIL contents\n"); return 1; }
    unsigned check = num;
    for (int g : got) check = check * 101 + g;
    std::printf("PASS %u\n", check);
    return 0;
}

// Connected runs of equal color: every cell gets the lowest index of its run.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define N 128

__global__ void chain(const int* color, int* out)
{
    __shared__ int lab[N];
    __shared__ int changed;
    const int t = threadIdx.x, g = blockIdx.x * N + t;
    const bool link = t > 0 && color[g] == color[g - 1];
    lab[t] = t;
    __syncthreads();
    while (true) {
        if (t == 0) changed = 0;
        int m = lab[t];
        if (link) m = min(m, lab[t - 1]);
        __syncthreads();
        if (m != lab[t]) {
            lab[t] = m;
            atomicExch(&changed, 1);
        }
        __syncthreads();
        if (!changed) break;
        __syncthreads();
    }
    __syncthreads();
    out[g] = lab[t];
}

int main(int argc, char** argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 20;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (blocks < 1 || blocks > 100000) { puts("blocks: 1..100000"); return 2; }
    int m = blocks * N;
    std::vector<int> c(m), o(m);
    srand(seed);
    for (int i = 0; i < m; ++i)
        c[i] = seed == 0 ? i : (i > 0 && rand() % 20 ? c[i - 1] : rand() % 3);
    int *dc, *dd;
    cudaMalloc(&dc, m * 4);
    cudaMalloc(&dd, m * 4);
    cudaMemcpy(dc, c.data(), m * 4, cudaMemcpyHostToDevice);
    chain<<<blocks, N>>>(dc, dd);
    if (cudaMemcpy(o.data(), dd, m * 4, cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    long long s = 0;
    for (int i = 0, first = 0; i < m; ++i) {
        if (i % N == 0 || c[i] != c[i - 1]) first = i % N;
        if (o[i] != first) { printf("FAIL %d\n", i); return 1; }
        s += (long long)first * (i % 17);
    }
    printf("PASS %lld\n", s);
    return 0;
}

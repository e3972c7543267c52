// Multi-level Haar decomposition (sums and differences) of frames of 256 samples.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define FRAME 256
#define HALF  (FRAME / 2)

#define HANDLE(err) handle(err, __FILE__, __LINE__)
static void handle(cudaError_t err, const char* file, int line)
{
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}

__global__ void haar(const int* in, int* out, int levels)
{
    __shared__ int s[FRAME];
    const int t = threadIdx.x;
    const int* f = in + blockIdx.x * FRAME;
    int* o = out + blockIdx.x * FRAME;

    // each thread loads one pair
    s[2 * t] = f[2 * t], s[2 * t + 1] = f[2 * t + 1];
    __syncthreads();

    int half = HALF;
    for (int level = 0; level < levels; level++, half /= 2) {
        int a = 0, b = 0;
        if (t < half)
            a = s[2 * t], b = s[2 * t + 1];
        __syncthreads();        // pairs are read, now overwrite
        if (t < half) {
            s[t] = a + b;
            o[half + t] = a - b;
        }
        __syncthreads();        // next level
    }
    if (t < FRAME >> levels)
        o[t] = s[t];
}

int main(int argc, char** argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 20;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (frames <= 0 || frames > 50000) { printf("frames must be in 1..50000\n"); return 2; }
    const int levels = 1 + seed % 8;

    const int n = frames * FRAME;
    std::vector<int> x(n), got(n), want(n);
    for (int i = 0; i < n; i++)
        x[i] = (int)((i * 2246822519u + seed) >> 22);
    for (int f = 0; f < frames; f++) {
        std::vector<int> v(x.begin() + f * FRAME, x.begin() + (f + 1) * FRAME);
        int half = HALF;
        for (int l = 0; l < levels; l++, half /= 2)
            for (int t = 0; t < half; t++) {
                int a = v[2 * t], b = v[2 * t + 1];
                v[t] = a + b;
                want[f * FRAME + half + t] = a - b;
            }
        for (int t = 0; t < FRAME >> levels; t++)
            want[f * FRAME + t] = v[t];
    }

    int *dx, *dy;
    HANDLE(cudaMalloc(&dx, n * sizeof(int)));
    HANDLE(cudaMalloc(&dy, n * sizeof(int)));
    HANDLE(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    haar<<<frames, HALF>>>(dx, dy, levels);
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(got.data(), dy, n * sizeof(int), cudaMemcpyDeviceToHost));

    long long check = 0;
    for (int i = 0; i < n; i++) {
        if (got[i] != want[i]) { printf("FAIL %d\n", i); return 1; }
        check += (long long)want[i] * (i % 13 + 1);
    }
    printf("PASS %lld\n", check);
    return 0;
}

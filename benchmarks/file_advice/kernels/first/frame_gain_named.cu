// Automatic gain: each frame of 64 samples is scaled by its peak. A block handles two frames at a
// time; its halves (two warps each) run independently and meet at named barriers.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define FRAME 64
#define HALVES 2

// barrier 0 is __syncthreads(), the halves use 1 and 2
#define GROUP_SYNC(g) asm volatile("bar.sync %0, 64;" ::"r"((g) + 1) : "memory")

static void check(cudaError_t e, const char *where)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
        exit(1);
    }
}

__global__ void frame_gain(const int *in, int *out, int frames)
{
    __shared__ int s[HALVES][FRAME];
    int g = threadIdx.x / FRAME;
    int x = threadIdx.x % FRAME;

    __syncthreads();
    for (int f = blockIdx.x * HALVES + g; f < frames; f += gridDim.x * HALVES) {
        int v = in[f * FRAME + x];
        int m = abs(v);
        s[g][x] = m;
        GROUP_SYNC(g);
        for (int d = FRAME / 2; d > 0; d /= 2) {
            if (x < d) {
                m = max(m, s[g][x + d]);
                s[g][x] = m;
            }
            GROUP_SYNC(g);
        }
        int peak = s[g][0];
        GROUP_SYNC(g);
        out[f * FRAME + x] = v * 4096 / (peak + 1);
    }
    __syncthreads();
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 25;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 6;
    if (frames <= 0 || frames > 100000) {
        fprintf(stderr, "frames: 1..100000\n");
        return 2;
    }
    size_t n = (size_t)frames * FRAME;
    std::vector<int> h(n), r(n);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 214013u + 2531011u;
        h[i] = (int)((seed >> 16) & 0xffff) - 32768;
    }
    int *d_in, *d_out;
    check(cudaMalloc(&d_in, n * sizeof(int)), "cudaMalloc");
    check(cudaMalloc(&d_out, n * sizeof(int)), "cudaMalloc");
    check(cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice), "copy in");
    int blocks = (frames + HALVES - 1) / HALVES;
    if (blocks > 16) blocks = 16;
    frame_gain<<<blocks, HALVES * FRAME>>>(d_in, d_out, frames);
    check(cudaGetLastError(), "frame_gain");
    check(cudaMemcpy(r.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost), "copy out");

    long long sum = 0;
    for (int f = 0; f < frames; f++) {
        int peak = 0;
        for (int x = 0; x < FRAME; x++) {
            int a = abs(h[(size_t)f * FRAME + x]);
            if (a > peak) peak = a;
        }
        for (int x = 0; x < FRAME; x++) {
            int want = h[(size_t)f * FRAME + x] * 4096 / (peak + 1);
            if (want != r[(size_t)f * FRAME + x]) {
                printf("FAIL frame %d sample %d\n", f, x);
                return 1;
            }
            sum += (long long)want * (x + 1);
        }
    }
    printf("PASS %lld\n", sum);
    return 0;
}

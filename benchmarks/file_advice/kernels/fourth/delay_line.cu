// Feed-forward comb filter y[i] = x[i] + x[i - delay] on several channels, one block per channel.
// History and current chunk live in one shared pool: 'hist' is where the chunk was 'delay' samples ago.
//   delay_line [samples per channel] [seed]      delay = seed % 65
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int CHUNK = 128, MAX_DELAY = 64;

#define DO(x) if ((x) != cudaSuccess) { fprintf(stderr, "failed: " #x "\n"); exit(1); }

__global__ void comb(const short* x, int* y, int samples, int delay)
{
    __shared__ int pool[CHUNK + MAX_DELAY];
    int* hist = pool;
    int* cur = pool + delay;
    const int t = threadIdx.x;
    x += (size_t)blockIdx.x * samples;
    y += (size_t)blockIdx.x * samples;

    if (t < delay) hist[t] = 0;                  // silence before the first sample
    __syncthreads();

    for (int base = 0; base < samples; base += CHUNK) {
        const int i = base + t;
        const int v = i < samples ? x[i] : 0;
        cur[t] = v;
        __syncthreads();

        const int old = hist[t];
        int tail = 0;
        if (t < delay) tail = pool[CHUNK + t];   // becomes the history of the next chunk
        if (i < samples) y[i] = v + old;
        __syncthreads();

        if (t < delay) hist[t] = tail;
    }
}

int main(int argc, char** argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 120;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (samples < 1 || samples > 1000000) { fprintf(stderr, "samples: 1..1000000\n"); return 2; }
    const int delay = seed % (MAX_DELAY + 1), channels = 10;
    size_t n = (size_t)samples * channels;
    std::vector<short> x(n);
    std::vector<int> y(n);
    unsigned s = seed * 2246822519u + 3266489917u;
    for (auto& v : x) { s = s * 134775813u + 1u; v = (short)(s >> 16); }

    short* dx; int* dy;
    DO(cudaMalloc(&dx, n * sizeof(short)));
    DO(cudaMalloc(&dy, n * sizeof(int)));
    DO(cudaMemcpy(dx, x.data(), n * sizeof(short), cudaMemcpyHostToDevice));
    comb<<<channels, CHUNK>>>(dx, dy, samples, delay);
    DO(cudaGetLastError());
    DO(cudaMemcpy(y.data(), dy, n * sizeof(int), cudaMemcpyDeviceToHost));

    long long sum = 0;
    for (int c = 0; c < channels; ++c)
        for (int i = 0; i < samples; ++i) {
            size_t k = (size_t)c * samples + i;
            int want = x[k] + (i >= delay ? x[k - delay] : 0);
            if (want != y[k]) { printf("FAIL channel %d sample %d\n", c, i); return 1; }
            sum += (long long)want * (i % 29 + 1);
        }
    printf("PASS %lld\n", sum);
    cudaFree(dx); cudaFree(dy);
    return 0;
}

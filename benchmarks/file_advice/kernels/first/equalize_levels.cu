// Histogram equalization of an 8 bit signal: histogram, cumulative sum, lookup. One block.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define LEVELS 256

#define TRY(stmt)                                                   \
    if (cudaError_t err = (stmt)) {                                 \
        fprintf(stderr, "%s -> %s\n", #stmt, cudaGetErrorName(err)); \
        return 1;                                                   \
    }

__global__ void equalize(const unsigned char *in, unsigned char *out, int n)
{
    __shared__ int hist[LEVELS];
    __shared__ int cdf[LEVELS];
    const int t = threadIdx.x;

    hist[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += LEVELS)
        atomicAdd(&hist[in[i]], 1);
    __syncthreads();

    int x = hist[t];
    cdf[t] = x;
    __syncthreads();
    for (int d = 1; d < LEVELS; d *= 2) {
        int left = 0;
        if (t >= d)
            left = cdf[t - d];
        __syncthreads();
        x += left;
        cdf[t] = x;
        __syncthreads();
    }
    __syncthreads();   // cdf complete

    for (int i = t; i < n; i += LEVELS)
        out[i] = (unsigned char)(255LL * cdf[in[i]] / n);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (n <= 0 || n > 1000000) {
        fprintf(stderr, "size 1..1000000\n");
        return 2;
    }
    std::vector<unsigned char> img(n), res(n);
    for (int i = 0; i < n; i++)   // seed 0 is the gray ramp test picture
        img[i] = seed == 0 ? (unsigned char)i : (unsigned char)((i * 7919u + (unsigned)seed * 104729u) % 251u / 2u);

    unsigned char *a, *b;
    TRY(cudaMalloc(&a, n));
    TRY(cudaMalloc(&b, n));
    TRY(cudaMemcpy(a, img.data(), n, cudaMemcpyHostToDevice));
    equalize<<<1, LEVELS>>>(a, b, n);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(res.data(), b, n, cudaMemcpyDeviceToHost));

    int cdf[LEVELS] = {0};
    for (int i = 0; i < n; i++) cdf[img[i]]++;
    for (int v = 1; v < LEVELS; v++) cdf[v] += cdf[v - 1];
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        if (res[i] != (unsigned char)(255LL * cdf[img[i]] / n)) {
            printf("FAIL %d\n", i);
            return 1;
        }
        sum += res[i] * (i % 17 + 1);
    }
    printf("PASS %u\n", sum);
    return 0;
}

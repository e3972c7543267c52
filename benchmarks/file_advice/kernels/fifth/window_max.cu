// Sliding maximum; the radius comes from the size.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#define BS 128
#define RMAX 4

__global__ void windowMax(const int *x, int *y, int n, int R)
{
    __shared__ int s[BS + 2 * RMAX];
    int t = threadIdx.x, base = blockIdx.x * BS, i = base + t;
    s[t + R] = i < n ? x[i] : -1;
    if (t < R) {
        int l = base - R + t, r = base + BS + t;
        s[t] = l >= 0 ? x[l] : -1;
        s[BS + R + t] = r < n ? x[r] : -1;
    }
    __syncthreads();
    int m = -1;
    for (int k = 0; k <= 2 * R; k++) m = max(m, s[t + k]);
    __syncthreads();
    if (i < n) y[i] = m;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    unsigned seed = argc > 2 ? strtoul(argv[2], 0, 10) : 9;
    if (n < 1 || n > 30000000) { fprintf(stderr, "n too small or large\n"); return 2; }
    int R = n % (RMAX + 1);
    std::vector<int> x(n), y(n);
    for (int i = 0; i < n; i++) { seed = seed * 69069u + 1; x[i] = seed >> 12; }
    int *dx, *dy;
    cudaMalloc(&dx, n * sizeof(int)); cudaMalloc(&dy, n * sizeof(int));
    cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    windowMax<<<(n + BS - 1) / BS, BS>>>(dx, dy, n, R);
    if (cudaMemcpy(y.data(), dy, n * sizeof(int), cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    long long c = 0;
    for (int i = 0; i < n; i++) {
        int m = -1;
        for (int k = std::max(0, i - R); k <= std::min(n - 1, i + R); k++) m = std::max(m, x[k]);
        if (m != y[i]) { printf("FAIL %d\n", i); return 1; }
        c += m;
    }
    printf("PASS %lld\n", c);
    return 0;
}

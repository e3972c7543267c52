// Apply a block-local permutation, then its inverse, as a round trip check.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <numeric>
#include <random>
#include <algorithm>
using namespace std;
enum { B = 192 };

__global__ void roundTrip(const int *in, const int *perm, int *fwd, int *back)
{
    __shared__ int a[B], b[B];
    int t = threadIdx.x, g = blockIdx.x * B + t;
    a[t] = in[g];
    __syncthreads();
    int p = perm[g];
    int v = a[p];
    fwd[g] = v;
    __syncthreads(); // done with a
    b[p] = v * 3;
    __syncthreads();
    back[g] = b[t];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    unsigned seed = argc > 2 ? atoi(argv[2]) : 0;
    if (n < 1 || n > 200000) { fprintf(stderr, "blocks: 1..200000\n"); return 2; }
    int m = n * B;
    vector<int> in(m), perm(m), f(m), k(m);
    mt19937 rng(seed);
    for (int i = 0; i < n; i++) {
        auto s = perm.begin() + i * B;
        iota(s, s + B, 0);
        if (seed) shuffle(s, s + B, rng);
    }
    for (auto &x : in) x = rng() % 100000;
    int *d[4];
    for (auto &p : d) cudaMalloc(&p, m * sizeof(int));
    cudaMemcpy(d[0], in.data(), m * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], perm.data(), m * sizeof(int), cudaMemcpyHostToDevice);
    roundTrip<<<n, B>>>(d[0], d[1], d[2], d[3]);
    cudaMemcpy(f.data(), d[2], m * sizeof(int), cudaMemcpyDeviceToHost);
    if (cudaMemcpy(k.data(), d[3], m * sizeof(int), cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    long long sum = 0;
    for (int i = 0; i < m; i++) {
        if (f[i] != in[i / B * B + perm[i]] || k[i] != 3 * in[i]) { puts("FAIL"); return 1; }
        sum += (long long)f[i] * (i % 101);
    }
    printf("PASS %lld\n", sum);
    return 0;
}

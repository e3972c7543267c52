// CSR-stream SpMV: a block takes a bundle of consecutive rows whose nonzeros fit
// into shared memory, forms the products with coalesced loads, then one thread
// adds up each row.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) if ((call) != cudaSuccess) { fprintf(stderr, "CUDA error at line %d\n", __LINE__); return 1; }

static const int TPB = 64;
static const int CAP = 512;        // products per bundle
static const int MAXROW = 24;      // longest row produced by the generator

__global__ void csr_stream(int nbundles, const int* bundle, const int* rowptr, const int* colidx,
                           const long long* a, const long long* x, long long* y)
{
    __shared__ long long prod[CAP];
    for (int b = blockIdx.x; b < nbundles; b += gridDim.x) {
        int r0 = bundle[b], r1 = bundle[b + 1];
        int first = rowptr[r0];
        int cnt = rowptr[r1] - first;

        for (int k = threadIdx.x; k < cnt; k += TPB)
            prod[k] = a[first + k] * x[colidx[first + k]];
        __syncthreads();

        for (int r = r0 + threadIdx.x; r < r1; r += TPB) {
            long long s = 0;
            for (int k = rowptr[r]; k < rowptr[r + 1]; ++k) s += prod[k - first];
            y[r] = s;
        }
        __syncthreads();
    }
}

int main(int argc, char** argv)
{
    int n = 3000;
    unsigned seed = 0;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) seed = (unsigned)atoi(argv[2]);
    if (n < 1 || n > 1000000) { fprintf(stderr, "usage: %s [rows 1..1000000] [seed]\n", argv[0]); return 2; }

    // seed 0 gives a diagonal matrix, any other seed a random one
    unsigned st = seed;
    auto rnd = [&st]() { st ^= st << 13; st ^= st >> 17; st ^= st << 5; return st; };
    std::vector<int> rp(n + 1, 0), ci;
    std::vector<long long> a, x(n), y(n), ref(n, 0);
    for (int i = 0; i < n; ++i) x[i] = (i * 37LL) % 101 - 50;
    for (int r = 0; r < n; ++r) {
        int len = seed ? (int)(rnd() % (MAXROW + 1)) : 1;
        for (int k = 0; k < len; ++k) {
            int c = seed ? (int)(rnd() % n) : r;
            ci.push_back(c); a.push_back(1 + (r + k) % 9);
            ref[r] += a.back() * x[c];
        }
        rp[r + 1] = (int)ci.size();
    }
    std::vector<int> bundle(1, 0);
    for (int r = 0; r < n; ++r) {
        int r0 = bundle.back();
        if (rp[r + 1] - rp[r0] > CAP || r - r0 >= 2 * TPB) bundle.push_back(r);
    }
    bundle.push_back(n);
    int nb = (int)bundle.size() - 1;
    size_t nz = ci.size() ? ci.size() : 1;
    ci.resize(nz); a.resize(nz);

    int *db, *dr, *dc; long long *da, *dx, *dy;
    CHECK(cudaMalloc(&db, bundle.size() * sizeof(int)));
    CHECK(cudaMalloc(&dr, rp.size() * sizeof(int)));
    CHECK(cudaMalloc(&dc, nz * sizeof(int)));
    CHECK(cudaMalloc(&da, nz * sizeof(long long)));
    CHECK(cudaMalloc(&dx, n * sizeof(long long)));
    CHECK(cudaMalloc(&dy, n * sizeof(long long)));
    CHECK(cudaMemcpy(db, bundle.data(), bundle.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dr, rp.data(), rp.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dc, ci.data(), nz * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(da, a.data(), nz * sizeof(long long), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(long long), cudaMemcpyHostToDevice));
    csr_stream<<<nb < 32 ? nb : 32, TPB>>>(nb, db, dr, dc, da, dx, dy);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), dy, n * sizeof(long long), cudaMemcpyDeviceToHost));
    long long sum = 0;
    bool good = true;
    for (int r = 0; r < n; ++r) { good = good && y[r] == ref[r]; sum += y[r] * (1 + r % 5); }
    if (!good) { puts("FAIL"); return 1; }
    printf("PASS %lld\n", sum);
    return 0;
}

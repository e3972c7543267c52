// Evaluate a polynomial given by shared coefficients at the digit-reversed argument.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define DEG 8

__global__ void poly(const unsigned* x, const unsigned* coef, unsigned* out, int n)
{
    __shared__ unsigned c[DEG];
    __shared__ unsigned stack[6][128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < DEG) c[t] = coef[t];
    unsigned v = i < n ? x[i] : 0;
    for (int k = 0; k < 6; ++k) {
        stack[k][t] = v % 10;
        v /= 10;
    }
    __syncthreads();
    unsigned rev = 0;
    for (int k = 0; k < 6; ++k) {
        rev = rev * 10 + stack[k][t];
        __syncthreads();
    }
    unsigned acc = 0;
    for (int k = DEG - 1; k >= 0; --k) acc = acc * rev + c[k];
    if (i < n) out[i] = acc;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32;
    unsigned seed = argc > 2 ? atoi(argv[2]) : 2;
    if (n < 1 || n > 40000000) { puts("n?"); return 2; }
    int block = n <= 32 ? 32 : 128;
    std::vector<unsigned> x(n), o(n), c(DEG);
    for (int i = 0; i < n; ++i) x[i] = (i * 7717u + seed) % 1000000u;
    for (int k = 0; k < DEG; ++k) c[k] = k * k + seed;
    unsigned *dx, *dc, *d;
    cudaMalloc(&dx, n * 4); cudaMalloc(&dc, DEG * 4); cudaMalloc(&d, n * 4);
    cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), DEG * 4, cudaMemcpyHostToDevice);
    poly<<<(n + block - 1) / block, block>>>(dx, dc, d, n);
    if (cudaMemcpy(o.data(), d, n * 4, cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    unsigned chk = 0;
    for (int i = 0; i < n; ++i) {
        unsigned v = x[i], rev = 0, acc = 0;
        for (int k = 0; k < 6; ++k, v /= 10) rev = rev * 10 + v % 10;
        for (int k = DEG - 1; k >= 0; --k) acc = acc * rev + c[k];
        if (acc != o[i]) { printf("FAIL %d\n", i); return 1; }
        chk = chk * 5 + acc;
    }
    printf("PASS %u\n", chk);
    return 0;
}

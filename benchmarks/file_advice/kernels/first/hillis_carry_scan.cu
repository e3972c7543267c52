// Inclusive prefix sum with one block: Hillis-Steele with two buffers, carry from chunk to chunk.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU(call) do { cudaError_t rc = call; if (rc) { std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(rc)); std::exit(1); } } while (0)

__global__ void scanChunks(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, int n)
{
    extern __shared__ uint32_t buf[];          // 2 * blockDim.x
    __shared__ uint32_t carry;
    const int B = blockDim.x;
    const int t = threadIdx.x;
    if (t == 0) carry = 0;

    for (int base = 0; base < n; base += B)
    {
        const int i = base + t;
        uint32_t v = i < n ? in[i] : 0u;
        int p = 0;
        buf[t] = v;
        __syncthreads();
        for (int d = 1; d < B; d *= 2)
        {
            if (t >= d) v += buf[p * B + t - d];
            __syncthreads();                   // all have read
            p ^= 1;
            buf[p * B + t] = v;
            __syncthreads();                   // all have written
        }
        if (i < n) out[i] = v + carry;
        __syncthreads();
        if (t == B - 1) carry += v;
        __syncthreads();                       // carry ready for the next chunk
    }
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 900;
    uint32_t x = argc > 2 ? std::strtoul(argv[2], nullptr, 0) : 42;
    if (n <= 0 || n > 1 << 20) { std::fprintf(stderr, "1 <= n <= 2^20 please\n"); return 2; }
    int B = 32;
    while (B < n && B < 1024) B *= 2;

    std::vector<uint32_t> h(n), r(n);
    for (auto& e : h) { x ^= x << 13; x += 0x9e3779b9u; x ^= x >> 17; e = x & 255; }
    uint32_t *a, *b;
    GPU(cudaMalloc((void**)&a, n * sizeof *a));
    GPU(cudaMalloc((void**)&b, n * sizeof *b));
    GPU(cudaMemcpy(a, h.data(), n * sizeof *a, cudaMemcpyHostToDevice));
    scanChunks<<<1, B, 2 * B * sizeof(uint32_t)>>>(a, b, n);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(r.data(), b, n * sizeof *b, cudaMemcpyDeviceToHost));

    uint32_t run = 0, check = 0;
    for (int i = 0; i < n; ++i)
    {
        run += h[i];
        if (run != r[i]) { std::printf("FAIL [%d] %u, not %u\n", i, r[i], run); return 1; }
        check = check * 33 + run;
    }
    std::printf("PASS %u\n", check);
    return 0;
}

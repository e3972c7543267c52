// sound
// launch: 4x32

__device__ volatile unsigned long long words[8];

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t == 0) {
        unsigned before = 0;
        if (blockIdx.x) {
            unsigned long long word;
            do {
                word = words[blockIdx.x - 1];
            } while (word >> 32 == 0);
            before = word;
        }
        words[blockIdx.x] = 1ull << 32 | before + in[g];
        out[blockIdx.x] = before;
    }
}

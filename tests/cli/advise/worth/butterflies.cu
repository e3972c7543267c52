#include <cuda_runtime.h>
__global__ void butterflies(const float* in, float* out, int rounds) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float x = in[i];
    for (int r = 0; r < rounds; ++r) {
        for (int d = 1; d < 32; d *= 2) {
            s[t] = x;
            __syncwarp();
            float other = s[t ^ d];
            __syncwarp();
            x = x * 0.5f + other;
        }
    }
    out[i] = x;
}
int main() {
    int n = 1 << 20, rounds = 16;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    butterflies<<<n / 256, 256>>>(in, out, rounds);
}

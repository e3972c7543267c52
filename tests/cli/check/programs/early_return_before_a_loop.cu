// doubtful: threads exit before a barrier at which others wait
__global__ void tiles(const float *in, float *out, int n, int count) {
    __shared__ float s[64];
    if (threadIdx.x >= n) return;
    float sum = 0;
    for (int tile = 0; tile < count; tile++) {
        s[threadIdx.x] = in[tile * 64 + threadIdx.x];
        __syncthreads();
        sum += s[n - 1 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    tiles<<<1, 64>>>(in, out, 50, 4);
}

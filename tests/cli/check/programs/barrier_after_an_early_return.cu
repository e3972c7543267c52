// doubtful: threads exit before a barrier at which others wait
__global__ void sums(const float *in, float *out, int n) {
    __shared__ float s[128];
    if (threadIdx.x >= n) return;
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 100 * sizeof(float));
    cudaMalloc(&out, 100 * sizeof(float));
    sums<<<1, 128>>>(in, out, 100);
}

// broken: stands in a condition at barrier_in_a_condition.cu:6 that thread
__global__ void sums(const float *in, float *out) {
    __shared__ float s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 48) {
        s[threadIdx.x] += s[threadIdx.x + 64];
        __syncthreads();
    }
    out[threadIdx.x] = s[threadIdx.x] * 2;
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof(float));
    cudaMalloc(&out, 128 * sizeof(float));
    sums<<<1, 128>>>(in, out);
}

// clean: not checked: a part of line 6, which never ran
__global__ void mark(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x] == 12345 && s[63 - threadIdx.x] == 54321;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    mark<<<1, 64>>>(in, out);
}

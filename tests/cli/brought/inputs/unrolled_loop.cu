// Right for advise: the loop runs 5 times, not once; __syncwarp() is enough in lines 6, 9 and 12. (The compiler unrolls the loop by four.)
__global__ void delayed(const int* in, int* out, int count) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t, x = in[i];
    s[t] = 0;
    __syncthreads();
    for (int k = 0; k < count; k++) {
        int before = (t & 31) ? s[t - 1] : 0;
        __syncthreads();
        s[t] = x + k;
        x += before;
        __syncthreads();
    }
    out[i] = x;
}

int main() {
    int n = 8192;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    for (int i = 0; i < n; i++) in[i] = (i * 37 + 11) % 1009;
    delayed<<<64, 128>>>(in, out, 5);
    cudaDeviceSynchronize();
    return out[0] == -1;
}

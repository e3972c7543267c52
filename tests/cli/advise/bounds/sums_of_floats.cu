// sums of floating-point numbers, read as integers
__global__ void k(int* out, float f) {
    __shared__ int s[2048];
    int tid = threadIdx.x;
    int at = __float_as_int(f + __int_as_float(tid)) - __float_as_int(f);
    s[1024 + tid] = tid;
    __syncthreads();
    out[blockIdx.x * 256 + tid] = s[1024 + at];
}
int main() {
    int *out; cudaMalloc(&out, 16384 * 4);
    k<<<4, 256>>>(out, 0.f);
    cudaDeviceSynchronize();
}

// zero-extended counter against a negative number; second exit
__global__ void k(int* out, int n) {
    __shared__ int s[1024];
    int tid = threadIdx.x, sum = 0;
    s[256 + ((tid + 32) & 255)] = 0;
    __syncthreads();
    unsigned i = 2; int t = 0;
#pragma unroll 1
    for (;;) {
        s[tid + t * 256] = tid;
        t++;
        if (t >= n) break;
        __threadfence_block();
        i -= 3;
        if (!((long long)i > (long long)(int)(threadIdx.x - 1))) break;
    }
    __syncthreads();
    sum += s[256 + ((tid + 32) & 255)];
    out[blockIdx.x * 256 + tid] = sum;
}
int main() {
    int* out; cudaMalloc(&out, 4 * 256 * 4);
    k<<<4, 256>>>(out, 1);
    cudaDeviceSynchronize();
}

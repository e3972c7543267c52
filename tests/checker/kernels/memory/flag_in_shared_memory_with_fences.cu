// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int data;
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 0) {
        data = in[blockIdx.x];
        __threadfence_block();
        flag = 1;
    } else if (t == 32) {
        while (flag == 0) {}
        __threadfence_block();
        out[blockIdx.x] = data;
    }
}

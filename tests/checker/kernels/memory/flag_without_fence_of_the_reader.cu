// broken: RAW
// launch: 2x32
// cooperative

__device__ int data;
__device__ volatile int flag;

__global__ void k(const int *in, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data = in[0];
        __threadfence();
        flag = 1;
    } else {
        while (flag == 0) {}
        out[0] = data;
    }
}

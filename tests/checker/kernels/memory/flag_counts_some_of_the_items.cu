// broken: WAR
// launch: 2x32
// cooperative

__device__ int items[8];
__device__ volatile int flag;

__global__ void k(const int *in, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 6; i++) {
            items[i] = in[i];
            __threadfence();
            flag = i + 1;
        }
    } else {
        while (flag < 3);
        __threadfence();
        int sum = 0;
        for (int i = 0; i < 6; i++) sum += items[i];
        out[0] = sum;
    }
}

// sound
// launch: 1x64

__global__ void k(const int *in, int *out) {
    __shared__ int slots[2];
    __shared__ volatile int head, tail;
    if (threadIdx.x == 0) head = tail = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) {
            while (i - tail >= 2);
            __threadfence_block();
            slots[i % 2] = in[i];
            __threadfence_block();
            head = i + 1;
        }
    }
    if (threadIdx.x == 32) {
        for (int i = 0; i < 4; i++) {
            while (head <= i);
            __threadfence_block();
            out[i] = slots[i % 2];
            __threadfence_block();
            tail = i + 1;
        }
    }
}

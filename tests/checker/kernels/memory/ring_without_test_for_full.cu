// broken: WAR
// launch: 1x64

// The compiler unrolls the first loop: thread 0 sets `head` four times without a branch.
__global__ void k(const int *in, int *out) {
    __shared__ int slots[2];
    __shared__ volatile int head;
    if (threadIdx.x == 0) head = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) {
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
        }
    }
}

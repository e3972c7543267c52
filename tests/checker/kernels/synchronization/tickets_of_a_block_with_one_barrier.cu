// broken: WAR
// launch: 2x64

// The first thread may draw the next ticket before the others have read the last one.
__global__ void k(const int *in, int *out) {
    __shared__ int ticket;
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, next = 0, sum = 0;
    for (;;) {
        if (t == 0) ticket = next++;
        __syncthreads();
        int mine = ticket;
        if (mine == 4) break;
        sum += in[g] * mine;
    }
    out[g] = sum;
}

// broken: RAW
// launch: 1x128

__global__ void k(const int *in, int *out) {
    __shared__ int values[128], zeros[4];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, value = in[t];
    for (int bit = 0; bit < 4; bit++) {
        unsigned votes = __ballot_sync(0xffffffff, !(value >> bit & 1));
        if (lane == 0) zeros[warp] = __popc(votes);
        __syncthreads();
        int before = 0, all = 0;
        for (int w = 0; w < 4; w++) {
            before += w < warp ? zeros[w] : 0;
            all += zeros[w];
        }
        before += __popc(votes & ((1u << lane) - 1));
        values[value >> bit & 1 ? all + t - before : before] = value;
        value = values[t];
        __syncthreads();
    }
    out[t] = value;
}

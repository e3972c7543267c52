// broken: RAW
// launch: 2x64

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keep = in[i] & 1;
    unsigned votes = __ballot_sync(0xffffffff, keep);
    int start = 0;
    if (lane == 0) { start = out[0]; out[0] = start + __popc(votes); }
    start = __shfl_sync(0xffffffff, start, 0);
    if (keep) out[1 + start + __popc(votes & ((1u << lane) - 1))] = in[i];
}

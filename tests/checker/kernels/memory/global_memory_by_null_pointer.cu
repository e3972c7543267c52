// broken: OUT_OF_BOUNDS
// launch: 1x64

__global__ void k(const int *in, int *out) {
    int *p = reinterpret_cast<int *>(static_cast<size_t>(in[0] >> 30 & 4));
    p[threadIdx.x] = 1;
}

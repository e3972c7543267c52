// broken: WAR
// launch: 2x64

// The store writes what the place holds before the launch, but it is still concurrent with the reads.
__global__ void k(const int *in, int *out) {
    int x = out[0];
    if (threadIdx.x == 33) out[0] = 0;
    out[1 + blockIdx.x * blockDim.x + threadIdx.x] = x + in[0];
}

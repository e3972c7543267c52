// sound
// launch: 2x1x2:4x4x4

__global__ void k(const int *in, int *out) {
    int x = blockIdx.x * 4 + threadIdx.x, y = threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
    out[(z * 4 + y) * 8 + x] = in[(x * 4 + y) * 8 + z];
}

// broken: RAW
// launch: 1:8x4x4

__global__ void k(const int *in, int *out) {
    __shared__ int s[4][4][8];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = (z * 4 + y) * 8 + x;
    s[z][y][x] = in[i];
    __syncwarp();
    out[i] = s[(z + 1) % 4][y][x] + s[z][(y + 1) % 4][x];
}

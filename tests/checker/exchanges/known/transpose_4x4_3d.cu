// launch: 2:4x4x8
__global__ void transpose_4x4_3d(const float *in, float *out) {
  __shared__ float s[8][4][5];
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  int g = blockIdx.x * 128 + (z * 4 + y) * 4 + x;
  s[z][y][x] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  out[g] = s[z][x][y];  // load a: lane
}

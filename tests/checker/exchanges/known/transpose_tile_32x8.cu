// launch: 2x2:32x8 args: n=64 in=f32[4096] out=f32[4096]
__global__ void transpose_tile_32x8(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  for (int j = 0; j < 32; j += 8)
    tile[ty + j][tx] = in[(y + j) * n + x];  // store: a
  __syncthreads();  // barrier: needed
  x = blockIdx.y * 32 + tx;
  y = blockIdx.x * 32 + ty;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[tx][ty + j];  // load a: across
}

// launch: 2x128
__global__ void global_in_place_shift(float *buf) {
  int t = threadIdx.x, base = blockIdx.x * 128;
  float v = buf[base + (t + 1) % 128];
  __syncthreads();  // barrier: needed
  buf[base + t] = v * 0.5f;
}

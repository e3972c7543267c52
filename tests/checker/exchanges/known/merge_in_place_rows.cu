// launch: 2x128
__global__ void merge_in_place_rows(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, lane = t & 31, g = blockIdx.x * 128 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  for (int j = 16; j > 0; j >>= 1) {
    if ((lane & j) == 0) {
      float x = s[t];  // load a: thread; load b: thread; load c: up 16 8 4 2
      float y = s[t + j];  // load a: down 16; load b: down 8 4 2 1; load c: up 8 4 2 1
      s[t] = fminf(x, y);  // store: b
      s[t + j] = fmaxf(x, y);  // store: c
    }
    __syncthreads();  // barrier: warp
  }
  out[g] = s[t];  // load b: thread; load c: up 1
}

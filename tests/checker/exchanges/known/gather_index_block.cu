// launch: 1x256 idx=i32[256]:index
__global__ void gather_index_block(const float *in, const int *idx, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];  // store: a
  __syncthreads();  // barrier: needed
  out[t] = s[(idx[t] + 3 * t + 40) & 255];  // load a: across
}

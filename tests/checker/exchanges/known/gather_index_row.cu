// launch: 2x256 idx=i32[512]:index
__global__ void gather_index_row(const float *in, const int *idx, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x, g = blockIdx.x * 256 + t;
  s[t] = in[g];  // store: a
  int j = (t & ~31) | ((idx[g] * 11 + t * 3) & 31);
  __syncthreads();  // barrier: warp
  out[g] = s[j];  // load a: lane
}

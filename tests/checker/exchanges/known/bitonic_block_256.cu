// launch: 2x256
__global__ void bitonic_block_256(const int *in, int *out) {
  __shared__ int s[256];
  int t = threadIdx.x, g = blockIdx.x * 256 + t;
  int v = in[g];
  for (int k = 2; k <= 256; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      s[t] = v;  // store: a
      __syncthreads();  // barrier: needed
      int o = s[t ^ j];  // load a: xor 1 2 4 8 16 + across
      __syncthreads();  // barrier: needed
      bool low = ((t & j) == 0) == ((t & k) == 0);
      v = low ? min(v, o) : max(v, o);
    }
  }
  out[g] = v;
}

// launch: 2x128
__global__ void syncwarp_reuse(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  float v = in[g];
  s[t] = v;  // store: a
  __syncwarp();
  float x = s[t ^ 4];  // load a: xor 4
  __syncthreads();  // barrier: warp
  s[t] = x * v;  // store: b
  __syncwarp();
  out[g] = s[t ^ 9];  // load b: xor 9
}

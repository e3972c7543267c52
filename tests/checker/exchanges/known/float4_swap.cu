// launch: 2x64
__global__ void float4_swap(const float4 *in, float4 *out) {
  __shared__ float4 s[64];
  int t = threadIdx.x, g = blockIdx.x * 64 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  float4 q = s[t ^ 2];  // load a: xor 2
  out[g] = make_float4(q.w, q.z, q.y, q.x);
}

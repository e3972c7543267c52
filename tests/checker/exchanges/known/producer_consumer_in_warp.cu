// launch: 2x128
__global__ void producer_consumer_in_warp(const float *in, float *out) {
  __shared__ float s[4][16];
  int t = threadIdx.x, lane = t % 32, w = t / 32;
  int g = (blockIdx.x * 4 + w) * 16 + lane % 16;
  if (lane < 16)
    s[w][lane] = in[g] * 3.0f;  // store: a
  __syncthreads();  // barrier: warp
  if (lane >= 16)
    out[g] = s[w][lane - 16] + 1.0f;  // load a: up 16
}

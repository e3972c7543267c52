// Random numbers in place of cuRAND's, for files that are compiled without it: states of the same size, whose numbers
// are uniform and differ from those of cuRAND.
#ifndef SHFLBENCH_CURAND_KERNEL
#define SHFLBENCH_CURAND_KERNEL
struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStateMRG32k3a {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
  unsigned d, v[5], rest[4];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

template <typename State>
__device__ inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                   State *state) {
  unsigned long long x = seed ^ (sequence * 0x9E3779B97F4A7C15ull) ^ (offset * 0xD1B54A32D192ED03ull);
  for (int i = 0; i < 5; ++i) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull + 0x9E3779B97F4A7C15ull;
    state->v[i] = static_cast<unsigned>(x >> 32) | 1;
  }
  state->d = static_cast<unsigned>(x);
}
template <typename State>
__device__ inline unsigned curand(State *state) {
  unsigned t = state->v[0] ^ (state->v[0] >> 2);
  for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
  state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
  return state->v[4] + (state->d += 362437);
}
template <typename State>
__device__ inline float curand_uniform(State *state) {
  return curand(state) * 2.3283064e-10f + 1.1641532e-10f;
}
template <typename State>
__device__ inline double curand_uniform_double(State *state) {
  return curand(state) * 2.3283064365386963e-10 + 1.1641532182693481e-10;
}
template <typename State>
__device__ inline float2 curand_normal2(State *state) {
  float radius = sqrtf(-2 * logf(curand_uniform(state))), angle = 6.2831853f * curand_uniform(state);
  return make_float2(radius * cosf(angle), radius * sinf(angle));
}
template <typename State>
__device__ inline float curand_normal(State *state) {
  return curand_normal2(state).x;
}
template <typename State>
__device__ inline double curand_normal_double(State *state) {
  return curand_normal2(state).x;
}
template <typename State>
__device__ inline uint4 curand4(State *state) {
  uint4 result;
  result.x = curand(state), result.y = curand(state), result.z = curand(state), result.w = curand(state);
  return result;
}
template <typename State>
__device__ inline float4 curand_uniform4(State *state) {
  float4 result;
  result.x = curand_uniform(state), result.y = curand_uniform(state);
  result.z = curand_uniform(state), result.w = curand_uniform(state);
  return result;
}
template <typename State>
__device__ inline float4 curand_normal4(State *state) {
  float2 one = curand_normal2(state), other = curand_normal2(state);
  return make_float4(one.x, one.y, other.x, other.y);
}
#endif

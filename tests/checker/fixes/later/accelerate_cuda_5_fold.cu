// broken: barriers of a reduction stand in a condition that differs between lanes of a warp
// fixed: clean
// launch: 2x64
// source: https://github.com/AccelerateHS/accelerate-cuda/pull/5
// Written anew after the thread: no code of it.
// A step adds the value of a thread farther on, if there is such a value, and separates read and write by a barrier in this condition.
// The fix: the barriers are executed by all threads.
// Left out: the generated code, steps within a warp, types.
constexpr int COUNT = 50;

__global__ void fold_all(const float *in, float *out) {
    __shared__ float values[64];
    int t = threadIdx.x;
    float sum = t < COUNT ? in[blockIdx.x * COUNT + t] : 0;
    values[t] = sum;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        bool has_partner = t + step < COUNT;
#ifdef FIXED
        if (has_partner) sum += values[t + step];
        __syncthreads();
        if (has_partner) values[t] = sum;
#else
        if (has_partner) {
            sum += values[t + step];
            __syncthreads();  // later
            values[t] = sum;
        }
#endif
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum;
}

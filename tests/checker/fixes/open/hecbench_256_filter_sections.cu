// broken: WAR each section of a filter overwrites its output while the next one still reads it
// fixed: clean
// launch: 1x64
// source: https://github.com/ORNL/HeCBench/issues/256
// Written anew after the thread: no code of it.
// Each thread is a section: it reads what the one before has put out in the last step, and writes its own output in the same step.
// The fix: a barrier between read and write (the issue is closed; the change itself was not read).
// Left out: coefficients, delays, blocks for several signals.
constexpr int STEPS = 4;

__global__ void filter(const float *in, float *out) {
    __shared__ float outputs[64];
    int t = threadIdx.x;
    outputs[t] = 0;
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        float value = in[step];
        if (t > 0) value = outputs[t - 1];  // earlier
#ifdef FIXED
        __syncthreads();
#endif
        outputs[t] = 0.5f * value + t;  // later
        __syncthreads();
    }
    out[t] = outputs[t];
}

// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: quantize,gemm
// same: quantize.values=gemm.values
// source: https://github.com/flashinfer-ai/flashinfer/pull/2716 (issue 2708), Apache-2.0
// Written anew after the thread: no code of it.
// The wait stands in the code, and a macro that the build does not define removes it.
// Left out: the multiplication; the macro has another name.
#ifdef FIXED
#define GRID_DEPENDENCY_CONTROL
#endif

__device__ void wait_on_dependent_grids() {
#ifdef GRID_DEPENDENCY_CONTROL
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ void launch_dependent_grids() {
#ifdef GRID_DEPENDENCY_CONTROL
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

__global__ void quantize(const float *in, float *values) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    wait_on_dependent_grids();
    launch_dependent_grids();
    values[i] = rintf(in[i]);  // earlier
}

__global__ void gemm(const float *values, const float *b, float *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    wait_on_dependent_grids();
    d[i] = values[i] * b[i];  // later
    launch_dependent_grids();
}

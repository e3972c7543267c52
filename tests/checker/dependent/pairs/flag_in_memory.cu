// needs arguments: DEPENDENT_RAW BY_A_FLAG
// pdl: primary,secondary
// same: primary.out=secondary.in
// same: primary.flag=secondary.flag
// 
// A flag orders the launches by release and acquire, which is not followed between launches.
__global__ void primary(int *out, int *flag) {
    cudaTriggerProgrammaticLaunchCompletion();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = 7;  // earlier
        asm volatile("st.release.gpu.s32 [%0], 1;" ::"l"(flag) : "memory");
    }
}

__global__ void secondary(const int *in, const int *flag, int *result) {
#ifdef SOUND
    cudaGridDependencySynchronize();
    result[blockIdx.x * blockDim.x + threadIdx.x] = in[0];
#else
    int ready;
    do asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(ready) : "l"(flag) : "memory");
    while (!ready);
    result[blockIdx.x * blockDim.x + threadIdx.x] = in[0];  // later
#endif
}

// broken: RAW the thread that copies waits for its cp.async only after the barrier
// fixed: clean
// launch: 1:32x2
// source: https://github.com/NVIDIA/Fuser/pull/3438 (issue 3428), BSD-3-Clause
// Written anew after the thread: no code of it.
// Threads of the first row copy a vector that both rows read; their wait comes after the barrier.
// The fix: cp.async.wait_all before the barrier.
// Left out: the loop over rows, vectorized copies.
__device__ void copy_async(float *to, const float *from) {
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(from) : "memory");  // earlier
}

__global__ void add_vector(const float *matrix, const float *vector, float *result) {
    __shared__ float row[2][32], common[32];
    int x = threadIdx.x, y = threadIdx.y;
    if (y == 0) copy_async(&common[x], &vector[x]);
#ifdef FIXED
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
    copy_async(&row[y][x], &matrix[y * 32 + x]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    result[y * 32 + x] = row[y][x] + common[x];  // later
}

//: global smem shfl dtype=f32,f64,i32,i64 strip=8,32 missing=0,5

//! *
// Computes result[i] = x[i + 1] - x[i] for all i < count - 1, and 0 for the last one. Each warp processes 32 * {strip}
// elements. Call it once in each thread of a kernel with one-dimensional blocks of whole warps, and at least one thread
// per {strip} elements. `x` and `result` must not overlap: make them __restrict__ in the kernel as well.
// Integers wrap around on overflow.  //! dtype=i32,i64
//! global
// Each element is loaded twice; one of the loads hits the cache.
__device__ inline void adjacent_difference(const {T}* __restrict__ x, {T}* __restrict__ result, int count) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    int i = (blockIdx.x * blockDim.x + threadIdx.x - lane) * {strip} + lane;
    #pragma unroll 4
    for (int step = 0; step < {strip}; ++step, i += 32) {
        const {U} value = i < count ? x[i] : 0, right = i + 1 < count ? x[i + 1] : 0;
        if (i < count) result[i] = i + 1 < count ? right - value : 0;
    }
}

//! smem shfl
// The element that a lane loads ahead: its element among the next 32. Beyond the strip, only lane 0 needs one.
__device__ inline {T} load_ahead(const {T}* x, int i, int step, int count) {
    const bool needed = step + 1 < {strip} || threadIdx.x % 32 == 0;
    return needed && i + 32 < count ? x[i + 32] : 0;
}

//! smem
// Each element is loaded once. Shared memory holds the current and the next 32 elements of each warp:
// `slots` is shared memory, 2 * blockDim.x elements.
__device__ inline void
adjacent_difference(const {T}* __restrict__ x, {T}* __restrict__ result, int count, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    slots += (threadIdx.x - lane) * 2;
    int i = (blockIdx.x * blockDim.x + threadIdx.x - lane) * {strip} + lane;
    {U} value = i < count ? x[i] : 0;
    slots[lane] = value;
    #pragma unroll 4
    for (int step = 0; step < {strip}; ++step, i += 32) {
        const int current = step % 2 * 32;
        const {U} next = load_ahead(x, i, step, count);
        slots[(current ^ 32) + lane] = next;
        __syncwarp();  // all lanes have written
        const {U} right = slots[(current + lane + 1) % 64];
        __syncwarp();  // all lanes have read: the slots may be written again
        if (i < count) result[i] = i + 1 < count ? right - value : 0;
        value = next;
    }
}

//! shfl
// Each element is loaded once. The warp holds the current and the next 32 elements in registers.
__device__ inline void adjacent_difference(const {T}* __restrict__ x, {T}* __restrict__ result, int count) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    int i = (blockIdx.x * blockDim.x + threadIdx.x - lane) * {strip} + lane;
    {U} value = i < count ? x[i] : 0;
    #pragma unroll 4
    for (int step = 0; step < {strip}; ++step, i += 32) {
        const {U} next = load_ahead(x, i, step, count);
        // Lane 31 needs the first of the next 32 elements, and no lane needs the current element of lane 0.
        const {U} right = __shfl_sync(0xffffffffu, lane == 0 ? next : value, (lane + 1) % 32);
        if (i < count) result[i] = i + 1 < count ? right - value : 0;
        value = next;
    }
}

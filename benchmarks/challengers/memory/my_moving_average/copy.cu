//: smem global prefetch shfl dtype=f32,f64 missing=0,5

//! *
// The mean of five values, added from left to right.
__device__ inline {T} mean({T} a, {T} b, {T} c, {T} d, {T} e) {
    return (a + b + c + d + e) * 0.2f;  //! dtype=f32
    return (a + b + c + d + e) * 0.2;  //! dtype=f64
}

//! prefetch
// Every eighth block asks for the elements of eight later blocks, 8 MiB ahead, to have more bytes in flight than the
// resident blocks load.
__device__ inline void prefetch_later(const {T}* x, int count) {
    constexpr int AHEAD_BYTES = 8 << 20, AT_ONCE = 8;
    assert(reinterpret_cast<size_t>(x) % 16 == 0);
    if (threadIdx.x != 0 || blockIdx.x % AT_ONCE != 0) return;
    const int elements = AT_ONCE * blockDim.x, later = blockIdx.x * blockDim.x + AHEAD_BYTES / sizeof({T});
    if (later + elements > count) return;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                 :: "l"(x + later), "r"(elements * (int)sizeof({T})) : "memory");
}

//! *
// y[i] becomes the mean of x[i - 2] to x[i + 2]; the first two and the last two elements of y become 0. Call it once in
// each thread of a kernel with one-dimensional blocks of whole warps, and at least one thread per element. `x` and `y`
// must not overlap.
//! global prefetch
// Each thread loads its five values; those that its neighbors load, too, come from the cache.
// `x` must be aligned to 16 bytes. From sm_90 on.  //! prefetch
__device__ inline void moving_average(const {T}* x, {T}* y, int count) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    prefetch_later(x, count);  //! prefetch
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    y[i] = i > 1 && i < count - 2 ? mean(x[i - 2], x[i - 1], x[i], x[i + 1], x[i + 2]) : 0;
}

//! smem
// A block loads its elements and two on either side into shared memory. `slots` is shared
// memory, blockDim.x + 4 elements.
__device__ inline void moving_average(const {T}* x, {T}* y, int count, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int i = blockIdx.x * blockDim.x + threadIdx.x, last = blockDim.x - 1, thread = threadIdx.x;
    {T}* slot = slots + 2 + thread;
    if (i < count) *slot = x[i];
    if (thread < 2 && i >= 2) slot[-2] = x[i - 2];
    if (thread > last - 2 && i + 2 < count) slot[2] = x[i + 2];
    __syncthreads();  // all threads have written
    if (i < count) y[i] = i > 1 && i < count - 2 ? mean(slot[-2], slot[-1], slot[0], slot[1], slot[2]) : 0;
}

//! shfl
// Each warp loads its elements and two on either side into registers. All lanes take part in all shuffles, also those
// beyond the end of the array.
__device__ inline void moving_average(const {T}* x, {T}* y, int count) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const {T} center = i < count ? x[i] : 0;
    {T} left2 = lane < 2 && i >= 2 ? x[i - 2] : 0;
    {T} right2 = lane > 29 && i + 2 < count ? x[i + 2] : 0;

    // The outer lanes get the value of a neighbor outside the warp from the lane that loaded it.
    {T} left1 = __shfl_up_sync(0xffffffffu, center, 1);
    const {T} left_of_warp = __shfl_sync(0xffffffffu, left2, 1);
    if (lane == 0) left1 = left_of_warp;
    {T} right1 = __shfl_down_sync(0xffffffffu, center, 1);
    const {T} right_of_warp = __shfl_sync(0xffffffffu, right2, 30);
    if (lane == 31) right1 = right_of_warp;

    const {T} up2 = __shfl_up_sync(0xffffffffu, center, 2), down2 = __shfl_down_sync(0xffffffffu, center, 2);
    if (lane >= 2) left2 = up2;
    if (lane <= 29) right2 = down2;
    if (i < count) y[i] = i > 1 && i < count - 2 ? mean(left2, left1, center, right1, right2) : 0;
}

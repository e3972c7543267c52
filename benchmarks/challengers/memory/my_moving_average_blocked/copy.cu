//: smem global shfl dtype=f32,f64 per_thread=4,8 missing=0,5

//! *
// Consecutive elements of a thread, which are loaded and stored 16 bytes at a time.
constexpr int PER_THREAD = {per_thread};
struct alignas(16) Elements {
    {T} x[PER_THREAD];
};
// Two adjacent elements, which are loaded and stored at once.
struct alignas(2 * sizeof({T})) Pair {
    {T} a, b;
};

// Each of these is zero beyond the ends of the array.
__device__ inline Elements load(const {T}* x, int first, int count) {
    return first < count ? *reinterpret_cast<const Elements*>(x + first) : Elements{};
}
__device__ inline Pair load_before(const {T}* x, int first, int count) {
    return first > 0 && first < count ? *reinterpret_cast<const Pair*>(x + first - 2) : Pair{};
}
__device__ inline Pair load_after(const {T}* x, int first, int count) {
    const int next = first + PER_THREAD;
    return next < count ? *reinterpret_cast<const Pair*>(x + next) : Pair{};
}

// Stores the means of five values, added from left to right, for the elements of a thread.
__device__ inline void store_means({T}* y, int first, int count, Pair before, const Elements& own, Pair after) {
    if (first >= count) return;
    {T} x[PER_THREAD + 4] = {before.a, before.b};
    #pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) x[2 + i] = own.x[i];
    x[PER_THREAD + 2] = after.a;
    x[PER_THREAD + 3] = after.b;
    Elements means;
    #pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) {
        means.x[i] = (x[i] + x[i + 1] + x[i + 2] + x[i + 3] + x[i + 4]) * 0.2f;  //! dtype=f32
        means.x[i] = (x[i] + x[i + 1] + x[i + 2] + x[i + 3] + x[i + 4]) * 0.2;  //! dtype=f64
    }
    if (first == 0) means.x[0] = means.x[1] = 0;
    if (first + PER_THREAD == count) means.x[PER_THREAD - 2] = means.x[PER_THREAD - 1] = 0;
    *reinterpret_cast<Elements*>(y + first) = means;
}

// y[i] becomes the mean of x[i - 2] to x[i + 2]; the first two and the last two elements of y become 0. `count` must be
// a multiple of PER_THREAD, and both arrays must be aligned to 16 bytes and must not overlap. Call it once in each
// thread of a kernel with one-dimensional blocks of whole warps, and at least one thread per PER_THREAD elements.
//! global
// Each thread loads the elements on either side of its own, too, which come from the cache.
__device__ inline void moving_average(const {T}* x, {T}* y, int count) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(count % PER_THREAD == 0);
    assert(reinterpret_cast<size_t>(x) % 16 == 0 && reinterpret_cast<size_t>(y) % 16 == 0);
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
    const Elements own = load(x, first, count);
    store_means(y, first, count, load_before(x, first, count), own, load_after(x, first, count));
}

//! smem
// The threads of a block exchange their first two and last two elements. `slots` is shared memory,
// 2 * blockDim.x pairs.
__device__ inline void moving_average(const {T}* x, {T}* y, int count, Pair* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(count % PER_THREAD == 0);
    assert(reinterpret_cast<size_t>(x) % 16 == 0 && reinterpret_cast<size_t>(y) % 16 == 0);
    const int thread = threadIdx.x, last = blockDim.x - 1;
    const int first = (blockIdx.x * blockDim.x + thread) * PER_THREAD;
    Pair *firsts = slots, *lasts = slots + blockDim.x;
    const Elements own = load(x, first, count);
    Pair before = {}, after = {};
    if (thread == 0) before = load_before(x, first, count);
    if (thread == last) after = load_after(x, first, count);

    firsts[thread] = {own.x[0], own.x[1]};
    lasts[thread] = {own.x[PER_THREAD - 2], own.x[PER_THREAD - 1]};
    __syncthreads();  // all threads have written
    if (thread > 0) before = lasts[thread - 1];
    if (thread < last) after = firsts[thread + 1];
    store_means(y, first, count, before, own, after);
}

//! shfl
// The lanes of a warp exchange their first two and last two elements. All lanes take part in all shuffles, also those
// beyond the end of the array.
__device__ inline void moving_average(const {T}* x, {T}* y, int count) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(count % PER_THREAD == 0);
    assert(reinterpret_cast<size_t>(x) % 16 == 0 && reinterpret_cast<size_t>(y) % 16 == 0);
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD, lane = threadIdx.x % 32;
    const Elements own = load(x, first, count);
    Pair before = {}, after = {};
    if (lane == 0) before = load_before(x, first, count);
    if (lane == 31) after = load_after(x, first, count);

    const {T} left2 = __shfl_up_sync(0xffffffffu, own.x[PER_THREAD - 2], 1);
    const {T} left1 = __shfl_up_sync(0xffffffffu, own.x[PER_THREAD - 1], 1);
    const {T} right1 = __shfl_down_sync(0xffffffffu, own.x[0], 1);
    const {T} right2 = __shfl_down_sync(0xffffffffu, own.x[1], 1);
    if (lane > 0) before = {left2, left1};
    if (lane < 31) after = {right1, right2};
    store_means(y, first, count, before, own, after);
}

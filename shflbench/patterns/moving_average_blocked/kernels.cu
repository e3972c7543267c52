// Every element becomes the mean of itself, the two before and the two after it; the first two and the last two of the
// whole array become zero. Each thread has PER_THREAD consecutive elements (blocked arrangement), of which it loads and
// stores 16 bytes at a time. It needs two elements on either side, which belong to its neighbors.
#include "five_point.cuh"

constexpr int PER_THREAD = OPTION_PER_THREAD;

// The elements of a thread. The array has a multiple of PER_THREAD elements: a thread has all of them, or none.
template <typename T>
struct alignas(16) Elements {
    T x[PER_THREAD];
};

// Two adjacent elements, which one instruction loads or stores.
template <typename T>
struct alignas(2 * sizeof(T)) Pair {
    T a, b;
};

template <typename T>
__device__ Pair<T> first_two(const Elements<T>& own) { return {own.x[0], own.x[1]}; }
template <typename T>
__device__ Pair<T> last_two(const Elements<T>& own) { return {own.x[PER_THREAD - 2], own.x[PER_THREAD - 1]}; }

// The elements from x[first] on, the two before them, and the two after them. Zero beyond the ends of the array.
template <typename T>
__device__ Elements<T> load(const T* x, int first, int count) {
    return first < count ? *reinterpret_cast<const Elements<T>*>(x + first) : Elements<T>{};
}
template <typename T>
__device__ Pair<T> load_before(const T* x, int first, int count) {
    return first > 0 && first < count ? *reinterpret_cast<const Pair<T>*>(x + first - 2) : Pair<T>{};
}
template <typename T>
__device__ Pair<T> load_after(const T* x, int first, int count) {
    const int next = first + PER_THREAD;
    return next < count ? *reinterpret_cast<const Pair<T>*>(x + next) : Pair<T>{};
}

template <typename T>
__device__ void store_means(T* y, int first, int count, Pair<T> before, const Elements<T>& own, Pair<T> after) {
    if (first >= count) return;
    T x[2 + PER_THREAD + 2] = {before.a, before.b};
    Elements<T> means;
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) x[2 + i] = own.x[i];
    x[2 + PER_THREAD] = after.a;
    x[3 + PER_THREAD] = after.b;
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) means.x[i] = mean(x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4]);
    if (first == 0) means.x[0] = means.x[1] = T(0);
    if (first + PER_THREAD == count) means.x[PER_THREAD - 2] = means.x[PER_THREAD - 1] = T(0);
    *reinterpret_cast<Elements<T>*>(y + first) = means;
}

// Each thread loads the elements on either side, too, which come from the cache.
template <typename T>
__global__ void LAUNCH_BOUNDS moving_average_blocked_global(const T* x, T* y, int count) {
    const int first = thread() * PER_THREAD;
    const Elements<T> own = load(x, first, count);
    store_means(y, first, count, load_before(x, first, count), own, load_after(x, first, count));
}

// The outer threads of the block load the elements beyond its ends, and all threads exchange their first two and last
// two elements through shared memory. Adjacent threads access adjacent slots, so that there are no bank conflicts.
template <typename T>
__global__ void LAUNCH_BOUNDS moving_average_blocked_smem(const T* x, T* y, int count) {
    const int first = thread() * PER_THREAD, last = blockDim.x - 1;
    Pair<T>* firsts = shared<Pair<T>>() + threadIdx.x;
    Pair<T>* lasts = firsts + blockDim.x;
    const Elements<T> own = load(x, first, count);
    Pair<T> before = {}, after = {};
    if (threadIdx.x == 0) before = load_before(x, first, count);
    if (threadIdx.x == last) after = load_after(x, first, count);

    *firsts = first_two(own);
    *lasts = last_two(own);
    __syncthreads();
    if (threadIdx.x > 0) before = lasts[-1];
    if (threadIdx.x < last) after = firsts[1];
    store_means(y, first, count, before, own, after);
}

// The outer lanes of the warp load the elements beyond its ends, and all lanes exchange their first two and last two
// elements by shuffles, also the lanes beyond the end of the array.
template <typename T>
__global__ void LAUNCH_BOUNDS moving_average_blocked_shfl(const T* x, T* y, int count) {
    const int first = thread() * PER_THREAD;
    const Elements<T> own = load(x, first, count);
    Pair<T> before = {}, after = {};
    if (lane() == 0) before = load_before(x, first, count);
    if (lane() == WARP - 1) after = load_after(x, first, count);

    const Pair<T> firsts = first_two(own), lasts = last_two(own);
    const Pair<T> from_left = {shfl_up(lasts.a, 1), shfl_up(lasts.b, 1)};
    const Pair<T> from_right = {shfl_down(firsts.a, 1), shfl_down(firsts.b, 1)};
    if (lane() > 0) before = from_left;
    if (lane() < WARP - 1) after = from_right;
    store_means(y, first, count, before, own, after);
}

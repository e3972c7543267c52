// Challengers of block-scan, of inclusive sums in blocks of 256 threads.
#include "recurrence.cuh"
#include "shflbench.cuh"

static_assert(WARPS == 8 && !EXCLUSIVE);

template <typename T>
struct alignas(16) Four { T x[4]; };

template <typename T>
__device__ T sum_of(const Four<T>& four) { return add(add(four.x[0], four.x[1]), add(four.x[2], four.x[3])); }

// The values of the lane's own chunk of four, up to its own.
template <typename T>
__device__ T up_to_own(const Four<T>& four, int place) {
    const T first = place >= 1 ? add(four.x[0], four.x[1]) : four.x[0];
    const T second = place >= 3 ? add(four.x[2], four.x[3]) : four.x[2];
    return place >= 2 ? add(first, second) : first;
}

// The sums of warps in shared memory, four times, each shifted by one more element and with eight zeros before: the sums
// of the lower warps are two aligned chunks, whatever the warp.
constexpr int ROW = 20;
template <typename T>
struct Shifted { T x[4][ROW]; };

template <typename T>
__device__ void clear(Shifted<T> (&sums)[2]) {
    static_assert(2 * 4 * ROW <= BLOCK);
    if (threadIdx.x < 2 * 4 * ROW) (&sums[0].x[0][0])[threadIdx.x] = 0;
    __syncthreads();
}
template <typename T>
__device__ T* put_in(Shifted<T>& sums) { return &sums.x[lane() % 4][8 + warp() - lane() % 4]; }
template <typename T>
__device__ const Four<T>* lower_in(const Shifted<T>& sums) {
    return reinterpret_cast<const Four<T>*>(&sums.x[warp() % 4][warp() - warp() % 4]);
}

// Groups of eight lanes by loads, groups by shuffles that serve both the sum of the warp, which is stored at once, and
// the prefix sum, which is computed while the sums of the warps are loaded.
template <bool WINDOWS, typename T>
__device__ void scan_smem8(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) Shifted<T> sums[2];
    clear(sums);
    T *now = WINDOWS ? put_in(sums[0]) : &sums[0].x[0][warp()], *next = WINDOWS ? put_in(sums[1]) : &sums[1].x[0][warp()];
    const Four<T>* read_now = WINDOWS ? lower_in(sums[0]) : reinterpret_cast<const Four<T>*>(&sums[0].x[0][0]);
    const Four<T>* read_next = WINDOWS ? lower_in(sums[1]) : reinterpret_cast<const Four<T>*>(&sums[1].x[0][0]);
    const Four<T>* chunks = reinterpret_cast<const Four<T>*>(slots) + threadIdx.x / 8 * 2;
    const int mine = lane() / 4 % 2, place = lane() % 4, group = lane() / 8;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        const Four<T> own = chunks[mine], other = chunks[mine ^ 1];
        const T of_other = sum_of(other), of_group = add(sum_of(own), of_other);
        const T first = shfl_xor(of_group, 8), second = shfl_xor(of_group, 16), third = shfl_xor(of_group, 24);
        const T upper = add(second, third);
        const T total = add(add(of_group, first), upper);
        if (lane() < (WINDOWS ? 4 : 1)) *now = total;
        __syncthreads();
        const Four<T> low = read_now[0], high = read_now[1];
        T sum = up_to_own(own, place);
        if (mine) sum = add(sum, of_other);
        if (group & 1) sum = add(sum, first);
        if (group & 2) sum = add(sum, upper);
        if constexpr (WINDOWS) {
            sum = add(add(sum_of(low), sum_of(high)), sum);
        } else {
            const int w = warp();
            const T zero = 0;
            const T a = add(w > 0 ? low.x[0] : zero, w > 1 ? low.x[1] : zero);
            const T b = add(w > 2 ? low.x[2] : zero, w > 3 ? low.x[3] : zero);
            const T c = add(w > 4 ? high.x[0] : zero, w > 5 ? high.x[1] : zero);
            sum = add(add(add(a, b), add(c, w > 6 ? high.x[2] : zero)), sum);
        }
        swap(now, next);
        swap(read_now, read_next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_smem8_windows(const T* values, T* result, int iterations) {
    scan_smem8<true>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_smem8_masks(const T* values, T* result, int iterations) {
    scan_smem8<false>(values, result, iterations);
}

// In-warp scans by shuffles and the total by a butterfly of its own would be twice the shuffles. Here, the scan itself;
// the sums of the lower warps by windows.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_shfl_windows(const T* values, T* result, int iterations) {
    __shared__ __align__(16) Shifted<T> sums[2];
    clear(sums);
    // Lanes 28 to 31 would need the total: the last one stores it four times.
    const Four<T> *read_now = lower_in(sums[0]), *read_next = lower_in(sums[1]);
    T *now = &sums[0].x[0][8 + warp()], *next = &sums[1].x[0][8 + warp()];
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        #pragma unroll
        for (int distance = 1; distance < WARP; distance *= 2) {
            const T below = shfl_up(sum, distance);
            if (lane() >= distance) sum = add(sum, below);
        }
        if (lane() == WARP - 1) {
            #pragma unroll
            for (int i = 0; i < 4; ++i) now[i * (ROW - 1)] = sum;
        }
        __syncthreads();
        const Four<T> low = read_now[0], high = read_now[1];
        sum = add(add(sum_of(low), sum_of(high)), sum);
        swap(now, next);
        swap(read_now, read_next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// One warp scans all values, eight adjacent ones per lane, in chunks of 16 bytes that change places against conflicts.
__device__ inline int place_of(int chunk) { return chunk ^ (chunk >> 3 & 1); }

// The sums of what lower lanes of the warp have.
template <bool GROUPS, typename T>
__device__ T lower_lanes(T x, T* slots) {
    if constexpr (GROUPS) {
        slots[lane()] = x;
        __syncwarp();
        const Four<T>* chunks = reinterpret_cast<const Four<T>*>(slots) + lane() / 8 * 2;
        const int mine = lane() / 4 % 2, place = lane() % 4, group = lane() / 8;
        const Four<T> own = chunks[mine], other = chunks[mine ^ 1];
        const T of_other = sum_of(other), of_group = add(sum_of(own), of_other);
        const T first = shfl_xor(of_group, 8), second = shfl_xor(of_group, 16), third = shfl_xor(of_group, 24);
        const T two = add(own.x[0], own.x[1]);
        T sum = place == 0 ? T(0) : place == 1 ? own.x[0] : place == 2 ? two : add(two, own.x[2]);
        if (mine) sum = add(sum, of_other);
        if (group & 1) sum = add(sum, first);
        if (group & 2) sum = add(sum, add(second, third));
        return sum;
    } else {
        T sum = shfl_up(x, 1);
        if (lane() == 0) sum = 0;
        #pragma unroll
        for (int distance = 1; distance < WARP; distance *= 2) {
            const T below = shfl_up(sum, distance);
            if (lane() >= distance) sum = add(sum, below);
        }
        return sum;
    }
}

// The warp that scans: the first one, or with SPREAD one of four, so that those of the blocks of an SM are in different
// partitions.
template <bool GROUPS, bool SPREAD, typename T>
__device__ void scan_raking(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T of_lanes[WARP];
    const int scanner = SPREAD ? (blockIdx.x + blockIdx.x / max(1, gridDim.x / 8)) % 4 : 0;
    Four<T>* chunks = reinterpret_cast<Four<T>*>(slots);
    T* const own = &slots[place_of(threadIdx.x / 4) * 4 + threadIdx.x % 4];
    Four<T> *const first = &chunks[place_of(2 * lane())], *const second = &chunks[place_of(2 * lane() + 1)];
    const bool scans = warp() == scanner;
    T x = values[thread()];
    REPEAT(iterations) {
        *own = x;
        __syncthreads();
        if (scans) {
            Four<T> low = *first, high = *second;
            low.x[1] = add(low.x[0], low.x[1]);
            high.x[1] = add(high.x[0], high.x[1]);
            const T a = add(low.x[2], low.x[3]), b = add(high.x[2], high.x[3]);
            low.x[3] = add(low.x[1], a);
            high.x[3] = add(high.x[1], b);
            const T total = add(low.x[3], high.x[3]);
            low.x[2] = add(low.x[1], low.x[2]);
            high.x[2] = add(high.x[1], high.x[2]);
            const T below = lower_lanes<GROUPS>(total, of_lanes);
            const T middle = add(below, low.x[3]);
            #pragma unroll
            for (int i = 0; i < 3; ++i) low.x[i] = add(below, low.x[i]);
            low.x[3] = middle;
            #pragma unroll
            for (int i = 0; i < 4; ++i) high.x[i] = add(middle, high.x[i]);
            *first = low;
            *second = high;
        }
        __syncthreads();
        x = advance(x, *own);
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_rake_shfl(const T* values, T* result, int iterations) {
    scan_raking<false, false>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_rake_shfl_spread(const T* values, T* result, int iterations) {
    scan_raking<false, true>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_rake_smem8(const T* values, T* result, int iterations) {
    scan_raking<true, false>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_rake_smem8_spread(const T* values, T* result, int iterations) {
    scan_raking<true, true>(values, result, iterations);
}

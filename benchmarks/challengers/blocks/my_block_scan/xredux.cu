// Challengers of block-scan for integers: the sum of a warp is one instruction, which need not wait for the scan.
#include "recurrence.cuh"
#include "shflbench.cuh"

static_assert(WARPS == 8 && !EXCLUSIVE);

struct alignas(16) Four { int x[4]; };
__device__ inline int sum_of(const Four& four) { return add(add(four.x[0], four.x[1]), add(four.x[2], four.x[3])); }
__device__ inline int up_to_own(const Four& four, int place) {
    const int first = place >= 1 ? add(four.x[0], four.x[1]) : four.x[0];
    const int second = place >= 3 ? add(four.x[2], four.x[3]) : four.x[2];
    return place >= 2 ? add(first, second) : first;
}

constexpr int ROW = 20;
struct Shifted { int x[4][ROW]; };  // as in x.cu

// FROM: the distance of the first of the shuffles after the barrier.
enum Second { WINDOWS, REDUX };

template <Second SECOND, typename InWarp>
__device__ void scan_redux(const int* values, int* result, int iterations, InWarp in_warp) {
    __shared__ __align__(16) Shifted sums[2];
    static_assert(2 * 4 * ROW <= BLOCK);
    if (threadIdx.x < 2 * 4 * ROW) (&sums[0].x[0][0])[threadIdx.x] = 0;
    __syncthreads();
    const int copy = lane() % 4;
    int *now = &sums[0].x[copy][8 + warp() - copy], *next = &sums[1].x[copy][8 + warp() - copy];
    const int aligned = warp() % 4;
    const Four* read_now = reinterpret_cast<const Four*>(&sums[0].x[aligned][warp() - aligned]);
    const Four* read_next = reinterpret_cast<const Four*>(&sums[1].x[aligned][warp() - aligned]);
    const int *one_now = &sums[0].x[0][lane() % 8 + warp()], *one_next = &sums[1].x[0][lane() % 8 + warp()];
    int x = values[thread()];
    REPEAT(iterations) {
        const auto begun = in_warp.begin(x);
        const int total = __reduce_add_sync(FULL_WARP, x);
        if (lane() < (SECOND == WINDOWS ? 4 : 1)) *now = total;
        __syncthreads();
        int sum;
        if constexpr (SECOND == WINDOWS) {
            const Four low = read_now[0], high = read_now[1];
            sum = add(in_warp.end(begun), add(sum_of(low), sum_of(high)));
            swap(read_now, read_next);
        } else {  // eight elements below the own warp's: zeros, and the sums of the lower warps
            const int one = lane() < 8 ? *one_now : 0;
            const int in = in_warp.end(begun);
            sum = add(in, __reduce_add_sync(FULL_WARP, one));
            swap(one_now, one_next);
        }
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Groups of eight lanes by loads, groups by shuffles after the barrier.
struct Groups {
    int* slot;
    const Four* chunks;
    struct Begun { Four own, other; };
    __device__ Begun begin(int x) const {
        *slot = x;
        __syncwarp();
        const int mine = lane() / 4 % 2;
        return {chunks[mine], chunks[mine ^ 1]};
    }
    __device__ int end(const Begun& begun) const {
        const int mine = lane() / 4 % 2, place = lane() % 4, group = lane() / 8;
        const int of_other = sum_of(begun.other), of_group = add(sum_of(begun.own), of_other);
        const int first = shfl_xor(of_group, 8), second = shfl_xor(of_group, 16), third = shfl_xor(of_group, 24);
        int sum = up_to_own(begun.own, place);
        if (mine) sum = add(sum, of_other);
        if (group & 1) sum = add(sum, first);
        if (group & 2) sum = add(sum, add(second, third));
        return sum;
    }
};

// Shuffles: BEFORE of the five before the barrier.
template <int BEFORE>
struct Shuffles {
    __device__ static int step(int sum, int distance) {
        const int below = shfl_up(sum, distance);
        return lane() >= distance ? add(sum, below) : sum;
    }
    __device__ int begin(int x) const {
        #pragma unroll
        for (int i = 0; i < BEFORE; ++i) x = step(x, 1 << i);
        return x;
    }
    __device__ int end(int x) const {
        #pragma unroll
        for (int i = BEFORE; i < 5; ++i) x = step(x, 1 << i);
        return x;
    }
};

template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_redux_smem8(const T* values, T* result, int iterations) {
    __shared__ __align__(16) int slots[BLOCK];
    scan_redux<WINDOWS>(values, result, iterations, Groups{&slots[threadIdx.x], reinterpret_cast<const Four*>(slots) + threadIdx.x / 8 * 2});
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_redux_smem8_redux(const T* values, T* result, int iterations) {
    __shared__ __align__(16) int slots[BLOCK];
    scan_redux<REDUX>(values, result, iterations, Groups{&slots[threadIdx.x], reinterpret_cast<const Four*>(slots) + threadIdx.x / 8 * 2});
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_redux_shfl(const T* values, T* result, int iterations) {
    scan_redux<WINDOWS>(values, result, iterations, Shuffles<2>{});
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_scan_x_redux_shfl_redux(const T* values, T* result, int iterations) {
    scan_redux<REDUX>(values, result, iterations, Shuffles<2>{});
}

// The family of sorts of a warp: runs of lanes are sorted by ranks in shared memory, and merged by shuffles, or the other way
// round. Each member is one choice of the template's parameters.
#include "loads.cuh"
#include "network.cuh"
#include "shflbench.cuh"

// 1 and -1, in registers of the thread. In PTX, because the compiler must not know the numbers: it would not multiply by
// them.
__device__ inline int one_in_register() {
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(threadIdx.x + 1));
    return one;
}
__device__ inline int minus_one_in_register() {
    int minus_one;
    asm("max.s32 %0, %1, -1;" : "=r"(minus_one) : "r"(-1 - int(threadIdx.x)));
    return minus_one;
}

// A key that is reversed is complemented, or negated: the order of such keys is the reverse.
template <bool PRODUCT>
struct Order {
    int one = one_in_register(), minus_one = minus_one_in_register();

    __device__ int reverse_if(int bit, int key) const {
        if (!PRODUCT) return key ^ -bit;
        asm("mad.lo.s32 %0, %0, %1, %2;" : "+r"(key) : "r"(1 - 2 * bit), "r"(-bit));
        return key;
    }
    __device__ float reverse_if(int bit, float key) const {
        return PRODUCT ? key * float(1 - 2 * bit) : __int_as_float(__float_as_int(key) ^ bit << 31);
    }
    __device__ int reverse(int key) const {  // one instruction of sm_90 subtracts and takes a minimum
        if (!PRODUCT) return minus_one - key;
        asm("mad.lo.s32 %0, %0, %1, %1;" : "+r"(key) : "r"(minus_one));
        return key;
    }
    __device__ float reverse(float key) const { return -key; }

    // Keeps the larger key in upper lanes. A product moves the other key, in another unit than the comparison.
    __device__ int keep(int key, int other, int upper) const {
        if (!PRODUCT) return upper ? max(key, other) : min(key, other);
        asm("{\n\t"
            ".reg .pred upper, kept;\n\t"
            "setp.ne.s32 upper, %2, 0;\n\t"
            "setp.lt.xor.s32 kept, %0, %1, upper;\n\t"
            "@!kept mad.lo.s32 %0, %1, %3, 0;\n\t"
            "}"
            : "+r"(key) : "r"(other), "r"(upper), "r"(one));
        return key;
    }
    __device__ float keep(float key, float other, int upper) const {
        if (!PRODUCT) return upper ? max(key, other) : min(key, other);
        asm("{\n\t"
            ".reg .pred upper, kept;\n\t"
            "setp.ne.s32 upper, %2, 0;\n\t"
            "setp.lt.xor.f32 kept, %0, %1, upper;\n\t"
            "@!kept mul.f32 %0, %1, %3;\n\t"
            "}"
            : "+f"(key) : "f"(other), "r"(upper), "f"(float(one)));
        return key;
    }

    // Counts the other number if it is less. In PTX, because the compiler would add 1 and then select a number.
    __device__ void count_less(int& count, int other, int limit) const {
        if (PRODUCT) {
            asm("{\n\t.reg .pred less;\n\tsetp.lt.s32 less, %1, %2;\n\t@less mad.lo.s32 %0, %3, %3, %0;\n\t}"
                : "+r"(count) : "r"(other), "r"(limit), "r"(one));
        } else {
            asm("{\n\t.reg .pred less;\n\tsetp.lt.s32 less, %1, %2;\n\t@less add.s32 %0, %0, 1;\n\t}"
                : "+r"(count) : "r"(other), "r"(limit));
        }
    }
};

// Sorts each TO lanes, of which each FROM are sorted, every second time in descending order. MIN: in each step, keys of lanes
// that keep the larger one are reversed, so that all keep the smaller one; otherwise, those of runs in descending order are.
template <int FROM, int TO, bool MIN, bool PRODUCT, typename T>
__device__ T merge_runs(T key, int reversed, const Order<PRODUCT>& order) {
#pragma unroll
    for (int size = 2 * FROM; size <= TO; size *= 2) {
        const int descending = size < TO ? lane() / size & 1 : 0;
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const int wanted = MIN ? (lane() / distance & 1) ^ descending : descending;
            key = order.reverse_if(reversed ^ wanted, key);
            reversed = wanted;
            const T other = shfl_xor(key, distance);
            key = MIN ? min(key, order.reverse(other)) : order.keep(key, other, lane() & distance);
        }
    }
    return order.reverse_if(reversed, key);
}

// An integer of the same order as the key, which is not NaN.
__device__ inline int to_ordered(int key) { return key; }
__device__ inline int to_ordered(float key) {
    const int bits = __float_as_int(key);
    return bits ^ (bits >> 31 & 0x7fffffff);
}

// Keys of lower lanes come first if they are less than the own key plus 1. No number is larger than this one: all of them do.
constexpr int LARGEST = 0x7fffffff;

// The number of keys that come before the lane's own, among those of its RUN lanes: smaller ones, and equal ones of lower
// lanes.
template <int RUN, int BITS, bool PRODUCT>
__device__ int rank_in_run(int key, const int* keys, const Order<PRODUCT>& order) {
    constexpr int COUNT = BITS / 32, LOADS = RUN / COUNT;
    const int mine = lane() / COUNT % LOADS;
    int counts[4] = {key == LARGEST ? lane() % RUN : 0};
#pragma unroll
    for (int i = COUNT == 1; i < LOADS; ++i) {  // first the load with the own key, if there are others in it
        const int place = (mine + i) % LOADS;
        int others[COUNT];
        load_all<BITS>(others, keys + lane() / RUN * RUN + place * COUNT);
#pragma unroll
        for (int j = 0; j < COUNT; ++j) {
            const bool is_lower = i == 0 ? j < lane() % COUNT : place < mine;
            order.count_less(counts[(i * COUNT + j) % 4], others[j], int(unsigned(key) + is_lower));
        }
    }
    return (counts[0] + counts[1]) + (counts[2] + counts[3]);
}

// The same among those of the warp, if each RUN lanes are sorted: only the other runs are loaded.
template <int RUN, int BITS, bool PRODUCT>
__device__ int rank_of_runs(int key, const int* keys, const Order<PRODUCT>& order) {
    constexpr int RUNS = WARP / RUN;
    const int mine = lane() / RUN;
    int counts[4] = {lane() % RUN, key == LARGEST ? mine * RUN : 0};
#pragma unroll
    for (int i = 1; i < RUNS; ++i) {
        const int run = (mine + i) % RUNS, limit = int(unsigned(key) + (run < mine));
        int others[RUN];
        load_all<BITS>(others, keys + run * RUN);
#pragma unroll
        for (int j = 0; j < RUN; ++j) order.count_less(counts[j % 4], others[j], limit);
    }
    return (counts[0] + counts[1]) + (counts[2] + counts[3]);
}

// Each lane stores its key at the place `first` plus its rank, and loads the key at its own place. With DOUBLE, what is
// sorted has an array of its own: the barrier after the stores of one also separates the loads of the other from the next
// stores.
template <int RUN, int BITS, bool DOUBLE, bool LATE, bool PRODUCT, typename T>
__device__ T sort_by_ranks(T key, int* slots, const Order<PRODUCT>& order) {
    T* const sorted = reinterpret_cast<T*>(DOUBLE ? slots + WARP : slots);
    const int mine = to_ordered(key);
    slots[lane()] = mine;
    __syncwarp();  // all lanes have written
    const int place = LATE ? rank_of_runs<RUN, BITS>(mine, slots, order)
                           : lane() / RUN * RUN + rank_in_run<RUN, BITS>(mine, slots, order);
    if (!DOUBLE) __syncwarp();  // all lanes have read: the slots may be written again
    sorted[place] = key;
    __syncwarp();  // all lanes have written what is sorted
    key = sorted[lane()];
    if (!DOUBLE) __syncwarp();  // all lanes have read: the slots may be written again
    return key;
}

// Runs of RUN keys are sorted by ranks, and merged by shuffles; or, LATE, sorted by shuffles, and merged by ranks.
template <typename T, int RUN, int BITS, bool DOUBLE, bool LATE, bool MIN, bool PRODUCT>
__global__ void LAUNCH_BOUNDS
bitonic_sort_member(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    int* const slots = shared<int>() + first_of_warp() * (DOUBLE ? 2 : 1);
    const Order<PRODUCT> order;
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        if constexpr (LATE) {
            key = merge_runs<1, RUN, MIN>(key, 0, order);
            key = sort_by_ranks<RUN, BITS, DOUBLE, true>(key, slots, order);
        } else {
            int reversed = 0;
            if constexpr (RUN > 1) {
                reversed = RUN < WARP ? lane() / RUN & 1 : 0;  // every second run is in descending order
                key = sort_by_ranks<RUN, BITS, DOUBLE, false>(order.reverse_if(reversed, key), slots, order);
            }
            key = merge_runs<RUN, WARP, MIN>(key, reversed, order);
        }
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

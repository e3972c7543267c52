// The family of prefix sums of a block. Each warp scans its values, part of them through shared memory and the rest by
// shuffles, and adds the sums of lower warps; or one warp scans all values. Each member is one choice of the parameters of a
// template.
#include "loads.cuh"
#include "prefix_sums.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// The sum of lower lanes, also with the own value, and that of all lanes, which the last lane has at least.
template <typename T>
struct Sums {
    T prefix, all;
};

// The values of LANES adjacent lanes, which each of them loads BITS at a time from the slots of its warp. A barrier must come
// before the slots are written again.
template <int BITS, typename T, int LANES>
__device__ void exchange(T (&of_group)[LANES], T x, T* slots) {
    of_group[0] = x;
    if (LANES == 1) return;
    slots[lane()] = x;
    __syncwarp();  // all lanes have written
    load_all<BITS>(of_group, slots + lane() / LANES * LANES);
}

// Adds the other groups of LANES lanes: by steps that double their distance, or, APART, by shuffles that do not wait for one
// another. Then the values of 2^n groups, whose numbers differ in bit n and in lower bits only, belong to lower or higher
// lanes.
template <int LANES, bool APART, int STEP = LANES, typename T>
__device__ Sums<T> add_groups(T of_group, Sums<T> sums) {
    if constexpr (STEP < WARP) {
        if constexpr (APART) {
            T others[STEP / LANES];
#pragma unroll
            for (int i = 0; i < STEP / LANES; ++i) others[i] = shfl_xor(of_group, STEP + i * LANES);
            const T sum = sum_of<STEP / LANES, false>(others);
            if (lane() & STEP) sums.prefix = add(sums.prefix, sum);
            sums.all = add(sums.all, sum);
        } else {
            const T below = shfl_up(sums.all, STEP);
            if (lane() >= STEP) sums = {add(sums.prefix, below), add(sums.all, below)};
        }
        return add_groups<LANES, APART, 2 * STEP>(of_group, sums);
    }
    return sums;
}

// How a thread adds the sums of lower warps: it loads those of all warps and selects them; it loads one of four copies, in
// which they are whole loads of 128 bits, with zeros before them; each lane loads one for a butterfly; the first warp scans
// them for all; or each lane loads one for an instruction that adds what all lanes have.
enum Lower { SELECTED, COPIES, BUTTERFLY, FIRST_WARP, REDUX };

constexpr int LOADED = WARPS > 4 ? WARPS : 4;  // sums that a thread loads, and zeros where a load is wider
constexpr int ROW = 2 * LOADED + 4;            // a copy: zeros, the sums, and room for a shift; no power of two
constexpr int PLACES[] = {LOADED, 4 * ROW, WARPS, 2 * WARPS + 1, 2 * WARPS};

// Copy i is shifted down by i places.
template <Lower LOWER, bool IN_ALL, typename T>
__device__ void store_sum(T of_warp, T* sums) {
    if constexpr (LOWER == COPIES && IN_ALL) {
        if (lane() < 4) sums[lane() * (ROW - 1) + LOADED + warp()] = of_warp;
    } else if (lane() == WARP - 1) {
        if constexpr (LOWER == COPIES) {
#pragma unroll
            for (int i = 0; i < 4; ++i) sums[i * (ROW - 1) + LOADED + warp()] = of_warp;
        } else {
            sums[(LOWER == REDUX ? WARPS : 0) + warp()] = of_warp;
        }
    }
}

template <Lower LOWER, typename T>
__device__ T load_lower(T* sums) {
    const int other = lane() % WARPS;
    T of_warps[LOADED];
    if constexpr (LOWER == SELECTED) {
        load_all<128>(of_warps, sums);
        return sum_of_first<false>(of_warps, warp());
    } else if constexpr (LOWER == COPIES) {
        load_all<128>(of_warps, sums + warp() % 4 * (ROW - 1) + warp());
        return sum_of<LOADED, false>(of_warps);
    } else if constexpr (LOWER == BUTTERFLY) {
        T sum = other < warp() ? sums[other] : T(0);
#pragma unroll
        for (int distance = WARPS / 2; distance > 0; distance /= 2) sum = add(sum, shfl_xor(sum, distance));
        return sum;
    } else if constexpr (LOWER == FIRST_WARP) {
        T* const below = sums + WARPS;  // of which the first is zero
        if (warp() == 0) {
            T sum = lane() < WARPS ? sums[lane()] : T(0);
#pragma unroll
            for (int distance = 1; distance < WARPS; distance *= 2) {
                const T lower = shfl_up(sum, distance);
                if (lane() >= distance) sum = add(sum, lower);
            }
            if (lane() < WARPS) below[1 + lane()] = sum;
        }
        __syncthreads();  // all sums are written
        return below[warp()];
    } else {
        return lane() < WARPS ? sums[warp() + lane()] : T(0);  // zeros, and the sums of lower warps
    }
}

// The sums have two places that serve in turn, or a second barrier, which FIRST_WARP has between.
template <typename T, int LANES, int BITS, bool APART, Lower LOWER, bool ONCE>
__global__ void LAUNCH_BOUNDS block_scan_member(const T* values, T* result, int iterations) {
    T *slots = shared<T>() + first_of_warp(), *sums = shared<T>() + (LANES > 1 ? BLOCK : 0), *next = sums + PLACES[LOWER];
    constexpr int CLEARED = (ONCE ? 2 : 1) * PLACES[LOWER];
#pragma unroll
    for (int i = 0; i < CLEARED; i += BLOCK) {
        if (i + threadIdx.x < CLEARED) sums[i + threadIdx.x] = T(0);
    }
    __syncthreads();
    T x = values[thread()];
    REPEAT(iterations) {
        T of_group[LANES];
        exchange<BITS>(of_group, x, slots);
        Sums<T> of_warp = {sum_of_first<false>(of_group, lane() % LANES + 1), sum_of<LANES, false>(of_group)};
        const T own = of_warp.all;
        T all = x;
        if constexpr (LOWER == REDUX) all = __reduce_add_sync(FULL_WARP, x);
        else all = (of_warp = add_groups<LANES, APART>(own, of_warp)).all;
        store_sum<LOWER, APART || LANES == WARP>(all, sums);
        __syncthreads();  // all warps have written their sums, and have read their slots
        T lower = load_lower<LOWER>(sums);
        if constexpr (LOWER == REDUX) {
            of_warp = add_groups<LANES, APART>(own, of_warp);
            lower = __reduce_add_sync(FULL_WARP, lower);
        }
        if (ONCE) swap(sums, next);
        else if (LOWER != FIRST_WARP) __syncthreads();  // all threads have read: the sums may be written again
        x = advance(x, add(lower, of_warp.prefix));
    }
    result[thread()] = x;
}

constexpr int COUNT = WARPS < 4 ? WARPS : 4, CHUNKS = WARPS / COUNT;  // of the values of a lane of the warp that scans

template <typename T>
struct alignas(COUNT * sizeof(T)) Chunk {
    T values[COUNT];
};

// Chunks of different lanes change places within 128 bytes, against bank conflicts.
__device__ inline int place_of(int chunk) { return chunk ^ (chunk / 8) % CHUNKS; }

// Replaces the values of a chunk by the sums of the first ones, up to each.
template <typename T>
__device__ void scan_chunk(T (&x)[COUNT]) {
    x[1] = add(x[0], x[1]);
    if constexpr (COUNT == 4) {
        const T upper = add(x[2], x[3]);
        x[2] = add(x[1], x[2]);
        x[3] = add(x[1], upper);
    }
}

// The calling warp replaces all values by their prefix sums: WARPS adjacent ones per lane, whose sums its lanes exchange as
// the lanes of any warp exchange values in the kernel above.
template <int LANES, int BITS, bool APART, typename T>
__device__ void scan_all(Chunk<T>* chunks, T* slots) {
    Chunk<T> own[CHUNKS];
    T sum = T(0), of_group[LANES];
#pragma unroll
    for (int i = 0; i < CHUNKS; ++i) {
        own[i] = chunks[place_of(lane() * CHUNKS + i)];
        scan_chunk(own[i].values);
        sum = i == 0 ? own[i].values[COUNT - 1] : add(sum, own[i].values[COUNT - 1]);
    }
    exchange<BITS>(of_group, sum, slots);
    const T of_lanes = sum_of<LANES, false>(of_group);
    T below = add_groups<LANES, APART>(of_lanes, Sums<T>{sum_of_first<false>(of_group, lane() % LANES), of_lanes}).prefix;
#pragma unroll
    for (int i = 0; i < CHUNKS; ++i) {
#pragma unroll
        for (T& value : own[i].values) value = add(below, value);
        below = own[i].values[COUNT - 1];
        chunks[place_of(lane() * CHUNKS + i)] = own[i];
    }
}

// SPREAD: the warp that scans is not the first one of each block, so that blocks of an SM use different schedulers, of which
// there are four: blocks that follow one another, and those whose numbers differ by an eighth of the grid.
template <typename T, int LANES, int BITS, bool APART, bool SPREAD>
__global__ void LAUNCH_BOUNDS block_scan_rake_member(const T* values, T* result, int iterations) {
    T *slots = shared<T>(), *of_lanes = slots + BLOCK;
    T* const own = slots + place_of(threadIdx.x / COUNT) * COUNT + threadIdx.x % COUNT;
    const int scans = SPREAD ? (blockIdx.x + 8 * blockIdx.x / gridDim.x) % (WARPS < 4 ? WARPS : 4) : 0;
    T x = values[thread()];
    REPEAT(iterations) {
        *own = x;
        __syncthreads();  // all values are written
        if (warp() == scans) scan_all<LANES, BITS, APART>(reinterpret_cast<Chunk<T>*>(slots), of_lanes);
        __syncthreads();  // all sums are written
        x = advance(x, *own);
    }
    result[thread()] = x;
}

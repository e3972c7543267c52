// Challengers of top-k: the 8 largest.
#include "elements.cuh"
#include "shflbench.cuh"

static_assert(COUNT == 8);

// 1, which the compiler must not know.
__device__ inline int opaque_one() {
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    return one;
}
// Counts by the units that multiply: those for integers compare.
__device__ inline void count_if_larger(int& count, int other, int x, int one) {
    asm("{\n\t.reg .pred p;\n\tsetp.gt.s32 p, %1, %2;\n\t@p mad.lo.s32 %0, %3, %3, %0;\n\t}" : "+r"(count) : "r"(other), "r"(x), "r"(one));
}
__device__ inline void move_if(bool condition, int& to, int from, int one) {
    asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t@p mad.lo.s32 %0, %2, %3, 0;\n\t}" : "+r"(to) : "r"(int(condition)), "r"(from), "r"(one));
}

// A store without a branch.
__device__ inline void store_if(bool condition, int* slot, int x) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %0, 0;\n\t@p st.shared.s32 [%1], %2;\n\t}"
                 :: "r"(int(condition)), "r"(shared_address(slot)), "r"(x) : "memory");
}

template <int FOURS, int OWN>
__device__ inline void ranks_among(int (&rank)[OWN], const int (&x)[OWN], const int* all, int one) {
    int places[OWN][4] = {};
#pragma unroll
    for (int j = 0; j < FOURS; ++j) {
        const int4 others = reinterpret_cast<const int4*>(all)[j];
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            count_if_larger(places[i][0], others.x, x[i], one);
            count_if_larger(places[i][1], others.y, x[i], one);
            count_if_larger(places[i][2], others.z, x[i], one);
            count_if_larger(places[i][3], others.w, x[i], one);
        }
    }
#pragma unroll
    for (int i = 0; i < OWN; ++i) rank[i] = (places[i][0] + places[i][1]) + (places[i][2] + places[i][3]);
}
template <int FOURS>
__device__ inline int rank_among(int x, const int* all, int one) {
    const int own[1] = {x};
    int rank[1];
    ranks_among<FOURS>(rank, own, all, one);
    return rank[0];
}

template <int NUMBER>
__device__ inline void sort_descending(int (&x)[NUMBER]) {
#pragma unroll
    for (int half = 1; half < NUMBER; half *= 2) {
#pragma unroll
        for (int distance = half; distance > 0; distance /= 2) {
#pragma unroll
            for (int upper = distance % half; upper + distance < NUMBER; ++upper) {
                const int lower = upper + distance;
                const bool pairs = (upper - distance % half) / distance % 2 == 0;
                if (pairs && upper / (2 * half) == lower / (2 * half)) {
                    const int smaller = min(x[upper], x[lower]);
                    x[upper] = max(x[upper], x[lower]);
                    x[lower] = smaller;
                }
            }
        }
    }
}

#if OPTION_ELEMENTS <= 64
// `rank`, which counts by predicated multiply-adds.
template <typename T>
__global__ void LAUNCH_BOUNDS my_top_k_x_rank_mad(const T* values, T* largest, T* result, int iterations) {
    int* all = shared<int>() + threadIdx.x / WARP * (ELEMENTS + COUNT);
    int* chosen = all + ELEMENTS;
    const int one = opaque_one();
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        EACH_ELEMENT(i) all[i * WARP + lane()] = own.x[i];
        __syncwarp();
        int rank[PER_LANE];
        ranks_among<ELEMENTS / 4>(rank, own.x, all, one);
        EACH_ELEMENT(i) {
            if (rank[i] < COUNT) chosen[rank[i]] = own.x[i];
        }
        __syncwarp();
        got = chosen[lane() % COUNT];
    }
    largest[thread()] = got;
    own.store(result);
}
#endif

#if OPTION_ELEMENTS_32
// The elements of the other lanes by 31 shuffles that do not wait for one another.
template <typename T>
__global__ void LAUNCH_BOUNDS my_top_k_x_rank_shfl(const T* values, T* largest, T* result, int iterations) {
    int* chosen = shared<int>() + threadIdx.x / WARP * (2 * COUNT);
    const int one = opaque_one();
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        int places[4] = {};
#pragma unroll
        for (int i = 1; i < WARP; ++i) {
            count_if_larger(places[i % 4], __shfl_xor_sync(FULL_WARP, own.x[0], i), own.x[0], one);
        }
        const int rank = (places[0] + places[1]) + (places[2] + places[3]);
        if (rank < COUNT) chosen[rank] = own.x[0];
        __syncwarp();
        got = chosen[lane() % COUNT];
        __syncwarp();
    }
    largest[thread()] = got;
    own.store(result);
}

// Half of the warps of each scheduler by `redux`, the other half by `bitonic`: two units share the work.
__device__ inline int step(int x, int distance, bool keeps_larger) {
    const int other = __shfl_xor_sync(FULL_WARP, x, distance);
    return keeps_larger ? max(x, other) : min(x, other);
}
__device__ inline int merge_runs(int x) {
    return step(step(step(x, 4, !(threadIdx.x & 4)), 2, !(threadIdx.x & 2)), 1, !(threadIdx.x & 1));
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_top_k_x_redux_or_bitonic(const T* values, T* largest, T* result, int iterations) {
    const unsigned t = threadIdx.x;
    unsigned slot;
    asm("mov.u32 %0, %%warpid;" : "=r"(slot));
    const bool by_redux = __shfl_sync(FULL_WARP, slot, 0) & 4;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        int x = own.x[0];
        if (by_redux) {
            int found[COUNT];
#pragma unroll
            for (int place = 0; place < COUNT; ++place) {
                found[place] = __reduce_max_sync(FULL_WARP, x);
                if (x == found[place]) x = -2147483647 - 1;
            }
#pragma unroll
            for (int bit = 1; bit < COUNT; bit *= 2) {
#pragma unroll
                for (int i = 0; i < COUNT; i += 2 * bit) found[i] = t & bit ? found[i + bit] : found[i];
            }
            got = found[0];
        } else {
            x = step(x, 1, !(t & 1) == !(t & 2));
            x = step(x, 2, !(t & 2) == !(t & 4));
            x = step(x, 1, !(t & 1) == !(t & 4));
            x = merge_runs(x);
            x = merge_runs(max(x, __shfl_xor_sync(FULL_WARP, x, 15)));
            got = merge_runs(max(x, __shfl_xor_sync(FULL_WARP, x, 23)));
        }
    }
    largest[thread()] = got;
    own.store(result);
}

// Ranks within runs of 8, by loads; then the larger ones of opposite runs, twice, of which the first 16 have ranks again.
template <typename T>
__global__ void LAUNCH_BOUNDS my_top_k_x_runs(const T* values, T* largest, T* result, int iterations) {
    int* all = shared<int>() + threadIdx.x / WARP * 96;
    int *sorted = all + 32, *pairs = all + 64, *chosen = all + 80;
    const int one = opaque_one();
    const int run = lane() / 8 * 8, opposite = (run ^ 8) + 7;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        const int x = own.x[0];
        all[lane()] = x;
        __syncwarp();
        const int place = rank_among<2>(x, all + run, one);
        sorted[run + place] = x;
        __syncwarp();
        // Of runs 0 and 1, and of runs 2 and 3: the 8 largest.
        const int mine = max(sorted[lane() / 8 % 2 * 16 + lane() % 8], sorted[lane() / 8 % 2 * 16 + 15 - lane() % 8]);
        if (lane() < 16) pairs[lane()] = mine;
        __syncwarp();
        const int rank = rank_among<4>(mine, pairs, one);
        if (rank < COUNT && lane() < 16) chosen[rank] = mine;
        __syncwarp();
        got = chosen[lane() % COUNT];
    }
    largest[thread()] = got;
    own.store(result);
}
#endif

#if !OPTION_ELEMENTS_32
// Each lane sorts its elements. The 8 largest are among those of the 8 lanes with the largest first ones, and element j of the
// lane whose first one has rank r has at least r + j larger ones. Their ranks are the places.
template <int PER>
struct Candidates;
template <>
struct Candidates<2> {
    static constexpr int NUMBER = 16;
    static __device__ void store(int* slots, const int (&x)[2], int rank) {
        store_if(rank < 8, slots + rank, x[0]);
        store_if(rank < 8, slots + 8 + rank, x[1]);
    }
    static __device__ int own(const int* slots) { return slots[lane() % 16]; }
    static __device__ bool counts() { return lane() < 16; }
};
template <>
struct Candidates<4> {
    static constexpr int NUMBER = 32;
    static __device__ void store(int* slots, const int (&x)[4], int rank) {
#pragma unroll
        for (int j = 0; j < 4; ++j) store_if(rank < 8, slots + 8 * j + rank, x[j]);
    }
    static __device__ int own(const int* slots) { return slots[lane()]; }
    static __device__ bool counts() { return true; }
};
// 28 with r + j < 7, then 8 with r + j = 7, of which only the largest can be among the 8, as the last one.
template <>
struct Candidates<8> {
    static constexpr int NUMBER = 36;
    static __device__ void store(int* slots, const int (&x)[8], int rank) {
        constexpr int FIRST[8] = {0, 7, 13, 18, 22, 25, 27, 28};
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            store_if(rank <= 7 - j, slots + rank + (rank == 7 - j ? 28 : FIRST[j]), x[j]);
        }
    }
    static __device__ int own(const int* slots) {
        const int first = lane() < 28 ? lane() : 2 * lane() - 28, second = lane() < 28 ? lane() : 2 * lane() - 27;
        return max(slots[first], slots[second]);
    }
    static __device__ bool counts() { return true; }
};

template <int PER>
__device__ inline int top_of_sorted(const int (&x)[PER], int* slots, int one) {
    using C = Candidates<PER>;
    int *heads = slots, *candidates = slots + 32, *chosen = slots + 68;
    heads[lane()] = x[0];
    __syncwarp();
    C::store(candidates, x, rank_among<8>(x[0], heads, one));
    __syncwarp();
    const int own = C::own(candidates);
    const int rank = rank_among<C::NUMBER / 4>(own, candidates, one);
    if (rank < COUNT && C::counts()) chosen[rank] = own;
    __syncwarp();
    return chosen[lane() % COUNT];
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_top_k_x_ranks(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * 80;
    const int one = opaque_one();
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        int x[PER_LANE];
        EACH_ELEMENT(i) x[i] = own.x[i];
        sort_descending(x);
        got = top_of_sorted(x, slots, one);
    }
    largest[thread()] = got;
    own.store(result);
}

// `redux`, whose lanes move their elements by predicated multiplications.
template <bool STORES>
__device__ inline int by_redux(const int (&x)[PER_LANE], int* slots, int one) {
    constexpr int NONE = -2147483647 - 1;
    int rest[PER_LANE], found[COUNT];
    EACH_ELEMENT(i) rest[i] = x[i];
    sort_descending(rest);
#pragma unroll
    for (int place = 0; place < COUNT; ++place) {
        found[place] = __reduce_max_sync(FULL_WARP, rest[0]);
        const bool had = rest[0] == found[place];
        if constexpr (STORES) {
            if (had) slots[place] = rest[0];
        }
        EACH_ELEMENT(i) {
            if (i + 1 < PER_LANE) move_if(had, rest[i], rest[i + 1], one);
            else rest[i] = had ? NONE : rest[i];
        }
    }
    if constexpr (STORES) {
        __syncwarp();
        const int got = slots[lane() % COUNT];
        __syncwarp();
        return got;
    }
#pragma unroll
    for (int bit = 1; bit < COUNT; bit *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2 * bit) found[i] = threadIdx.x & bit ? found[i + bit] : found[i];
    }
    return found[0];
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_top_k_x_redux_mad(const T* values, T* largest, T* result, int iterations) {
    const int one = opaque_one();
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = by_redux<false>(own.x, nullptr, one);
    }
    largest[thread()] = got;
    own.store(result);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_top_k_x_redux_mad_store(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * COUNT;
    const int one = opaque_one();
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = by_redux<true>(own.x, slots, one);
    }
    largest[thread()] = got;
    own.store(result);
}
#endif

#if OPTION_ELEMENTS_128 || OPTION_ELEMENTS_256
// The 8 lanes with the largest maxima hand out their elements, one or two to each lane; then as above.
template <typename T>
__global__ void LAUNCH_BOUNDS my_top_k_x_ranks_spread(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * 176;
    int *maxima = slots + 80, *spread = slots + 112;
    const int one = opaque_one();
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        int most = own.x[0];
        EACH_ELEMENT(i) most = max(most, own.x[i]);
        maxima[lane()] = most;
        __syncwarp();
        const int rank = rank_among<8>(most, maxima, one);
        if (rank < COUNT) {
#pragma unroll
            for (int i = 0; i < PER_LANE; i += 4) {
                reinterpret_cast<int4*>(spread)[rank + i / 4 * 8] = make_int4(own.x[i], own.x[i + 1], own.x[i + 2], own.x[i + 3]);
            }
        }
        __syncwarp();
#if OPTION_ELEMENTS_128
        const int mine = spread[lane()];
        const int place = rank_among<8>(mine, spread, one);
        if (place < COUNT) slots[place] = mine;
        __syncwarp();
        got = slots[lane() % COUNT];
#else
        const int2 two = reinterpret_cast<const int2*>(spread)[lane()];
        const int x[2] = {max(two.x, two.y), min(two.x, two.y)};
        got = top_of_sorted(x, slots, one);
#endif
    }
    largest[thread()] = got;
    own.store(result);
}
#endif

// The family of selections of the largest elements of a warp. Each lane sorts its elements; lanes merge their lists with
// those of others, a number of times; the lists that are then left are searched. Each member is one choice of the template's
// parameters.
#include "elements.cuh"
#include "loads.cuh"
#include "shflbench.cuh"

// How the lists that are left are searched: there is one list, which all lanes have; an instruction finds the largest first
// element of all lanes; or each lane counts the larger ones among these, and then among all elements that can be selected.
enum Search { NOTHING, REDUX, RANKS };

// 1, which the compiler must not know: it would not multiply by it. A product takes another unit than a comparison or a
// selection.
__device__ inline int one_in_register() {
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(threadIdx.x + 1));
    return one;
}

template <bool PRODUCT>
__device__ void move_if(bool condition, int& to, int from, int one) {
    if (!PRODUCT) {
        to = condition ? from : to;
        return;
    }
    asm("{\n\t.reg .pred moved;\n\tsetp.ne.s32 moved, %1, 0;\n\t@moved mad.lo.s32 %0, %2, %3, 0;\n\t}"
        : "+r"(to) : "r"(int(condition)), "r"(from), "r"(one));
}

// In PTX, because the compiler would add 1 and then select a number.
template <bool PRODUCT>
__device__ void count_larger(int& count, int other, int x, int one) {
    if (PRODUCT) {
        asm("{\n\t.reg .pred larger;\n\tsetp.gt.s32 larger, %1, %2;\n\t@larger mad.lo.s32 %0, %3, %3, %0;\n\t}"
            : "+r"(count) : "r"(other), "r"(x), "r"(one));
    } else {
        asm("{\n\t.reg .pred larger;\n\tsetp.gt.s32 larger, %1, %2;\n\t@larger add.s32 %0, %0, 1;\n\t}"
            : "+r"(count) : "r"(other), "r"(x));
    }
}

__device__ inline void order(int& larger, int& smaller) {
    const int most = max(larger, smaller);
    smaller = min(larger, smaller);
    larger = most;
}

// Sorts the elements of a lane in descending order, in a network that merges sorted halves (Batcher, odd-even).
template <int NUMBER>
__device__ void sort_descending(int (&x)[NUMBER]) {
#pragma unroll
    for (int half = 1; half < NUMBER; half *= 2) {
#pragma unroll
        for (int distance = half; distance > 0; distance /= 2) {
#pragma unroll
            for (int upper = distance % half; upper + distance < NUMBER; ++upper) {
                const int lower = upper + distance;
                const bool pairs = (upper - distance % half) / distance % 2 == 0;
                if (pairs && upper / (2 * half) == lower / (2 * half)) order(x[upper], x[lower]);
            }
        }
    }
}

// The largest of two lists in descending order, at most COUNT of them: the larger ones of opposite elements, or all of them,
// rise and fall, and are sorted in a bitonic network.
template <int LENGTH, int MERGED>
__device__ void merge(const int (&x)[LENGTH], const int (&other)[LENGTH], int (&merged)[MERGED]) {
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) {
        merged[i] = MERGED == LENGTH ? max(x[i], other[LENGTH - 1 - i]) : x[i];
        if (MERGED > LENGTH) merged[MERGED - 1 - i] = other[i];
    }
#pragma unroll
    for (int distance = MERGED / 2; distance > 0; distance /= 2) {
#pragma unroll
        for (int i = 0; i < MERGED; ++i) {
            if (!(i & distance)) order(merged[i], merged[i + distance]);
        }
    }
}

// Stores words of 32 bits at once. In PTX, because the compiler would merge narrow stores into wide ones.
__device__ inline void store(int* to, const int (&x)[1]) {
    asm volatile("st.volatile.shared.b32 [%0], %1;" :: "r"(shared_address(to)), "r"(x[0]) : "memory");
}
__device__ inline void store(int* to, const int (&x)[2]) {
    asm volatile("st.volatile.shared.v2.b32 [%0], {%1, %2};" :: "r"(shared_address(to)), "r"(x[0]), "r"(x[1]) : "memory");
}
__device__ inline void store(int* to, const int (&x)[4]) {
    asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 :: "r"(shared_address(to)), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory");
}

// Gets the list of another lane, by shuffles, or BITS at a time through shared memory: parts of the lists of all lanes lie
// side by side, without bank conflicts.
template <int BITS, bool SHARED, int LENGTH>
__device__ void exchange(int (&other)[LENGTH], const int (&x)[LENGTH], int distance, int* slots) {
    if (!SHARED) {
#pragma unroll
        for (int i = 0; i < LENGTH; ++i) other[i] = shfl_xor(x[i], distance);
        return;
    }
    constexpr int WORDS = BITS / 32 < LENGTH ? BITS / 32 : LENGTH;
    int part[WORDS];
#pragma unroll
    for (int i = 0; i < LENGTH; i += WORDS) {
        memcpy(part, x + i, sizeof part);
        store(slots + i * WARP + lane() * WORDS, part);
    }
    __syncwarp();  // all lanes have written
#pragma unroll
    for (int i = 0; i < LENGTH; i += WORDS) {
        load_all<32 * WORDS>(part, slots + i * WARP + (lane() ^ distance) * WORDS);
        memcpy(other + i, part, sizeof part);
    }
    __syncwarp();  // all lanes have read: the slots may be written again
}

// The number of larger ones among NUMBER elements in shared memory.
template <int NUMBER, int BITS, bool PRODUCT>
__device__ int number_of_larger(int x, const int* all, int one) {
    int count[4] = {}, others[NUMBER];
    load_all<BITS>(others, all);
#pragma unroll
    for (int i = 0; i < NUMBER; ++i) count_larger<PRODUCT>(count[i % 4], others[i], x, one);
    return (count[0] + count[1]) + (count[2] + count[3]);
}

// Stores in some lanes, without a branch.
__device__ inline void store_if(bool condition, int* slot, int x) {
    asm volatile("{\n\t.reg .pred stored;\n\tsetp.ne.s32 stored, %0, 0;\n\t@stored st.shared.s32 [%1], %2;\n\t}"
                 :: "r"(int(condition)), "r"(shared_address(slot)), "r"(x) : "memory");
}

// Element i % 8 of a list that all lanes have. Each bit of the lane number halves the choice.
__device__ inline int element_of_lane(int (&list)[COUNT]) {
#pragma unroll
    for (int bit = 1; bit < COUNT; bit *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2 * bit) list[i] = lane() & bit ? list[i + bit] : list[i];
    }
    return list[0];
}

// The largest of all elements, COUNT times: each lane shows the largest one that it still has. Lanes with equal lists lose it
// together.
template <bool PRODUCT, int LENGTH>
__device__ int search_by_redux(int (&list)[LENGTH], int one) {
    constexpr int NONE = -2147483647 - 1;  // less than all elements
    int found[COUNT];
#pragma unroll
    for (int place = 0; place < COUNT; ++place) {
        found[place] = __reduce_max_sync(FULL_WARP, list[0]);
        const bool had = list[0] == found[place];
#pragma unroll
        for (int i = 0; i < LENGTH; ++i) {
            if (i + 1 < LENGTH) move_if<PRODUCT>(had, list[i], list[i + 1], one);
            else list[i] = had ? NONE : list[i];
        }
    }
    return element_of_lane(found);
}

// Each of the first lists has candidates: element j of a list whose first one has rank r has at least r + j larger ones.
// Lists of up to 4 elements store all of them, as a matrix; of lists of 8, the 28 with a sum below 7 are stored, and then the
// 8 with a sum of 7, of which one at most is selected.
template <int LENGTH>
struct Candidates {
    static constexpr bool ALL = LENGTH < COUNT;
    static constexpr int LAST = 28, NUMBER = ALL ? COUNT * LENGTH : LAST + COUNT;

    __device__ static void store(int* slots, const int (&list)[LENGTH], int rank, bool stores) {
#pragma unroll
        for (int j = 0; j < LENGTH; ++j) {
            const int triangle = rank + (rank + j == COUNT - 1 ? LAST : (COUNT - 1) * j - j * (j - 1) / 2);
            store_if(stores && (ALL ? rank < COUNT : rank + j < COUNT), slots + (ALL ? COUNT * j + rank : triangle), list[j]);
        }
    }
    // The candidate of a lane: of the last 8, the larger one of two.
    __device__ static int own(const int* slots) {
        if (ALL) return volatile_load(slots + lane() % NUMBER);
        const int first = lane() + max(lane() - LAST, 0);
        return max(volatile_load(slots + first), volatile_load(slots + first + (lane() >= LAST)));
    }
};

// The slots of a warp: first elements of lists, candidates, and the largest elements.
constexpr int HEADS = WARP, CHOSEN = HEADS + 36, SLOTS = CHOSEN + 8;

// Lists of 2^STEPS adjacent lanes are equal. Three arrays: the barrier after the stores of one also separates the loads of
// another from the next stores.
template <int STEPS, int BITS, bool PRODUCT, int LENGTH>
__device__ int search_by_ranks(const int (&list)[LENGTH], int* slots, int one) {
    using Of = Candidates<LENGTH>;
    constexpr int LANES = 1 << STEPS;
    const bool stores = lane() % LANES == 0;
    int *candidates = slots + HEADS, *chosen = slots + CHOSEN;
    store_if(stores, slots + lane() / LANES, list[0]);
    __syncwarp();  // all lists have written their first elements
    const int rank = number_of_larger<WARP / LANES, BITS, PRODUCT>(list[0], slots, one);
    Of::store(candidates, list, rank, stores);
    __syncwarp();  // all lists have written their candidates
    const int mine = Of::own(candidates);
    const int place = number_of_larger<Of::NUMBER, BITS, PRODUCT>(mine, candidates, one);
    store_if(place < COUNT && lane() < Of::NUMBER, chosen + place, mine);
    __syncwarp();  // the largest are in `chosen`
    return volatile_load(chosen + lane() % COUNT);
}

// Merges lists with those of lanes at distances that double, and then searches.
template <int STEPS, bool SHARED, int BITS, Search SEARCH, bool PRODUCT, int STEP = 0, int LENGTH>
__device__ int select_largest(int (&list)[LENGTH], int* slots, int one) {
    if constexpr (STEP < STEPS) {
        constexpr int MERGED = 2 * LENGTH < COUNT ? 2 * LENGTH : COUNT;
        int other[LENGTH], merged[MERGED];
        exchange<BITS, SHARED>(other, list, 1 << STEP, slots + (SEARCH == RANKS ? SLOTS : 0));
        merge(list, other, merged);
        return select_largest<STEPS, SHARED, BITS, SEARCH, PRODUCT, STEP + 1>(merged, slots, one);
    } else if constexpr (SEARCH == REDUX) {
        return search_by_redux<PRODUCT>(list, one);
    } else if constexpr (SEARCH == RANKS) {
        return search_by_ranks<STEPS, BITS, PRODUCT>(list, slots, one);
    } else {
        return element_of_lane(list);
    }
}

template <typename T, int STEPS, bool SHARED, int BITS, Search SEARCH, bool PRODUCT>
__global__ void LAUNCH_BOUNDS top_k_member(const T* values, T* largest, T* result, int iterations) {
    constexpr int OF_WARP = (SEARCH == RANKS ? SLOTS : 0) + (SHARED ? WARP * COUNT : 0);
    int* slots = shared<int>() + threadIdx.x / WARP * OF_WARP;
    const int one = one_in_register();
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        int list[PER_LANE];
        EACH_ELEMENT(i) list[i] = own.x[i];
        sort_descending(list);
        got = select_largest<STEPS, SHARED, BITS, SEARCH, PRODUCT>(list, slots, one);
    }
    largest[thread()] = got;
    own.store(result);
}

// A warp selects the COUNT largest of its elements: lane i gets element i % COUNT of the descending order.
#include "elements.cuh"
#include "shflbench.cuh"

// Of two sorted runs, one descending and one ascending, the larger one of each pair is among the COUNT largest of both.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_bitonic(const T* values, T* largest, T* result, int iterations) {
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = sort(own.x[0], true);
#pragma unroll
        for (int i = 1; i < PER_LANE; ++i) got = merge(max(got, sort(own.x[i], false)), true);
#pragma unroll
        for (int distance = COUNT; distance < WARP; distance *= 2) {  // of the run in other lanes, in reverse
            got = merge(max(got, shfl_xor(got, distance + COUNT - 1)), true);
        }
    }
    largest[thread()] = got;
    own.store(result);
}

// Element `place` of two sorted runs of COUNT, if these are merged: finds how many of the first run are in front of it.
__device__ inline int find_merged(const int* run, const int* other, int place) {
    int number = 0;
#pragma unroll
    for (int half = COUNT / 2; half > 0; half /= 2) {
        const int more = number + half;
        if ((more <= place) & (run[more - 1] > other[max(place - more, 0)])) number = more;
    }
    return max(run[number], other[place - number]);
}

// Of each pair of sorted runs, among ACTIVE elements, the COUNT largest are kept.
template <int ACTIVE>
__device__ void select_runs(int* slots) {
    if constexpr (ACTIVE > COUNT) {
        constexpr int KEPT = ACTIVE / 2, TURNS = KEPT > WARP ? KEPT / WARP : 1;
        int x[TURNS];
#pragma unroll
        for (int i = 0; i < TURNS; ++i) {
            const int mine = (i * WARP + lane()) % KEPT;
            const int* run = slots + mine / COUNT * (2 * COUNT);
            x[i] = find_merged(run, run + COUNT, mine % COUNT);
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < TURNS; ++i) {
            if (KEPT >= WARP || lane() < KEPT) slots[i * WARP + lane()] = x[i];
        }
        __syncwarp();
        select_runs<KEPT>(slots);
    }
}

// Runs are sorted by shuffles, and merged in shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_merge(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * ELEMENTS;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        EACH_ELEMENT(i) slots[i * WARP + lane()] = sort(own.x[i], true);
        __syncwarp();
        select_runs<ELEMENTS>(slots);
        got = slots[lane() % COUNT];
        __syncwarp();
    }
    largest[thread()] = got;
    own.store(result);
}

// The number with the same order of its bits as of signed integers.
__device__ inline unsigned order_bits(int x) { return unsigned(x) ^ 1u << 31; }

// Finds the bits of a number that COUNT elements reach, from the highest on. A bit is 1 if enough elements have the bits found
// so far and then a 1; otherwise, these elements are larger than the number, and that many fewer are missing.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_radix(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * COUNT;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        unsigned least = 0;
        int missing = COUNT;
#pragma unroll 1
        for (unsigned bit = 1u << 31; bit > 0; bit /= 2) {
            int ones = 0;
            EACH_ELEMENT(i) {
                const bool has_bits = (order_bits(own.x[i]) ^ (least | bit)) < bit;
                ones += __popc(__ballot_sync(FULL_WARP, has_bits));
            }
            if (ones >= missing) least |= bit;
            if (ones == missing) break;
            if (ones < missing) missing -= ones;
        }
        int first = 0;
        EACH_ELEMENT(i) {
            const bool chosen = order_bits(own.x[i]) >= least;
            const unsigned lanes = __ballot_sync(FULL_WARP, chosen);
            if (chosen) slots[first + __popc(lanes & (1u << lane()) - 1)] = own.x[i];
            first += __popc(lanes);
        }
        __syncwarp();
        got = sort(slots[lane() % COUNT], true);
        __syncwarp();
    }
    largest[thread()] = got;
    own.store(result);
}

// The place of an element is the number of larger ones, which each lane counts: it loads all elements, 16 bytes at a time.
// Two arrays, so that the barrier after the stores of one also separates the reads of the other from the next stores.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_rank(const T* values, T* largest, T* result, int iterations) {
    int* all = shared<int>() + threadIdx.x / WARP * (ELEMENTS + COUNT);
    int* chosen = all + ELEMENTS;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        EACH_ELEMENT(i) all[i * WARP + lane()] = own.x[i];
        __syncwarp();
        int places[PER_LANE][4] = {};
#pragma unroll
        for (int j = 0; j < ELEMENTS / 4; ++j) {
            const int4 others = reinterpret_cast<const int4*>(all)[j];
            EACH_ELEMENT(i) {
                count_if_larger(places[i][0], others.x, own.x[i]);
                count_if_larger(places[i][1], others.y, own.x[i]);
                count_if_larger(places[i][2], others.z, own.x[i]);
                count_if_larger(places[i][3], others.w, own.x[i]);
            }
        }
        EACH_ELEMENT(i) {
            const int place = places[i][0] + places[i][1] + places[i][2] + places[i][3];
            if (place < COUNT) chosen[place] = own.x[i];
        }
        __syncwarp();
        got = chosen[lane() % COUNT];
    }
    largest[thread()] = got;
    own.store(result);
}

// Element lane() % COUNT: each bit of the lane number halves the choice, with one predicate per bit.
__device__ inline int found_by_lane(int (&found)[COUNT]) {
#pragma unroll
    for (int bit = 1; bit < COUNT; bit *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2 * bit) found[i] = lane() & bit ? found[i + bit] : found[i];
    }
    return found[0];
}

// The largest of all elements, COUNT times: each lane shows the largest element that it still has.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_redux(const T* values, T* largest, T* result, int iterations) {
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        int rest[PER_LANE];
        EACH_ELEMENT(i) rest[i] = own.x[i];
        sort_descending(rest);
        int found[COUNT];
#pragma unroll
        for (int place = 0; place < COUNT; ++place) {
            found[place] = __reduce_max_sync(FULL_WARP, rest[0]);
            if (rest[0] == found[place]) {
                EACH_ELEMENT(i) rest[i] = i + 1 < PER_LANE ? rest[i + 1] : NONE;
            }
        }
        got = found_by_lane(found);
    }
    largest[thread()] = got;
    own.store(result);
}

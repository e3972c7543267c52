// Exchanges bits of the register number of a word with bits of its lane number: by shuffles, through shared memory, or part by
// each. Bit LOW + k of the register number changes places with bit FIRST + k of the lane number, for each k < PAIRS; then the
// five bits of the lane number rotate by ROTATION.
#pragma once
#include "loads.cuh"
#include "shflbench.cuh"

constexpr int MATRIX = 0;  // in the place of the bits of an access: `stmatrix` or `ldmatrix`

constexpr int EARLY = 1, LATE = 2;

// What a member of a family chooses.
template <int SHUFFLED_, int STORE_, int LOAD_, int ORDER_, bool ROUNDS_, bool PRODUCT_, bool PADDED_, bool DOUBLE_>
struct Choice {
    static constexpr int SHUFFLED = SHUFFLED_;  // 1: all words are shuffled; 2, 4: a half, a quarter; 0: none
    static constexpr int STORE = STORE_, LOAD = LOAD_;  // bits of an access
    static constexpr int ORDER = ORDER_;  // shuffles of all words come EARLY, before shared memory, or LATE; 0: there are none
    static constexpr bool ROUNDS = ROUNDS_;    // one shuffle for each word that moves, instead of one step per bit
    static constexpr bool PRODUCT = PRODUCT_;  // one of two conditional moves is a product
    static constexpr bool PADDED = PADDED_;    // unused slots after each 32, instead of slots that change places
    static constexpr bool DOUBLE = DOUBLE_;    // two buffers in turn, instead of a second barrier
};

__device__ constexpr int lowest(int a, int b) { return a < b ? a : b; }
__device__ constexpr int highest(int a, int b) { return a < b ? b : a; }
__device__ constexpr int rotated(int lane, int by) { return (lane << by | lane >> (5 - by)) & 31; }
__device__ constexpr int rotated_back(int lane, int by) { return rotated(lane, (5 - by) % 5); }

// The binary logarithm of the words that one lane stores or loads side by side.
__device__ constexpr int width_of(int bits) { return bits == 128 ? 2 : bits == 64 ? 1 : 0; }

// 1, which the compiler must not know.
__device__ inline int opaque_one() {
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    return one;
}

// Moves a word on a condition: by a selection, or by a product with 1, which takes another unit.
template <bool PRODUCT>
__device__ inline void move_if(bool condition, unsigned& to, unsigned from, int one) {
    if (PRODUCT) {
        asm("{\n\t"
            ".reg .pred moved;\n\t"
            "setp.ne.s32 moved, %1, 0;\n\t"
            "@moved mad.lo.s32 %0, %2, %3, 0;\n\t"
            "}"
            : "+r"(to)
            : "r"(int(condition)), "r"(from), "r"(one));
    } else {
        to = condition ? from : to;  // no `if`: it would become a branch on some architectures
    }
}

// Exchanges two words on a condition.
template <bool PRODUCT>
__device__ inline void exchange_if(bool condition, unsigned& a, unsigned& b, int one) {
    const unsigned first = a;
    a = condition ? b : a;
    move_if<PRODUCT>(condition, b, first, one);
}

// Exchanges bit `bit` of the register number with the bit of the lane number that is set in `mask`: a lane sends the one of two
// registers that its partner needs.
template <bool PRODUCT, int COUNT>
__device__ void exchange_bit(unsigned (&x)[COUNT], int bit, int mask, int one) {
    const bool upper = lane() & mask;
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        if (i >> bit & 1) continue;
        unsigned &low = x[i], &high = x[i | 1 << bit];
        const unsigned got = shfl_xor(upper ? low : high, mask);
        low = upper ? got : low;
        move_if<PRODUCT>(!upper, high, got, one);
    }
}

// Exchanges register i with register i ^ by << LOW, in one conditional step per bit of `by`.
template <int LOW, int BITS, bool PRODUCT, int COUNT>
__device__ void xor_registers(unsigned (&x)[COUNT], int by, int one) {
#pragma unroll
    for (int bit = 0; bit < BITS; ++bit) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const int other = i | 1 << (LOW + bit);
            if (other != i) exchange_if<PRODUCT>(by >> bit & 1, x[i], x[other], one);
        }
    }
}

// The exchange by shuffles, between lanes whose numbers are rotated by BEFORE and by AFTER: bit by bit, or in rounds, in which
// each lane reads a register of the lane that has its word there. Steps leave words in place, so that a rotation takes rounds.
template <int LOW, int PAIRS, int FIRST, int BEFORE, int AFTER, typename C, int COUNT>
__device__ void shuffle_bits(unsigned (&x)[COUNT], int one) {
    constexpr bool IN_PLACE = BEFORE == AFTER;
    constexpr int STEPS = C::ROUNDS || PAIRS == 0 ? 0 : IN_PLACE ? PAIRS : PAIRS - 1;
    constexpr int LEFT = PAIRS - STEPS, MASK = (1 << LEFT) - 1, BIT = LOW + STEPS, LANE_BIT = FIRST + STEPS;
#pragma unroll
    for (int k = 0; k < STEPS; ++k) exchange_bit<C::PRODUCT>(x, LOW + k, rotated(1 << (FIRST + k), BEFORE), one);
    const int from = rotated_back(lane(), BEFORE), to = rotated_back(lane(), AFTER);
    xor_registers<BIT, LEFT, C::PRODUCT>(x, from >> LANE_BIT, one);
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int round = (i >> BIT & MASK) << LANE_BIT;
        if (!IN_PLACE) x[i] = shfl(x[i], rotated(to ^ round, BEFORE));
        else if (round) x[i] = shfl_xor(x[i], rotated(round, BEFORE));
    }
    xor_registers<BIT, LEFT, C::PRODUCT>(x, to >> LANE_BIT, one);
}

// Stores words of 32 bits to shared memory at once. In PTX, because the compiler would merge narrow stores into wide ones.
template <int WORDS>
__device__ void store(void* to, const unsigned* x) {
    if constexpr (WORDS == 1) {
        asm volatile("st.volatile.shared.b32 [%0], %1;" :: "r"(shared_address(to)), "r"(x[0]) : "memory");
    } else if constexpr (WORDS == 2) {
        asm volatile("st.volatile.shared.v2.b32 [%0], {%1, %2};"
                     :: "r"(shared_address(to)), "r"(x[0]), "r"(x[1]) : "memory");
    } else {
        asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     :: "r"(shared_address(to)), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory");
    }
}

// Four registers of all lanes, four adjacent lanes side by side: lane 8 * r + c has the address of register r of lanes 4 * c to
// 4 * c + 3.
__device__ inline void store_matrices(void* to, const unsigned* x) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :: "r"(shared_address(to)), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory");
}
__device__ inline void load_matrices(unsigned* x, const void* from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(shared_address(from)) : "memory");
}

// What is added by xor to the number of a slot for each of its bits from bit 5 on.
struct Swizzle {
    int added[5] = {};

    __device__ constexpr int operator()(int slot) const {
        int sum = slot;
        for (int bit = 0; bit < 5; ++bit) {
            if (slot >> (5 + bit) & 1) sum ^= added[bit];
        }
        return sum;
    }
};

// All sums by xor of the numbers in `sums` and of another number: bit n of a set says that it has number n.
__device__ constexpr unsigned with_sums(unsigned sums, int other) {
    unsigned more = sums;
    for (int i = 0; i < 32; ++i) {
        if (sums >> i & 1) more |= 1u << (i ^ other);
    }
    return more;
}

// The exchange through shared memory of 2^BITS registers; lanes whose numbers differ in FLIPPED get one another's words. Slots
// lie in the order of the side whose accesses are wider.
template <int BITS, int LOW, int PAIRS, int FIRST, int FLIPPED, int ROTATION, typename C>
struct Memory {
    static constexpr int COUNT = 1 << BITS, MASK = (1 << PAIRS) - 1;
    static constexpr bool STORES_MATRICES = C::STORE == MATRIX, LOADS_MATRICES = C::LOAD == MATRIX;
    static constexpr int STORED = width_of(C::STORE), LOADED = width_of(C::LOAD), WIDER = highest(STORED, LOADED);
    static constexpr bool AS_LOADED = LOADED >= STORED;
    static constexpr int PADDING = C::PADDED ? 1 << WIDER : 0;  // slots after each 32
    static constexpr int SLOTS = COUNT * (WARP + PADDING);

    // The slot of what lane `place`, whose number is not rotated, has in register `i` after the exchange or had before it.
    static __device__ constexpr int exchanged(int place, int i, int by) {
        const int other = (place & ~(MASK << FIRST) | (i >> LOW & MASK) << FIRST) ^ FLIPPED;
        return rotated(other, by) * COUNT + (i & ~(MASK << LOW) | (place >> FIRST & MASK) << LOW);
    }
    static __device__ constexpr int stored_slot(int lane, int i) {
        return AS_LOADED ? exchanged(lane, i, ROTATION) : lane * COUNT + i;
    }
    static __device__ constexpr int loaded_slot(int lane, int i) {
        return AS_LOADED ? lane * COUNT + i : exchanged(rotated_back(lane, ROTATION), i, 0);
    }

    // Lanes whose numbers differ in bits FROM to TO - 1 access banks at the same time.
    template <bool STORES>
    struct Together {
        static constexpr bool MATRICES = STORES ? STORES_MATRICES : LOADS_MATRICES;
        static constexpr int FROM = MATRICES ? 2 : 0, TO = MATRICES ? 5 : 5 - (STORES ? STORED : LOADED);

        static __device__ constexpr int slot(int lane, int i) { return STORES ? stored_slot(lane, i) : loaded_slot(lane, i); }
        static __device__ constexpr bool has(int slot_bit) {
            for (int bit = FROM; bit < TO; ++bit) {
                if ((slot(1 << bit, 0) ^ slot(0, 0)) == 1 << slot_bit) return true;
            }
            return false;
        }
        // The sums of the banks by which lanes differ before slots change places.
        static __device__ constexpr unsigned banks() {
            unsigned sums = 1;
            for (int bit = 0; bit < 5; ++bit) {
                if (has(bit)) sums = with_sums(sums, 1 << bit);
            }
            return sums;
        }
        // Bits of a slot's number that depend on the lane.
        static __device__ constexpr int varying(Swizzle swizzle) {
            int bits = 0;
            for (int bit = 0; bit < 5; ++bit) bits |= swizzle(slot(1 << bit, 0) ^ slot(0, 0));
            for (int i = 1; MATRICES && i < 4; i *= 2) bits |= swizzle(slot(0, i) ^ slot(0, 0));
            return bits;
        }
    };

    // For each bit, the first number that is no sum of those before: lanes that access banks together use different ones. First
    // the bits in which both stores and loads differ: two sets of sums that lack some number lack a common one.
    static __device__ constexpr Swizzle swizzle() {
        Swizzle swizzle;
        if (C::PADDED) return swizzle;
        unsigned stores = Together<true>::banks(), loads = Together<false>::banks();
        for (int sides = 2; sides > 0; --sides) {
            for (int bit = 5; bit < 5 + BITS; ++bit) {
                const bool of_stores = Together<true>::has(bit), of_loads = Together<false>::has(bit);
                if (of_stores + of_loads != sides) continue;
                int added = 0;
                while ((of_stores && stores >> added & 1) || (of_loads && loads >> added & 1)) added += 1 << (WIDER);
                swizzle.added[bit - 5] = added;
                if (of_stores) stores = with_sums(stores, added);
                if (of_loads) loads = with_sums(loads, added);
            }
        }
        return swizzle;
    }
    static __device__ constexpr int padded(int slot) { return slot + slot / WARP * PADDING; }

    // Accesses of a lane to slots that are constants apart, as far as these do not change places.
    template <bool STORES>
    static __device__ unsigned* slot_at(unsigned* slots, int i) {
        using Side = Together<STORES>;
        constexpr Swizzle SWIZZLE = swizzle();
        constexpr int VARYING = Side::varying(SWIZZLE);
        const int first = Side::MATRICES ? Side::slot(lane() % 8 * 4, lane() / 8) : Side::slot(lane(), 0);
        const int more = Side::slot(0, i) ^ Side::slot(0, 0);
        if (C::PADDED) return slots + padded(first) + padded(more);
        return slots + (SWIZZLE(first) ^ (SWIZZLE(more) & VARYING)) + (SWIZZLE(more) & ~VARYING);
    }

    static __device__ void store_all(unsigned* slots, const unsigned (&x)[COUNT]) {
#pragma unroll
        for (int i = 0; i < COUNT; i += STORES_MATRICES ? 4 : 1 << STORED) {
            if constexpr (STORES_MATRICES) store_matrices(slot_at<true>(slots, i), x + i);
            else store<1 << STORED>(slot_at<true>(slots, i), x + i);
        }
    }
    static __device__ void load_all(unsigned (&x)[COUNT], unsigned* slots) {
#pragma unroll
        for (int i = 0; i < COUNT; i += LOADS_MATRICES ? 4 : 1 << LOADED) {
            if constexpr (LOADS_MATRICES) {
                load_matrices(x + i, slot_at<false>(slots, i));
            } else {
                unsigned words[1 << LOADED];
                load(words, slot_at<false>(slots, i));
                memcpy(x + i, words, sizeof words);
            }
        }
    }
};

// Two halves of the registers: in words of `kept`, bit BIT of the register number and bit LANE_BIT of the lane number agree.
template <int COUNT, int BIT, int LANE_BIT, typename C>
struct Halves {
    unsigned kept[COUNT / 2], stored[COUNT / 2];

    static __device__ constexpr int number(int i) { return i >> BIT << (BIT + 1) | i & (1 << BIT) - 1; }

    __device__ void split(const unsigned (&x)[COUNT], int one) {
#pragma unroll
        for (int i = 0; i < COUNT / 2; ++i) {
            kept[i] = x[number(i)];
            stored[i] = x[number(i) | 1 << BIT];
            exchange_if<C::PRODUCT>(lane() >> LANE_BIT & 1, kept[i], stored[i], one);
        }
    }
    __device__ void join(unsigned (&x)[COUNT], int lane, int one) {
#pragma unroll
        for (int i = 0; i < COUNT / 2; ++i) {
            exchange_if<C::PRODUCT>(lane >> LANE_BIT & 1, kept[i], stored[i], one);
            x[number(i)] = kept[i];
            x[number(i) | 1 << BIT] = stored[i];
        }
    }
};

// The exchange of the lowest PAIRS bits of the register number as a member does it. The highest LOW bits stay, and both stores
// and loads are wide in these: registers are numbered by them first. Where accesses are wider, shuffles exchange the next bits.
template <int BITS, int PAIRS, int FIRST, int ROTATION, typename C>
struct Exchange {
    static constexpr int COUNT = 1 << BITS, TOP = PAIRS - 1;
    static constexpr int COMMON = lowest(width_of(C::STORE), width_of(C::LOAD)), LOW = lowest(COMMON, BITS - PAIRS);
    static constexpr int STEPS = COMMON - LOW;
    using All = Memory<BITS, LOW + STEPS, PAIRS - STEPS, FIRST + STEPS, 0, ROTATION, C>;
    using Half = Memory<BITS - 1, LOW, TOP, FIRST, 1 << highest(0, FIRST + TOP), ROTATION, C>;
    using Quarter = Memory<BITS - 2, LOW, TOP - 1, FIRST, 1 << highest(0, FIRST + TOP - 1), ROTATION, C>;
    static __device__ constexpr int slots_of_warp() {
        if constexpr (C::SHUFFLED == 0) return All::SLOTS;
        else if constexpr (C::SHUFFLED == 2) return Half::SLOTS;
        else if constexpr (C::SHUFFLED == 4) return Half::SLOTS + Quarter::SLOTS;
        else return 0;
    }
    static constexpr int SLOTS = slots_of_warp();

    static __device__ void all_written() { __syncwarp(); }
    static __device__ void all_read() { if (!C::DOUBLE) __syncwarp(); }  // the slots may be written again

    // All words through shared memory; shuffles before or after it only for wider accesses.
    static __device__ void through_memory(unsigned (&x)[COUNT], unsigned* slots, int one) {
        if (C::ORDER == EARLY) shuffle_bits<LOW, STEPS, FIRST, 0, 0, C>(x, one);
        All::store_all(slots, x);
        all_written();
        All::load_all(x, slots);
        all_read();
        if (C::ORDER == LATE) shuffle_bits<LOW, STEPS, FIRST, ROTATION, ROTATION, C>(x, one);
    }

    // Half of the words by shuffles.
    static __device__ void by_halves(unsigned (&x)[COUNT], unsigned* slots, int one) {
        Halves<COUNT, LOW + TOP, FIRST + TOP, C> half;
        half.split(x, one);
        Half::store_all(slots, half.stored);
        shuffle_bits<LOW, TOP, FIRST, 0, ROTATION, C>(half.kept, one);
        all_written();
        Half::load_all(half.stored, slots);
        all_read();
        half.join(x, rotated_back(lane(), ROTATION), one);
    }

    // A quarter of the words by shuffles.
    static __device__ void by_quarters(unsigned (&x)[COUNT], unsigned* slots, int one) {
        Halves<COUNT, LOW + TOP, FIRST + TOP, C> half;
        half.split(x, one);
        Half::store_all(slots, half.stored);
        Halves<COUNT / 2, LOW + TOP - 1, FIRST + TOP - 1, C> quarter;
        quarter.split(half.kept, one);
        Quarter::store_all(slots + Half::SLOTS, quarter.stored);
        shuffle_bits<LOW, TOP - 1, FIRST, 0, ROTATION, C>(quarter.kept, one);
        all_written();
        Quarter::load_all(quarter.stored, slots + Half::SLOTS);
        Half::load_all(half.stored, slots);
        all_read();
        const int place = rotated_back(lane(), ROTATION);
        quarter.join(half.kept, place, one);
        half.join(x, place, one);
    }

    // The register with number `i` by the bits that stay first.
    static __device__ constexpr int register_of(int i) {
        const int stay = i & (1 << LOW) - 1, exchanged = i >> LOW & (1 << PAIRS) - 1;
        return (i >> (LOW + PAIRS) << LOW | stay) << PAIRS | exchanged;
    }

    // `offset` is 0 at first, and that of the next buffer afterwards.
    static __device__ void run(unsigned (&x)[COUNT], unsigned* slots, int& offset, int one) {
        unsigned y[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) y[i] = x[register_of(i)];
        if constexpr (C::SHUFFLED == 0) through_memory(y, slots + offset, one);
        if constexpr (C::SHUFFLED == 1) shuffle_bits<LOW, PAIRS, FIRST, 0, ROTATION, C>(y, one);
        if constexpr (C::SHUFFLED == 2) by_halves(y, slots + offset, one);
        if constexpr (C::SHUFFLED == 4) by_quarters(y, slots + offset, one);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) x[register_of(i)] = y[i];
        if (C::DOUBLE) offset = SLOTS - offset;
    }

    // The slots of the calling warp.
    static __device__ unsigned* slots() { return shared<unsigned>() + threadIdx.x / WARP * (SLOTS * (C::DOUBLE ? 2 : 1)); }
};

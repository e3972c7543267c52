// challenge vote --dtype i32 --option op=any --launch 'sms x 32' --launch 'sms x 256'
#include "shflbench.cuh"
#include "vote.cuh"

// All of these are for op=any: the result of a vote is whether the ballot is not zero.
constexpr unsigned WITHOUT = 0x4a000000u;                       // an iteration adds this if the predicate is true in no lane
constexpr unsigned MORE = 0x9e3779b1u >> 7;                     // and this more if it is true in any
constexpr unsigned WITH = WITHOUT + MORE;

// The lanes whose number is negative. In PTX, so that the compiler does not make a predicate of the ballot, which comes later
// than a register: VOTE takes 13 clocks to a predicate, 4 to a register.
__device__ inline unsigned negative_lanes(int x) {
    unsigned lanes;
    asm volatile("{\n\t.reg .pred p;\n\tsetp.lt.s32 p, %1, 0;\n\tvote.sync.ballot.b32 %0, p, 0xffffffff;\n\t}"
                 : "=r"(lanes) : "r"(x));
    return lanes;
}

// A number that the compiler does not know to be MORE: it would make a predicated addition of the product.
__device__ inline unsigned more() {
    unsigned product;
    asm volatile("{\n\t.reg .u32 one;\n\tmin.u32 one, %1, 1;\n\tmul.lo.u32 %0, one, %2;\n\t}"
                 : "=r"(product) : "r"(gridDim.x), "n"(MORE));
    return product;
}

// The ballot in a register, the smaller of it and 1 as a factor: a multiply-add takes 4 clocks where a predicated addition takes 13.
template <typename T>
__global__ void LAUNCH_BOUNDS x_ballot_min(const T* values, T* result, int iterations) {
    const unsigned factor = more();
    unsigned x = values[thread()];
    REPEAT(iterations) {
        unsigned any, without;
        asm volatile("add.u32 %0, %1, %2;" : "=r"(without) : "r"(x), "n"(WITHOUT));  // ready before the vote
        asm volatile("min.u32 %0, %1, 1;" : "=r"(any) : "r"(negative_lanes(int(x))));
        asm volatile("mad.lo.u32 %0, %1, %2, %3;" : "=r"(x) : "r"(any), "r"(factor), "r"(without));
    }
    result[thread()] = int(x);
}

// One vote ahead: while the vote of an iteration is under way, the warp votes on both numbers that each lane may have next.
template <typename T>
__global__ void LAUNCH_BOUNDS x_ahead(const T* values, T* result, int iterations) {
    unsigned x = values[thread()];
    unsigned lanes = negative_lanes(int(x));
    REPEAT(iterations) {
        const unsigned with = x + WITH, without = x + WITHOUT;
        const unsigned lanes_with = negative_lanes(int(with)), lanes_without = negative_lanes(int(without));
        const bool any = lanes != 0;
        x = any ? with : without;
        lanes = any ? lanes_with : lanes_without;
    }
    result[thread()] = int(x);
}

// The same from sums that are ready before the selection, too: two results of the next votes add up to one of three numbers.
template <typename T>
__global__ void LAUNCH_BOUNDS x_ahead_sums(const T* values, T* result, int iterations) {
    unsigned with = values[thread()] + WITH, without = values[thread()] + WITHOUT;
    unsigned lanes = negative_lanes(values[thread()]);
    REPEAT(iterations) {
        const unsigned lanes_with = negative_lanes(int(with)), lanes_without = negative_lanes(int(without));
        const bool any = lanes != 0;
        const unsigned both = with + WITH, one = with + WITHOUT, none = without + WITHOUT;
        with = any ? both : one;
        without = any ? one : none;
        lanes = any ? lanes_with : lanes_without;
    }
    result[thread()] = int(with - WITH);
}

// The same with one selection for both sums.
template <typename T>
__global__ void LAUNCH_BOUNDS x_ahead_sum(const T* values, T* result, int iterations) {
    unsigned with = values[thread()] + WITH;
    unsigned lanes = negative_lanes(values[thread()]);
    REPEAT(iterations) {
        const unsigned lanes_with = negative_lanes(int(with)), lanes_without = negative_lanes(int(with - MORE));
        const bool any = lanes != 0;
        const unsigned both = with + WITH, one = with + WITHOUT;
        with = any ? both : one;
        lanes = any ? lanes_with : lanes_without;
    }
    result[thread()] = int(with - WITH);
}

// Two votes ahead: the next two results add one of three numbers.
template <typename T>
__global__ void LAUNCH_BOUNDS x_ahead_two(const T* values, T* result, int iterations) {
    unsigned x = values[thread()];
    unsigned lanes = negative_lanes(int(x));
    unsigned with = negative_lanes(int(x + WITH)), without = negative_lanes(int(x + WITHOUT));
    REPEAT(iterations) {
        const unsigned none = negative_lanes(int(x + 2 * WITHOUT));
        const unsigned one = negative_lanes(int(x + WITHOUT + WITH));
        const unsigned both = negative_lanes(int(x + 2 * WITH));
        const bool any = lanes != 0;
        x += any ? WITH : WITHOUT;
        lanes = any ? with : without;
        with = any ? both : one;
        without = any ? one : none;
    }
    result[thread()] = int(x);
}

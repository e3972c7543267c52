// Challengers of `vote`: fewer instructions, and shorter chains, around the same exchange.
#include "flags.cuh"
#include "shflbench.cuh"
#include "vote.cuh"

constexpr int STEP = 0x4a000000;                         // as in advance()
constexpr int MORE = int(0x9e3779b1u >> 7);              // what a vote that holds adds to it

// x += STEP while the vote is under way, and one predicated addition after it.
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_predicated_add(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        asm volatile("{\n\t"
            ".reg .pred mine, any;\n\t"
            "setp.lt.s32 mine, %0, 0;\n\t"
            "vote.sync.any.pred any, mine, 0xffffffff;\n\t"
            "add.s32 %0, %0, %1;\n\t"
            "@any add.s32 %0, %0, %2;\n\t"
            "}" : "+r"(x) : "n"(STEP), "n"(MORE));
    }
    result[thread()] = x;
}

// Both next values before the vote is known: one select between the vote and the next comparison.
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_two_sums(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        int without = x + STEP, with;
        asm volatile("add.s32 %0, %1, %2;" : "=r"(with) : "r"(int(x)), "n"(int(unsigned(STEP) + unsigned(MORE))));
        x = __any_sync(FULL_WARP, predicate(x)) ? with : without;
    }
    result[thread()] = x;
}

// The next predicate for both outcomes before the vote is known: between two votes, one logic operation on predicates.
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_predicates(const T* values, T* result, int iterations) {
    T x = values[thread()];
    bool mine = predicate(x);
    REPEAT(iterations) {
        const int without = int(unsigned(x) + unsigned(STEP)), with = int(unsigned(x) + unsigned(STEP) + unsigned(MORE));
        const bool if_without = predicate(without), if_with = predicate(with);
        const bool any = __any_sync(FULL_WARP, mine);
        mine = (any & if_with) | (!any & if_without);
        x = any ? with : without;
    }
    result[thread()] = x;
}

// The reduce instruction in place of comparison and vote: the sign of the bitwise or.
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_redux_or(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        const int all = int(__reduce_or_sync(FULL_WARP, unsigned(x)));
        x = int(unsigned(x) + unsigned(STEP) + (unsigned(MORE) & unsigned(all >> 31)));
    }
    result[thread()] = x;
}

// The vote as a ballot in a register.
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_ballot(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        unsigned ballot;
        asm volatile("{\n\t.reg .pred mine;\n\tsetp.lt.s32 mine, %1, 0;\n\t"
                     "vote.sync.ballot.b32 %0, mine, 0xffffffff;\n\t}" : "=r"(ballot) : "r"(int(x)));
        x = int(unsigned(x) + unsigned(STEP) + min(ballot, 1u) * unsigned(MORE));
    }
    result[thread()] = x;
}

// Both of the next votes before this one is known, so that votes do not wait for one another: twice as many of them.
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_two_votes(const T* values, T* result, int iterations) {
    T x = values[thread()];
    bool any = __any_sync(FULL_WARP, predicate(x));
    REPEAT(iterations) {
        const int without = int(unsigned(x) + unsigned(STEP)), with = int(unsigned(x) + unsigned(STEP) + unsigned(MORE));
        const bool any_without = __any_sync(FULL_WARP, predicate(without)), any_with = __any_sync(FULL_WARP, predicate(with));
        x = any ? with : without;
        any = (any & any_with) | (!any & any_without);
    }
    result[thread()] = x;
}

// Four lanes' flags per byte of a store are not needed for `any`: all lanes in which the predicate holds store the same
// number to one word, which one load reads; three words, so that one barrier per iteration is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_same_word(const T* values, T* result, int iterations) {
    int* words = reinterpret_cast<int*>(shared<unsigned char>()) + threadIdx.x / WARP * 4;
    T x = values[thread()];
    if (lane() < 4) words[lane()] = -1;
    __syncwarp();
    int count = 0;
    REPEAT(iterations) {
        int* word = words + (count & 1);
        if (predicate(x)) atomicMax(word, count);
        __syncwarp();
        const bool any = *reinterpret_cast<volatile int*>(word) == count;
        ++count;
        x = advance(x, any);
    }
    result[thread()] = x;
}

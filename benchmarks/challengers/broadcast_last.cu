// Challengers of `broadcast-last`.
#include "last.cuh"
#include "shflbench.cuh"

template <typename T>
__device__ unsigned bits_of(T x) {
    static_assert(sizeof(T) == 4);
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// The constant of `holds`, which the compiler cannot know: it stays in a register, and the test is one instruction, a LOP3
// that sets a predicate, in place of LOP3 and ISETP. `iterations` is not negative.
__device__ unsigned five_shifted(int iterations) {
    unsigned x;
    asm volatile("{\n\t"
                 ".reg .u32 sign;\n\t"
                 "shr.u32 sign, %1, 31;\n\t"
                 "add.u32 %0, sign, 0x280000;\n\t"
                 "}"
                 : "=r"(x) : "r"(iterations));
    return x;
}
// The same as holds().
__device__ bool tests(unsigned bits, unsigned five) { return ((bits ^ five) & 0x780000) == 0; }

// mix(x, got) if any lane holds, else mix(x, x), which does not wait for `got`: a predicated multiply-add, no selection.
template <typename T>
__device__ T mix_if(T x, T got, unsigned lanes) {
    unsigned next = bits_of(mix(x, x));
    asm("{\n\t"
        ".reg .pred any;\n\t"
        "setp.ne.u32 any, %1, 0;\n\t"
        "@any mad.lo.u32 %0, %2, 2, %3;\n\t"
        "}"
        : "+r"(next)
        : "r"(lanes), "r"(bits_of(got)), "r"(bits_of(x)));
    memcpy(&x, &next, sizeof x);
    return x;
}

// The number of the highest set bit plus 31, modulo 32, is the exponent of the number as a float (rounded towards zero):
// I2FP and LEA.HI in place of FLO, which has a quarter of the rate. If no lane holds, the result is not used.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_last_x_ballot_float(const T* values, T* result, int iterations) {
    const unsigned five = five_shifted(iterations);
    T x = values[thread()];
    REPEAT(iterations) {
        const unsigned lanes = __ballot_sync(FULL_WARP, tests(bits_of(x), five));
        const int last = (__float_as_int(__uint2float_rz(lanes)) >> 23) + 1;  // a shuffle takes it modulo 32
        const T got = shfl(x, last);
        x = mix_if(x, got, lanes);
    }
    result[thread()] = x;
}

// Without a branch or selection: a number below 1 whose exponent stands for the own lane is added to the mask as a float,
// rounded towards zero. It does not change the exponent of a mask that is not zero, and decides if the mask is zero.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_last_x_ballot_own(const T* values, T* result, int iterations) {
    const unsigned five = five_shifted(iterations);
    const float own = __int_as_float((127 - 31 + lane()) << 23);  // 2^(lane - 31), doubled below 2
    T x = values[thread()];
    REPEAT(iterations) {
        const unsigned lanes = __ballot_sync(FULL_WARP, tests(bits_of(x), five));
        // Twice the mask, so that the exponent of bit l is 128 + l: l modulo 32. Of the own lane: 96 + l.
        const float twice = __fmaf_rz(__uint2float_rz(lanes), 2.0f, own);
        x = mix(x, shfl(x, __float_as_int(twice) >> 23));
    }
    result[thread()] = x;
}

// Only the small changes: the predicate by one instruction, and the shuffle does not wait for the choice of the lane if there
// is none.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_last_x_ballot_flo(const T* values, T* result, int iterations) {
    const unsigned five = five_shifted(iterations);
    T x = values[thread()];
    REPEAT(iterations) {
        const unsigned lanes = __ballot_sync(FULL_WARP, tests(bits_of(x), five));
        int last;
        asm("bfind.u32 %0, %1;" : "=r"(last) : "r"(lanes));
        const T got = shfl(x, last);
        x = mix_if(x, got, lanes);
    }
    result[thread()] = x;
}

// As ballot-smem, but a lane is the last if it holds and no higher lane does: one comparison between the vote and the store.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_last_x_smem_compare(const T* values, T* result, int iterations) {
    const unsigned five = five_shifted(iterations), up_to_own = FULL_WARP >> (WARP - 1 - lane());
    T *now = shared<T>() + threadIdx.x / WARP, *next = now + blockDim.x / WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        const bool mine = tests(bits_of(x), five);
        const unsigned lanes = __ballot_sync(FULL_WARP, mine);
        if (mine && lanes <= up_to_own) *now = x;
        __syncwarp();
        x = mix(x, lanes != 0 ? *now : x);
        swap(now, next);
    }
    result[thread()] = x;
}

// All lanes store before the vote is known; after it, they load the slot of the last lane. A load is 3 cycles faster than a
// shuffle, and the stores overlap the vote. The exponent of the mask, modulo 32, is the slot: lane l has slot (l + 31) % 32.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_last_x_smem_early(const T* values, T* result, int iterations) {
    const unsigned five = five_shifted(iterations);
    const float own = __int_as_float((127 - 32 + lane()) << 23);
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    const int slot = (lane() + WARP - 1) % WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        now[slot] = x;
        const unsigned lanes = __ballot_sync(FULL_WARP, tests(bits_of(x), five));
        __syncwarp();
        const unsigned exponent = __float_as_uint(__fadd_rz(__uint2float_rz(lanes), own)) & 0x0f800000u;
        x = mix(x, now[exponent >> 23]);
        swap(now, next);
    }
    result[thread()] = x;
}

// The last lane knows that it is the last; the bitwise or of its value and zeros of all others is its value.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_last_x_ballot_redux(const T* values, T* result, int iterations) {
    const unsigned five = five_shifted(iterations), up_to_own = FULL_WARP >> (WARP - 1 - lane());
    T x = values[thread()];
    REPEAT(iterations) {
        const bool mine = tests(bits_of(x), five);
        const unsigned lanes = __ballot_sync(FULL_WARP, mine);
        const unsigned sent = mine && lanes <= up_to_own ? bits_of(x) : 0u;
        const unsigned bits = __reduce_or_sync(FULL_WARP, sent);
        T got;
        memcpy(&got, &bits, sizeof got);
        x = mix_if(x, got, lanes);
    }
    result[thread()] = x;
}

// Every other iteration by shared memory: the units for shuffles, votes and integers take turns.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_last_x_mixed(const T* values, T* result, int iterations) {
    const unsigned five = five_shifted(iterations), up_to_own = FULL_WARP >> (WARP - 1 - lane());
    const float own = __int_as_float((127 - 31 + lane()) << 23);
    T *now = shared<T>() + threadIdx.x / WARP, *next = now + blockDim.x / WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        const bool mine = tests(bits_of(x), five);
        const unsigned lanes = __ballot_sync(FULL_WARP, mine);
        if (iteration % 2 == 0) {
            const float twice = __fmaf_rz(__uint2float_rz(lanes), 2.0f, own);
            x = mix(x, shfl(x, __float_as_int(twice) >> 23));
        } else {
            if (mine && lanes <= up_to_own) *now = x;
            __syncwarp();
            x = mix(x, lanes != 0 ? *now : x);
            swap(now, next);
        }
    }
    result[thread()] = x;
}

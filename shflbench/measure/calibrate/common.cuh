// What the kernels of `shflbench calibrate` have in common. Each repeats one instruction, in `passes` passes through a
// loop: CHAINS independent ones, each REPEAT times per pass. `memory` holds zeros, and `zero` is 0, which the compiler
// cannot know: where a value must change for the compiler and stay the same in fact, they are used.
// PTX in volatile asm is neither merged nor moved out of the loop. tests/measure/calibrate counts the instructions in SASS.

constexpr unsigned FULL_WARP = 0xffffffff;
constexpr int WORDS = 4096;  // of shared memory: 16 KiB

__device__ inline unsigned lane() { return threadIdx.x % 32; }

__device__ inline unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Keep a result: the compiler must assume that some value is stored.
__device__ inline void keep(unsigned* memory, unsigned value, unsigned zero) {
    if (value + 1 == zero) memory[0] = value;
}

template <int CHAINS>
__device__ inline void keep_all(unsigned* memory, const unsigned (&x)[CHAINS], unsigned zero) {
    unsigned sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum |= x[c];
    keep(memory, sum, zero);
}

#define LOOP _Pragma("unroll 1") for (int pass = 0; pass < passes; ++pass)
#define REPEATED \
    _Pragma("unroll") for (int r = 0; r < REPEAT; ++r) _Pragma("unroll") for (int c = 0; c < CHAINS; ++c)

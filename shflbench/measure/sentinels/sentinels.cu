// The sentinels: kernels that never change, timed in every round of every run. What moves their times is the machine
// and never shflbench, so they tell the two apart when runs are compared. Their compiled form lies next to this file
// and is what runs; `python -m tools.sentinels` made it. An edit here is another set with another version number.
//
// One kernel for each part of an SM that the patterns lean on. Each is a chain: a trip needs what the last one made.
// With few warps an SM its time is a latency, nearly the same number of cycles from Turing to Blackwell; with many, the
// part is busy all the time. `iterations` sets how long. A thread starts with a number of its own and writes where it
// ended.

constexpr int WARP = 32;
constexpr unsigned FULL_WARP = 0xffffffffu;
constexpr int LARGEST_BLOCK = 512;  // that any sentinel is launched with

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ unsigned lane() { return threadIdx.x % WARP; }

// Numbers that differ in all their bits (Knuth's multiplicative hash: 2^32 divided by the golden ratio), and no zero,
// which xorshift would never leave.
__device__ unsigned first_number() { return 2654435769u * thread() + 1; }

// Takes in another thread's number without forgetting the own one, whatever the number of trips: its factor is odd.
__device__ unsigned mix(unsigned own, unsigned got) { return own + 2 * got; }

// Sixteen trips in one pass: loop overhead stays small, and the code stays in the instruction cache.
#define REPEAT(iterations) _Pragma("unroll 16") for (int trip = 0; trip < (iterations); ++trip)

// Shuffle: each lane takes the number of the lane to its right.
extern "C" __global__ void sentinel_shuffle(unsigned* numbers, int iterations) {
    const int right = (lane() + 1) % WARP;
    unsigned x = first_number();
    REPEAT(iterations) x = mix(x, __shfl_sync(FULL_WARP, x, right));
    numbers[thread()] = x;
}

// Shared memory inside a warp: the same exchange through a slot for each thread.
extern "C" __global__ void sentinel_shared_memory(unsigned* numbers, int iterations) {
    __shared__ unsigned slots[LARGEST_BLOCK];
    const int right = threadIdx.x - lane() + (lane() + 1) % WARP;
    unsigned x = first_number();
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        x = mix(x, slots[right]);
        __syncwarp();  // all have read before one writes again
    }
    numbers[thread()] = x;
}

// Block barrier: each thread takes the number of the same lane in the next warp. Two rows of slots, so that one barrier
// a trip is enough: while a slow warp still reads one row, a fast one writes the other.
extern "C" __global__ void sentinel_barrier(unsigned* numbers, int iterations) {
    __shared__ unsigned slots[2][LARGEST_BLOCK];
    const int next = (threadIdx.x + WARP) % blockDim.x;
    unsigned x = first_number();
    REPEAT(iterations) {
        slots[trip % 2][threadIdx.x] = x;
        __syncthreads();
        x = mix(x, slots[trip % 2][next]);
    }
    numbers[thread()] = x;
}

// Fused multiply-add: x² - 1.9 wanders through [-1.9, 1.71] for ever and never settles, so the bits keep changing.
extern "C" __global__ void sentinel_multiply_add(unsigned* numbers, int iterations) {
    float x = thread() % 1024 / 1024.0f;
    REPEAT(iterations) x = fmaf(x, x, -1.9f);
    numbers[thread()] = __float_as_uint(x);
}

// Integer arithmetic: the shifts of Marsaglia's generator "xorshift32" (Journal of Statistical Software 8(14), 2003).
extern "C" __global__ void sentinel_integer(unsigned* numbers, int iterations) {
    unsigned x = first_number();
    REPEAT(iterations) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    numbers[thread()] = x;
}

// L2 cache: every load says where the next one reads. __ldcg passes the L1 cache by. A block has 128 cache lines of its
// own, because no two slices of the L2 cache are equally far; 37 lines on, and on again, a warp comes past all of them.
extern "C" __global__ void sentinel_l2(unsigned* numbers, int iterations) {
    const unsigned words = 16 * blockDim.x;
    unsigned* table = numbers + blockIdx.x * words;
    for (unsigned place = threadIdx.x; place < words; place += blockDim.x) table[place] = (place + 37 * WARP) % words;
    __syncthreads();
    unsigned place = threadIdx.x, sum = thread();
    REPEAT(iterations) {
        place = __ldcg(&table[place]);
        sum += place;
    }
    __syncthreads();  // all have read the table before one writes over it
    table[threadIdx.x] = sum;
}

// Rows of LENGTH elements, for `row-norm` and `softmax`: which threads share a row, what each of them loads, keeps and
// stores, and five ways in which the threads of a row combine their numbers.
//
// A team is a block, or the lanes of a warp that have 16 bytes each: all 32, or a part of a warp for a short row. So a
// block has the same rows in all variants, and no warp is without a row.
#pragma once
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

template <typename T>
constexpr int VECTOR = 16 / sizeof(T);  // elements of 16 bytes
template <typename T>
constexpr int LANES = LENGTH < WARP * VECTOR<T> ? LENGTH / VECTOR<T> : WARP;  // of a warp that share a row
// Rows that lanes load before they reduce the first, so that each thread waits for 64 bytes or more at a time: with
// 1,536 to 2,048 threads, an SM of an H200 waits for 96 KB, and needs 32 to 64 KB to reach the bandwidth of its memory.
template <typename T>
constexpr int AT_ONCE = LENGTH / LANES<T> < 4 * VECTOR<T> ? 4 * VECTOR<T> * LANES<T> / LENGTH : 1;
template <typename T>
constexpr int ROWS_PER_BLOCK = BLOCK / LANES<T> * AT_ONCE<T>;

// Numbers that a thread keeps in registers: half of what it may have. A thread of a block of 1,024 has 64 registers, of
// a block of 512 has 128, of a smaller one 255.
constexpr int MOST_KEPT = 32768 / BLOCK < 128 ? 32768 / BLOCK : 128;
// Of a row that does not fit, a thread loads so many at a time, again in each pass over the row.
constexpr int BATCH = 32;

struct Sum {
    static __device__ float neutral() { return 0.0f; }
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
    static __device__ float neutral() { return __int_as_float(0xff800000); }  // minus infinity
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

__device__ inline void round_to(float* to, const float* from, int count) {
    for (int i = 0; i < count; ++i) to[i] = from[i];
}
#if DTYPE_BF16
__device__ inline void round_to(__nv_bfloat16* to, const float* from, int count) {
    for (int i = 0; i < count; i += 2) {  // one instruction rounds two numbers
        const __nv_bfloat162 pair = __floats2bfloat162_rn(from[i], from[i + 1]);
        to[i] = pair.x;
        to[i + 1] = pair.y;
    }
}
#endif

// The VECTOR elements with number `chunk` of a thread with this rank among THREADS: adjacent ones, which it accesses
// together (load=vector), or one of each of VECTOR stretches of THREADS elements (load=scalar).
template <typename T, int THREADS>
struct Chunk {
    static constexpr int SIZE = VECTOR<T>;
    float x[SIZE];

    // Whether element `i` is in the row; all are, unless the row is shorter than one chunk of all threads.
    static __device__ bool has(int rank, int i) {
        if (LENGTH >= THREADS * SIZE) return true;
#if OPTION_LOAD_VECTOR
        return rank < LENGTH / SIZE;
#else
        return i * THREADS + rank < LENGTH;
#endif
    }
    // Where the elements of the first chunk start, and how far an element is from there: a number that the compiler
    // knows, so that one register pair holds the addresses of all.
    static __device__ int start(int rank) {
#if OPTION_LOAD_VECTOR
        return rank * SIZE;
#else
        return rank;
#endif
    }
    static __device__ constexpr int distance(int chunk, int i) {
#if OPTION_LOAD_VECTOR
        return chunk * THREADS * SIZE + i;
#else
        return (chunk * SIZE + i) * THREADS;
#endif
    }

    // Elements beyond the end of the row are not loaded.
    template <typename Read>
    __device__ void load(const T* row, int chunk, int rank, Read read) {
        const T* mine = row + start(rank);
#if OPTION_LOAD_VECTOR
        if (!has(rank, 0)) return;
        const uint4 bits = read(reinterpret_cast<const uint4*>(mine + distance(chunk, 0)));
        T elements[SIZE];
        memcpy(elements, &bits, sizeof bits);
#pragma unroll
        for (int i = 0; i < SIZE; ++i) x[i] = float(elements[i]);
#else
#pragma unroll
        for (int i = 0; i < SIZE; ++i) {
            if (has(rank, i)) x[i] = float(read(mine + distance(chunk, i)));
        }
#endif
    }
    __device__ void store(T* row, int chunk, int rank) const {
        T* mine = row + start(rank);
        T elements[SIZE];
        round_to(elements, x, SIZE);
#if OPTION_LOAD_VECTOR
        uint4 bits;
        memcpy(&bits, elements, sizeof bits);
        if (has(rank, 0)) *reinterpret_cast<uint4*>(mine + distance(chunk, 0)) = bits;
#else
#pragma unroll
        for (int i = 0; i < SIZE; ++i) {
            if (has(rank, i)) mine[distance(chunk, i)] = elements[i];
        }
#endif
    }
};

// What is read once should not evict what is read again. Both are coherent loads, which the compiler does not move
// before earlier stores: with all weights of a long row in registers, there would be too few.
struct ReadOnce {
    template <typename V>
    __device__ V operator()(const V* place) const { return __ldcs(place); }
};
struct ReadAgain {
    template <typename V>
    __device__ V operator()(const V* place) const { return *place; }
};

// A thread's share of a row: in registers, if it fits (KEPT), or else loaded again for each pass.
template <typename T, int THREADS>
struct Row {
    using Part = Chunk<T, THREADS>;
    static constexpr int CHUNKS = LENGTH > THREADS * Part::SIZE ? LENGTH / (THREADS * Part::SIZE) : 1;
    static constexpr bool KEPT = CHUNKS * Part::SIZE <= MOST_KEPT;
    static constexpr int HELD = KEPT ? CHUNKS : BATCH / Part::SIZE;  // chunks in registers at a time
    static constexpr int GROUP = HELD < 8 / Part::SIZE ? HELD : 8 / Part::SIZE;  // chunks with weights in registers
    const T* row;
    int rank;
    Part parts[HELD];

    __device__ void load(const T* x, int index, int its_rank) {
        row = x + size_t(index) * LENGTH;
        rank = its_rank;
        if constexpr (KEPT) {
#pragma unroll
            for (int chunk = 0; chunk < CHUNKS; ++chunk) parts[chunk].load(row, chunk, rank, ReadOnce());
        }
    }
    // Calls `action` for each GROUP of chunks, with the number of its first chunk in the row and in `parts`. It may
    // change these chunks if the row is KEPT.
    template <typename Action>
    __device__ void each_group(Action action) {
#pragma unroll 1
        for (int first = 0; first < CHUNKS; first += HELD) {
            if constexpr (!KEPT) {
#pragma unroll
                for (int i = 0; i < HELD; ++i) parts[i].load(row, first + i, rank, ReadAgain());
            }
#pragma unroll
            for (int i = 0; i < HELD; i += GROUP) action(first + i, i);
        }
    }
    // Combines value(x) of all of the thread's elements x, in as many chains as a chunk has elements.
    template <typename Combine, typename Value>
    __device__ float fold(Combine combine, Value value) {
        float total[Part::SIZE];
#pragma unroll
        for (int i = 0; i < Part::SIZE; ++i) total[i] = Combine::neutral();
        each_group([&](int, int part) {
#pragma unroll
            for (int g = part; g < part + GROUP; ++g) {
#pragma unroll
                for (int i = 0; i < Part::SIZE; ++i) {
                    if (Part::has(rank, i)) total[i] = combine(total[i], value(parts[g].x[i]));
                }
            }
        });
#pragma unroll
        for (int half = Part::SIZE / 2; half > 0; half /= 2) {
#pragma unroll
            for (int i = 0; i < half; ++i) total[i] = combine(total[i], total[i + half]);
        }
        return total[0];
    }
};

// Blocks that an SM should hold at a time, for __launch_bounds__: without it, the compiler gives a thread up to 255
// registers, and too few warps wait for memory. A thread needs OTHER_REGISTERS beside the numbers that it keeps.
constexpr int REGISTERS_PER_SM = 65536, OTHER_REGISTERS = 32;
template <typename T, int THREADS, int ROWS = 1>
constexpr int RESIDENT = REGISTERS_PER_SM / (BLOCK * (Row<T, THREADS>::HELD * VECTOR<T> * ROWS + OTHER_REGISTERS));

// A team whose `all` gives each thread the numbers of all of its threads, combined.
//
// Lanes of a warp: N rows at a time, a butterfly of shuffles for each.
template <int LANES_OF_ROW, int ROWS>
struct LaneTeam {
    static constexpr int THREADS = LANES_OF_ROW, TEAMS = BLOCK / LANES_OF_ROW, N = ROWS;
    __device__ int team() const { return threadIdx.x / THREADS; }
    template <typename Combine>
    __device__ void all(float (&x)[N], Combine combine) {
#pragma unroll
        for (int distance = THREADS / 2; distance > 0; distance /= 2) {
#pragma unroll
            for (int n = 0; n < N; ++n) x[n] = combine(x[n], shfl_xor(x[n], distance));
        }
    }
};

// The same lanes: N rows at a time, a tree in shared memory for each. Lanes write what the next level reads, a
// __syncwarp() follows, and slot 0 gives the result to all lanes. Each slot is written once per tree, and at least one
// __syncwarp() after it was read in the tree before.
template <int LANES_OF_ROW, int ROWS>
struct WarpTreeTeam : LaneTeam<LANES_OF_ROW, ROWS> {
    static constexpr int THREADS = LANES_OF_ROW, N = ROWS;
    template <typename Combine>
    __device__ void all(float (&x)[N], Combine combine) {
        const int rank = threadIdx.x % THREADS;
        float* const slots = shared<float>() + threadIdx.x - rank;  // of the first row's lanes; BLOCK slots per row
#pragma unroll
        for (int half = THREADS / 2; half > 0; half /= 2) {
#pragma unroll
            for (int n = 0; n < N; ++n) {
                if (rank / half == 1) slots[n * BLOCK + rank] = x[n];
            }
            __syncwarp();
#pragma unroll
            for (int n = 0; n < N; ++n) {
                if (rank < half) x[n] = combine(x[n], slots[n * BLOCK + rank + half]);
            }
        }
#pragma unroll
        for (int n = 0; n < N; ++n) {
            if (rank == 0) slots[n * BLOCK] = x[n];
        }
        __syncwarp();
#pragma unroll
        for (int n = 0; n < N; ++n) x[n] = slots[n * BLOCK];
    }
};

// A block: one row at a time. Slots in shared memory have two sets, used in turn: before a thread writes a set again,
// it has passed a barrier that all threads reach only after they have read the set.
struct BlockTeam {
    static constexpr int THREADS = BLOCK, TEAMS = 1, N = 1;
    int turn = 0;
    __device__ int team() const { return 0; }
};

// A tree in shared memory, with a barrier after each level.
struct TreeTeam : BlockTeam {
    template <typename Combine>
    __device__ void all(float (&x)[1], Combine combine) {
        __shared__ float slots[2][BLOCK];
        float* const mine = slots[turn ^= 1] + threadIdx.x;
        *mine = x[0];
        __syncthreads();
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) *mine = combine(*mine, mine[half]);
            __syncthreads();
        }
        x[0] = slots[turn][0];
    }
};

// UNSAFE: the last six levels in one warp, through volatile shared memory without barriers. Relies on lockstep
// execution of the warp.
struct UnsafeTreeTeam : BlockTeam {
    template <typename Combine>
    __device__ void all(float (&x)[1], Combine combine) {
        __shared__ float slots[2][BLOCK];
        float* const mine = slots[turn ^= 1] + threadIdx.x;
        *mine = x[0];
        __syncthreads();
        for (int half = BLOCK / 2; half > WARP; half /= 2) {
            if (threadIdx.x < half) *mine = combine(*mine, mine[half]);
            __syncthreads();
        }
        if (threadIdx.x < WARP) {
#pragma unroll
            for (int half = WARP; half > 0; half /= 2) {
                volatile_store(mine, combine(volatile_load(mine), volatile_load(mine + half)));
            }
        }
        __syncthreads();
        x[0] = slots[turn][0];
    }
};

// A butterfly of shuffles in each warp, one slot in shared memory per warp, one barrier, and a butterfly over the
// slots.
struct ShuffleTeam : BlockTeam {
    template <typename Combine>
    __device__ void all(float (&x)[1], Combine combine) {
        constexpr int WARPS = BLOCK / WARP;
        __shared__ float slots[2][WARPS];
        turn ^= 1;
#pragma unroll
        for (int distance = WARP / 2; distance > 0; distance /= 2) x[0] = combine(x[0], shfl_xor(x[0], distance));
        if (lane() == 0) slots[turn][threadIdx.x / WARP] = x[0];
        __syncthreads();
        x[0] = slots[turn][lane() % WARPS];
#pragma unroll
        for (int distance = WARPS / 2; distance > 0; distance /= 2) x[0] = combine(x[0], shfl_xor(x[0], distance));
    }
};

// Calls `action` with each team's next rows, N at a time, loaded, and the number of the first one; the others have the
// numbers first + n * TEAMS.
template <typename T, typename Team, typename Action>
__device__ void for_rows(const Team& team, const T* x, Action action) {
    constexpr int STEP = Team::TEAMS * Team::N;
#pragma unroll 1
    for (int done = 0; done < ROWS_PER_BLOCK<T>; done += STEP) {
        const int first = blockIdx.x * ROWS_PER_BLOCK<T> + done + team.team();
        Row<T, Team::THREADS> rows[Team::N];
#pragma unroll
        for (int n = 0; n < Team::N; ++n) {
            rows[n].load(x, first + n * Team::TEAMS, threadIdx.x % Team::THREADS);
        }
        action(first, rows);
    }
}

// Each lane follows a ring of 32 slots, one step per iteration. It computes the next slot in registers, or
// reads it from the current slot: in a register of another lane, in shared memory, L1, L2 or DRAM. A lane
// follows CHAINS rings at the same time: one chain shows the latency, several help to show the throughput.
#include "copied/dfma.cuh"
#include "copied/dram.cuh"
#include "copied/fma.cuh"
#include "copied/l1.cuh"
#include "copied/l2.cuh"
#include "copied/register.cuh"
#include "copied/shfl.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

constexpr int CHAINS = OPTION_CHAINS;
constexpr int LINES = OPTION_LINES;

#define EACH_CHAIN _Pragma("unroll") for (int chain = 0; chain < CHAINS; ++chain)

// The slot at which a chain starts: one slot ahead of the chain before.
__device__ int first_slot(const int* start, int chain) { return (start[thread()] + chain) % WARP; }

// The warp's ring for one chain, in words from the start of all rings: a line of 128 bytes.
__device__ int own_ring(int chain) { return (thread() / WARP * CHAINS + chain) * WARP; }

// The slots at which the chains ended, five bits each. Rings start at multiples of 32 words.
template <typename X>
__device__ int packed(const X (&x)[CHAINS]) {
    int all = 0;
    EACH_CHAIN all |= int(x[chain]) % WARP << 5 * chain;
    return all;
}

// The compiler knows neither `one` nor `step` and must not reorder floating point, so it cannot save a step.
template <typename T>
__global__ void LAUNCH_BOUNDS memory_ladder_register(const T* start, T* end, float step, int iterations) {
    float x[CHAINS];
    EACH_CHAIN x[chain] = first_slot(start, chain);
    REPEAT(iterations) EACH_CHAIN x[chain] = shflbench::register_::next_slot(x[chain], step);
    end[thread()] = packed(x);
}

template <typename T, typename Real>
__global__ void LAUNCH_BOUNDS
memory_ladder_multiply_add(const T* start, T* end, float step, float one, int iterations) {
    using shflbench::dfma::next_slot;
    using shflbench::fma::next_slot;
    Real x[CHAINS];
    EACH_CHAIN x[chain] = first_slot(start, chain);
    REPEAT(iterations) EACH_CHAIN x[chain] = next_slot(x[chain], Real(one), Real(step));
    end[thread()] = packed(x);
}

// Lane i holds slot i. A shuffle takes the lane modulo 32, and rings start at multiples of 32.
template <typename T>
__global__ void LAUNCH_BOUNDS memory_ladder_shfl(const T* start, const T* rings, T* end, int iterations) {
    T x[CHAINS], held[CHAINS];
    EACH_CHAIN {
        x[chain] = first_slot(start, chain);
        held[chain] = rings[own_ring(chain) + lane()];
    }
    REPEAT(iterations) EACH_CHAIN x[chain] = shflbench::shfl::load_slot(held[chain], x[chain]);
    end[thread()] = packed(x);
}

// The slots hold byte offsets from the start of shared memory, because a load takes these as its address:
// an index would have to be scaled first. The 32 lanes read 32 banks.
template <typename T>
__global__ void LAUNCH_BOUNDS memory_ladder_smem(const T* start, const T* rings, T* end, int iterations) {
    T* slots = shared<T>();
    unsigned x[CHAINS];
    EACH_CHAIN {
        const int own = first_of_warp() * CHAINS + chain * WARP;
        x[chain] = (own + first_slot(start, chain)) * sizeof(T);
        slots[own + lane()] = (own + rings[own_ring(chain) + lane()] % WARP) * sizeof(T);
    }
    __syncwarp();
    REPEAT(iterations) EACH_CHAIN x[chain] = shflbench::smem::load_slot(slots, x[chain]);
    EACH_CHAIN x[chain] /= sizeof(T);
    end[thread()] = packed(x);
}

// In L1 and L2 each chain always reads the same line.
template <typename T>
__global__ void LAUNCH_BOUNDS memory_ladder_l1(const T* start, const T* rings, T* end, int iterations) {
    unsigned x[CHAINS];
    EACH_CHAIN x[chain] = own_ring(chain) + first_slot(start, chain);
    REPEAT(iterations) EACH_CHAIN x[chain] = shflbench::l1::load_slot(rings, x[chain]);
    end[thread()] = packed(x);
}

template <typename T>
__global__ void LAUNCH_BOUNDS memory_ladder_l2(const T* start, const T* rings, T* end, int iterations) {
    unsigned x[CHAINS];
    EACH_CHAIN x[chain] = own_ring(chain) + first_slot(start, chain);
    REPEAT(iterations) EACH_CHAIN x[chain] = shflbench::l2::load_slot(rings, x[chain]);
    end[thread()] = packed(x);
}

// Each step leads to another line, and a chain returns to a line after LINES iterations: by then the line
// is in DRAM only, if L2 cannot hold the lines of all warps.
template <typename T>
__global__ void LAUNCH_BOUNDS memory_ladder_dram(const T* start, const T* far, T* end, int iterations) {
    unsigned x[CHAINS];
    EACH_CHAIN {
        const int line = thread() / WARP * LINES + chain * (LINES / CHAINS);
        x[chain] = line * WARP + first_slot(start, chain);
    }
    REPEAT(iterations) EACH_CHAIN x[chain] = shflbench::dram::load_slot(far, x[chain]);
    end[thread()] = packed(x);
}

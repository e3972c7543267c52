//! *
#include "{copied}"
#include "shflbench.cuh"

constexpr int CHAINS = OPTION_CHAINS;
constexpr int LINES = OPTION_LINES;

#define EACH_CHAIN _Pragma("unroll") for (int chain = 0; chain < CHAINS; ++chain)

__device__ int first_slot(const int* start, int chain) { return (start[thread()] + chain) % WARP; }
__device__ int own_ring(int chain) { return (thread() / WARP * CHAINS + chain) * WARP; }

template <typename X>
__device__ int packed(const X (&x)[CHAINS]) {
    int all = 0;
    EACH_CHAIN all |= int(x[chain]) % WARP << 5 * chain;
    return all;
}

template <typename T>  //! register
__global__ void memory_ladder_register(const T* start, T* end, float step, int iterations) {  //! register
template <typename T, typename Real>                                                                   //! fma dfma
__global__ void memory_ladder_multiply_add(const T* start, T* end, float step, float one, int iterations) {  //! fma dfma
template <typename T>                                                                    //! smem shfl l1 l2 dram
__global__ void {kernel}(const T* start, const T* rings, T* end, int iterations) {       //! smem shfl l1 l2 dram
//! register
    float x[CHAINS];
    EACH_CHAIN x[chain] = first_slot(start, chain);
    REPEAT(iterations) EACH_CHAIN x[chain] = next_slot(x[chain], step);
//! fma dfma
    Real x[CHAINS];
    EACH_CHAIN x[chain] = first_slot(start, chain);
    REPEAT(iterations) EACH_CHAIN x[chain] = next_slot(x[chain], one, step);
//! smem
    T* slots = shared<T>();
    unsigned x[CHAINS];
    EACH_CHAIN {
        const int own = first_of_warp() * CHAINS + chain * WARP;
        x[chain] = (own + first_slot(start, chain)) * sizeof(T);
        slots[own + lane()] = (own + rings[own_ring(chain) + lane()] % WARP) * sizeof(T);
    }
    __syncwarp();
    REPEAT(iterations) EACH_CHAIN x[chain] = load_slot(slots, x[chain]);
    EACH_CHAIN x[chain] /= sizeof(T);
//! shfl
    T x[CHAINS], held[CHAINS];
    EACH_CHAIN {
        x[chain] = first_slot(start, chain);
        held[chain] = rings[own_ring(chain) + lane()];
    }
    REPEAT(iterations) EACH_CHAIN x[chain] = load_slot(held[chain], x[chain]);
//! l1 l2
    unsigned x[CHAINS];
    EACH_CHAIN x[chain] = own_ring(chain) + first_slot(start, chain);
    REPEAT(iterations) EACH_CHAIN x[chain] = load_slot(rings, x[chain]);
//! dram
    unsigned x[CHAINS];
    EACH_CHAIN x[chain] = (thread() / WARP * LINES + chain * (LINES / CHAINS)) * WARP + first_slot(start, chain);
    REPEAT(iterations) EACH_CHAIN x[chain] = load_slot(rings, x[chain]);  // its argument is `far`
//! *
    end[thread()] = packed(x);
}

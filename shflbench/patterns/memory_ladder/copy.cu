//: smem register fma dfma shfl l1 l2 dram dtype=i32 chains=1,4

//! smem
// Returns the slot at a byte offset from the start of an array in shared memory. A slot that holds the byte offset of
// the next one, instead of its index, saves the multiplication by the size of a slot.
__device__ inline int load_slot(const int* slots, unsigned bytes) {
    return *reinterpret_cast<const int*>(reinterpret_cast<const char*>(slots) + bytes);
}

//! shfl
// Returns the slot that lane `index` holds; the index is taken modulo 32. All 32 lanes of the warp must call it.
__device__ inline int load_slot(int held, int index) { return __shfl_sync(0xffffffffu, held, index); }

//! l1
// Returns a slot of an array in global memory, through L1.
__device__ inline int load_slot(const int* slots, unsigned index) { return slots[index]; }

//! l2 dram
// Returns a slot of an array in global memory, not through L1.
__device__ inline int load_slot(const int* slots, unsigned index) { return __ldcg(slots + index); }

//! register
// Returns the next position in a regular sequence, which no memory need hold.
__device__ inline float next_slot(float slot, float step) { return slot + step; }

//! fma
// Returns the next position in a regular sequence, which no memory need hold.
__device__ inline float next_slot(float slot, float factor, float step) { return slot * factor + step; }

//! dfma
// Returns the next position in a regular sequence, which no memory need hold.
__device__ inline double next_slot(double slot, double factor, double step) { return slot * factor + step; }

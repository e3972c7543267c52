//: global dtype=i32,i8,i16,f64,f32x4 stride=2,1,4,8,16,32,0
//: smem shfl dtype=i32,i8,i16,f64,f32x4 stride=2,4,8

//! global
// Returns element first + {stride} * l of an array in global memory to lane l.  //! stride!=0
// Returns element `first` of an array in global memory.  //! stride=0
//! smem shfl
// Returns element first + {stride} * l of an array in global memory to lane l. The warp reads all elements in between as
// well, coalesced: the array must have 32 * {stride} elements from `first` on.
//! global
// Blocks must be one-dimensional.  //! stride!=0
__device__ inline {T} load_strided(const {T}* elements, int first) {
    assert(blockDim.y * blockDim.z == 1);  //! stride!=0
    return elements[first + threadIdx.x % 32 * {stride}];  //! stride!=0,1
    return elements[first + threadIdx.x % 32];  //! stride=1
    return elements[first];  //! stride=0
}

//! smem
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// `slots` is shared memory that only this warp uses, 32 * {stride} elements: call __syncwarp() before you use it again.
__device__ inline {T} load_strided(const {T}* elements, int first, {T}* slots) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int part = 0; part < {stride}; ++part) slots[part * 32 + lane] = elements[first + part * 32 + lane];
    __syncwarp();  // all lanes have written
    return slots[lane * {stride}];
}

//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} load_strided(const {T}* elements, int first) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, wanted = lane * {stride};
    {T} element;
    #pragma unroll
    for (int part = 0; part < {stride}; ++part) {
        {T} candidate = elements[first + part * 32 + lane];
        candidate{.} = __shfl_sync(0xffffffffu, candidate{.}, wanted % 32);
        if (part == 0 || wanted / 32 == part) element = candidate;
    }
    return element;
}

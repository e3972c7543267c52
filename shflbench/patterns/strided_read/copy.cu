//: global dtype=i32,i8,i16,f64,f32x4 stride=2,1,4,8,16,32,0
//: smem shfl dtype=i32,i8,i16,f64,f32x4 stride=2,4,8

//! global
// Returns element {stride} * l of an array in global memory to lane l. `first` points to the element of lane 0.  //! stride!=0
// Returns the first element of an array in global memory to all lanes.  //! stride=0
//! smem shfl
// Returns element {stride} * l of an array in global memory to lane l. `first` points to the element of lane 0. The warp
// reads all elements in between as well, coalesced: the array must have 32 * {stride} elements from `first` on.
//! global
// Blocks must be one-dimensional.  //! stride!=0
__device__ inline {T} load_strided(const {T}* first) { return first[threadIdx.x % 32 * {stride}]; }  //! stride!=0,1
__device__ inline {T} load_strided(const {T}* first) { return first[threadIdx.x % 32]; }  //! stride=1
__device__ inline {T} load_strided(const {T}* first) { return *first; }  //! stride=0

//! smem
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// `slots` is shared memory that only this warp uses: 32 * {stride} elements.
__device__ inline {T} load_strided(const {T}* first, {T}* slots) {
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int part = 0; part < {stride}; ++part) slots[part * 32 + lane] = first[part * 32 + lane];
    __syncwarp();  // all lanes have written
    const {T} element = slots[lane * {stride}];
    __syncwarp();  // all lanes have read: the slots may be written again
    return element;
}

//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} load_strided(const {T}* first) {
    const int lane = threadIdx.x % 32, wanted = lane * {stride};
    {T} element{};
    #pragma unroll
    for (int part = 0; part < {stride}; ++part) {
        {T} candidate = first[part * 32 + lane];
        candidate{.} = __shfl_sync(0xffffffffu, candidate{.}, wanted % 32);
        if (wanted / 32 == part) element = candidate;
    }
    return element;
}

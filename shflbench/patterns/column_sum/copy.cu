//: smem smem-serial shfl dtype=f32,f64,i32,i64 columns=32,16

//! shfl
// The index of a value in the padded tile: the values of a column are in different banks.
template <int THREADS>
__device__ inline int padded(int i) {
    constexpr int LANES = THREADS / {columns} < 32 ? THREADS / {columns} : 32;
    return i + i / 32 * (32 / LANES);
}

//! *
// Returns the sum of the values of all threads whose threadIdx.x has the same remainder modulo {columns} to these threads.
// All threads of the block must call it: THREADS, a power of two from {columns} * 2 to 1024, in one dimension.
// Integers wrap around on overflow.  //! dtype=i32,i64
//! shfl
// `tile` is shared memory, THREADS + THREADS / LANES elements, where LANES is THREADS / {columns}, at most 32.
// `sums` is shared memory, {columns} elements.
//! smem smem-serial
// `tile` is shared memory, one element per thread; `sums` is shared memory, {columns} elements.
//! *
template <int THREADS>
__device__ inline {T} column_sum({T} x, {T}* tile, {T}* sums) {
    static_assert(THREADS >= 2 * {columns} && THREADS <= 1024 && (THREADS & (THREADS - 1)) == 0);
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    const int mine = threadIdx.x;
    {U} sum = x;
//! smem
    tile[mine] = sum;
    __syncthreads();  // all threads have written
    #pragma unroll
    for (int half = THREADS / 2; half >= {columns}; half /= 2) {
        if (mine < half) {
            sum += tile[mine + half];
            (half == {columns} ? sums : tile)[mine] = sum;
        }
        __syncthreads();  // all sums of this step are there
    }
//! smem-serial
    tile[mine] = sum;
    __syncthreads();  // all threads have written
    if (mine < {columns}) {
        #pragma unroll
        for (int i = {columns}; i < THREADS; i += {columns}) sum += tile[mine + i];
        sums[mine] = sum;
    }
    __syncthreads();  // all sums are there
//! shfl
    constexpr int LANES = THREADS / {columns} < 32 ? THREADS / {columns} : 32;
    const int row = mine % LANES, column = mine / LANES;
    tile[padded<THREADS>(mine)] = sum;
    __syncthreads();  // all threads have written
    #pragma unroll
    for (int half = THREADS / 2; half >= 32 * {columns}; half /= 2) {
        if (mine < half) {
            sum += tile[padded<THREADS>(mine + half)];
            tile[padded<THREADS>(mine)] = sum;
        }
        __syncthreads();  // all sums of this step are there
    }
    if (column < {columns}) {  // whole warps
        sum = tile[padded<THREADS>(row * {columns} + column)];
        #pragma unroll
        for (int distance = LANES / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
        if (row == 0) sums[column] = sum;
    }
    __syncthreads();  // all sums are there
//! *
    return sums[mine % {columns}];
}

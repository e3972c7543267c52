//: smem smem-dp4a shfl local global dtype=f32,f64 length=32,4,8,16,64

//! smem
// An array of {length} elements, one copy per warp in shared memory, which each lane reads at its own index. Blocks must
// be one-dimensional and consist of whole warps.
struct WarpArray {
    const {T}* elements;
    unsigned first;  // index of the warp's first element, a multiple of {length}

    // Copies the warp's array from global memory. All 32 lanes of the warp must call it.
    // `slots` is shared memory, {length} elements per warp of the block.
    __device__ WarpArray(const {T}* array, {T}* slots) : elements(slots) {
        assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
        // From a shuffle: if the compiler saw that `first` is a mask of threadIdx.x, it would compute the address of an
        // element in three instructions, in place of two.
        first = __shfl_sync(0xffffffffu, threadIdx.x / 32 * {length}, 0);
        #pragma unroll
        for (int start = 0; start < {length}; start += 32) {
            const int i = start + threadIdx.x % 32;
            if (i < {length}) slots[first + i] = array[i];
        }
        __syncwarp();  // all lanes have written
    }
    // The index is taken modulo {length}.
    __device__ {T} operator[](unsigned index) const { return elements[first | index % {length}]; }
};

//! smem-dp4a
// An array of {length} elements, which each lane reads at its own index: 256 elements per warp in shared memory, which hold
// the array 256 / {length} times, one after another. Blocks must be one-dimensional and consist of whole warps.
struct WarpArray {
    unsigned first;  // where the warp's first element lies in shared memory, in bytes

    // Copies the warp's array from global memory. All 32 lanes of the warp must call it.
    // `slots` is shared memory, 256 elements per warp of the block.
    __device__ WarpArray(const {T}* array, {T}* slots)
        : first(__cvta_generic_to_shared(slots + threadIdx.x / 32 * 256)) {
        assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
        {T}* const own = slots + threadIdx.x / 32 * 256;
        #pragma unroll
        for (int i = threadIdx.x % 32; i < 256; i += 32) own[i] = array[i % {length}];
        __syncwarp();  // all lanes have written
    }
    // The index is taken modulo {length}: its lowest byte selects one of the 256 elements. One dot product of four bytes
    // takes that byte, multiplies it by the size of an element, and adds the place of the first; the other three bytes
    // are multiplied by 0.
    __device__ {T} operator[](unsigned index) const {
        constexpr unsigned SIZE = sizeof({T});
        return *static_cast<const {T}*>(__cvta_shared_to_generic(__dp4a(index, SIZE, first)));
    }
};

//! shfl
// An array of {length} elements in the registers of a warp, which each lane reads at its own index. Blocks must be
// one-dimensional.
struct WarpArray {
    {T} element;  // lane i holds element i  //! length=32
    {T} element;  // lane i holds element i % {length}  //! length=4,8,16
    {T} low, high;  // lane i holds elements i and 32 + i  //! length=64

    __device__ explicit WarpArray(const {T}* array) {
        assert(blockDim.y * blockDim.z == 1);
        element = array[threadIdx.x % {length}];  //! length!=64
        low = array[threadIdx.x % 32];            //! length=64
        high = array[32 + threadIdx.x % 32];      //! length=64
    }

    // All 32 lanes of the warp must call it. The index is taken modulo {length}.
    __device__ {T} operator[](unsigned index) const {
        return __shfl_sync(0xffffffffu, element, index);  //! length=32
        return __shfl_sync(0xffffffffu, element, index, {length});  //! length=4,8,16
        const {T} from_low = __shfl_sync(0xffffffffu, low, index);    //! length=64
        const {T} from_high = __shfl_sync(0xffffffffu, high, index);  //! length=64
        return index % 64 < 32 ? from_low : from_high;                //! length=64
    }
};

//! local
// An array of {length} elements, one copy per lane in local memory, which each lane reads at its own index.
struct WarpArray {
    {T} elements[{length}];

    __device__ explicit WarpArray(const {T}* array) {
        #pragma unroll
        for (int i = 0; i < {length}; ++i) elements[i] = array[i];
    }
    __device__ {T} operator[](unsigned index) const { return elements[index]; }
};

//! global
// An array of {length} elements in global memory, cached in L1, which each lane reads at its own index.
struct WarpArray {
    const {T}* elements;
    unsigned first;  // index of the array's first element, a multiple of {length}

    __device__ WarpArray(const {T}* elements, unsigned first) : elements(elements), first(first) {}
    // The index is taken modulo {length}.
    __device__ {T} operator[](unsigned index) const { return elements[first | index % {length}]; }
};

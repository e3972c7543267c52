//: direct soa dtype=f32 words=4,1,2,3,6,8,12,16 way=load,store
//: vector dtype=f32 words=4,2,6,8,12,16 way=load,store
//: smem shfl dtype=f32 words=4,2,3,6,8,12,16 way=load,store

//! shfl
// Transposes a tile of 32 x {words} words in the registers of a warp by one shuffle per word. In a shuffle, each lane
// chooses the lane that it reads, but all lanes send the same register: the lanes first put their words into the
// order in which they are read. A register number must be known at compile time, otherwise the array lies in local
// memory: a word moves in conditional steps of 1, 2, 4, ... registers.
// The method is that of Catanzaro, Keller, Garland: A decomposition for in-place matrix transposition, PPoPP 2014.
namespace transpose {
constexpr int WORDS = {words};
constexpr int COLUMNS = WORDS & -WORDS;   // the greatest common divisor of WORDS and 32
constexpr int ROWS = WORDS / COLUMNS;     // an odd number: the registers form ROWS x COLUMNS
constexpr int GROUP = 32 / COLUMNS;       // lanes in a row that read, in one shuffle, lanes that are COLUMNS apart

// The smallest x with value * x = 1, modulo `modulus`.
__device__ constexpr int inverse(int value, int modulus) {
    int x = 0;
    while (value * x % modulus != (modulus > 1)) ++x;
    return x;
}

// The striped register that lane 0 sends i-th.
__device__ constexpr int place(int i) { return i % COLUMNS * ROWS + i / COLUMNS * inverse(GROUP, ROWS) % ROWS; }

// Moves the words `by` rows down.
__device__ inline void rotate_rows({T} (&x)[WORDS], int by) {
    #pragma unroll
    for (int step = 1; step < ROWS; step *= 2) {
        {T} old[WORDS];
        #pragma unroll
        for (int i = 0; i < WORDS; ++i) old[i] = x[i];
        #pragma unroll
        for (int i = 0; i < WORDS; ++i) x[i] = by & step ? old[(i + WORDS - step * COLUMNS) % WORDS] : old[i];
    }
}

// Exchanges columns c and c ^ by in all rows.
__device__ inline void exchange_columns({T} (&x)[WORDS], int by) {
    #pragma unroll
    for (int bit = 1; bit < COLUMNS; bit *= 2) {
        #pragma unroll
        for (int i = 0; i < WORDS; ++i) {
            if (i & bit) continue;
            const {T} low = x[i], high = x[i | bit];
            x[i] = by & bit ? high : low;
            x[i | bit] = by & bit ? low : high;
        }
    }
}

//! shfl way=load
// Before, x[i] of lane l is word 32 * i + l of the tile; after, it is word WORDS * l + i.
__device__ inline void striped_to_blocked({T} (&x)[WORDS]) {
    const int lane = threadIdx.x % 32;
    {T} y[WORDS];
    #pragma unroll
    for (int i = 0; i < WORDS; ++i) y[i] = x[place(i)];
    rotate_rows(y, lane / COLUMNS % ROWS);
    exchange_columns(y, lane % COLUMNS);
    const int first = lane * WORDS + lane / GROUP;
    #pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        const int source = (first + i / COLUMNS * COLUMNS) ^ (i % COLUMNS);
        x[i] = __shfl_sync(0xffffffffu, y[i], source);  // a shuffle takes the lane modulo 32
    }
    exchange_columns(x, lane / GROUP);
}
//! shfl way=store
// Before, x[i] of lane l is word WORDS * l + i of the tile; after, it is word 32 * i + l.
__device__ inline void blocked_to_striped({T} (&x)[WORDS]) {
    constexpr int BACK = inverse(ROWS, GROUP);
    const int lane = threadIdx.x % 32, group = lane % COLUMNS * GROUP, last = lane / COLUMNS * BACK;
    exchange_columns(x, lane / GROUP);
    {T} y[WORDS];
    #pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        const int in_group = (last + (32 - i / COLUMNS) * BACK) % GROUP;
        y[i] = __shfl_sync(0xffffffffu, x[i], (group + in_group) ^ (i % COLUMNS * GROUP));
    }
    exchange_columns(y, lane % COLUMNS);
    rotate_rows(y, (32 * ROWS - lane / COLUMNS) % ROWS);
    #pragma unroll
    for (int i = 0; i < WORDS; ++i) x[place(i)] = y[i];
}
//! shfl
}  // namespace transpose

//! smem
// The slot of word `index`: one unused slot after every 32 avoids bank conflicts of lanes that are an even number of
// words apart.
__device__ inline int padded(int index) { return index + index / 32; }

//! vector
// What one access moves.
struct alignas(16) Piece {  //! words=4,8,12,16
    {T} words[4];           //! words=4,8,12,16
struct alignas(8) Piece {   //! words=2,6
    {T} words[2];           //! words=2,6
};

//! * way=load
// Loads a struct of {words} words per lane.
//! * way=store
// Stores a struct of {words} words per lane.
//! direct
// `from` points to the thread's own struct.  //! way=load
// `to` points to the thread's own struct.  //! way=store
//! vector
// `from` points to the thread's own struct, aligned to 16 bytes.  //! way=load words=4,8,12,16
// `from` points to the thread's own struct, aligned to 8 bytes.  //! way=load words=2,6
// `to` points to the thread's own struct, aligned to 16 bytes.  //! way=store words=4,8,12,16
// `to` points to the thread's own struct, aligned to 8 bytes.  //! way=store words=2,6
//! smem shfl
// `structs` points to the struct of lane 0; those of the other lanes follow.
//! soa
// Word w of struct i lies at w * count + i, where `count` is the number of structs.
//! smem shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
//! smem
// `slots` is shared memory that only this warp uses, 33 * {words} elements: call __syncwarp() before you use it again.

//! direct way=load
__device__ inline void load_struct(const {T}* from, {T} (&words)[{words}]) {
    #pragma unroll
    for (int w = 0; w < {words}; ++w) words[w] = from[w];
}
//! direct way=store
__device__ inline void store_struct({T}* to, const {T} (&words)[{words}]) {
    #pragma unroll
    for (int w = 0; w < {words}; ++w) to[w] = words[w];
}

//! vector way=load
__device__ inline void load_struct(const {T}* from, {T} (&words)[{words}]) {
    assert(reinterpret_cast<size_t>(from) % sizeof(Piece) == 0);
    constexpr int SIZE = sizeof(Piece) / sizeof({T});
    const Piece* pieces = reinterpret_cast<const Piece*>(from);
    #pragma unroll
    for (int p = 0; p < {words} / SIZE; ++p) {
        const Piece piece = pieces[p];
        #pragma unroll
        for (int w = 0; w < SIZE; ++w) words[p * SIZE + w] = piece.words[w];
    }
}
//! vector way=store
__device__ inline void store_struct({T}* to, const {T} (&words)[{words}]) {
    assert(reinterpret_cast<size_t>(to) % sizeof(Piece) == 0);
    constexpr int SIZE = sizeof(Piece) / sizeof({T});
    Piece* pieces = reinterpret_cast<Piece*>(to);
    #pragma unroll
    for (int p = 0; p < {words} / SIZE; ++p) {
        Piece piece;
        #pragma unroll
        for (int w = 0; w < SIZE; ++w) piece.words[w] = words[p * SIZE + w];
        pieces[p] = piece;
    }
}

//! smem way=load
__device__ inline void load_struct(const {T}* structs, {T} (&words)[{words}], {T}* slots) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int w = 0; w < {words}; ++w) words[w] = structs[w * 32 + lane];  // coalesced
    #pragma unroll
    for (int w = 0; w < {words}; ++w) slots[padded(w * 32 + lane)] = words[w];
    __syncwarp();  // all lanes have written
    #pragma unroll
    for (int w = 0; w < {words}; ++w) words[w] = slots[padded(lane * {words} + w)];
}
//! smem way=store
__device__ inline void store_struct({T}* structs, const {T} (&words)[{words}], {T}* slots) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int w = 0; w < {words}; ++w) slots[padded(lane * {words} + w)] = words[w];
    __syncwarp();  // all lanes have written
    #pragma unroll
    for (int w = 0; w < {words}; ++w) structs[w * 32 + lane] = slots[padded(w * 32 + lane)];  // coalesced
}

//! shfl way=load
__device__ inline void load_struct(const {T}* structs, {T} (&words)[{words}]) {
    assert(blockDim.y * blockDim.z == 1);
    #pragma unroll
    for (int w = 0; w < {words}; ++w) words[w] = structs[w * 32 + threadIdx.x % 32];  // coalesced
    transpose::striped_to_blocked(words);
}
//! shfl way=store
// The words are in another order afterwards.
__device__ inline void store_struct({T}* structs, {T} (&words)[{words}]) {
    assert(blockDim.y * blockDim.z == 1);
    transpose::blocked_to_striped(words);
    #pragma unroll
    for (int w = 0; w < {words}; ++w) structs[w * 32 + threadIdx.x % 32] = words[w];  // coalesced
}

//! soa way=load
__device__ inline void load_struct(const {T}* planes, int i, int count, {T} (&words)[{words}]) {
    #pragma unroll
    for (int w = 0; w < {words}; ++w) words[w] = planes[w * count + i];
}
//! soa way=store
__device__ inline void store_struct({T}* planes, int i, int count, const {T} (&words)[{words}]) {
    #pragma unroll
    for (int w = 0; w < {words}; ++w) planes[w * count + i] = words[w];
}

// Challengers of fragment-load.
#include "shflbench.cuh"
#include "tiles.cuh"

__device__ inline int opaque_one() {
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    return one;
}
// A number that the compiler does not know: it makes one multiply-add of `tile * size + offset`, not a shift, a mask and an
// addition that wait for one another.
template <int NUMBER>
__device__ inline int opaque() {
    int number;
    asm volatile("min.u32 %0, %1, %2;" : "=r"(number) : "r"(threadIdx.x + NUMBER), "n"(NUMBER));
    return number;
}
__device__ inline void exchange_if(int bit, unsigned& a, unsigned& b, int one) {
    unsigned selected;
    asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\tselp.b32 %0, %1, %3, p;\n\t@p mad.lo.s32 %1, %3, %4, 0;\n\t}"
        : "=&r"(selected), "+r"(b) : "r"(bit), "r"(a), "r"(one));
    a = selected;
}
__device__ inline void select_if(int bit, unsigned& a, unsigned& b) {
    const unsigned first = a, second = b;
    a = bit ? second : first;
    b = bit ? first : second;
}

__device__ inline void load_128(unsigned (&x)[4], unsigned at) {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
}
#define LDMATRIX_4(trans, a, b, c, d, at) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0, %1, %2, %3}, [%4];" \
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory")
#define LDMATRIX_2(trans, a, b, at) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans ".shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory")
#define LDMATRIX_1(trans, a, at) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" trans ".shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at) : "memory")

// The layouts, for what four lanes load at once: UNIT bytes.
template <int LOAD>
struct Layout {
    static constexpr int UNIT = 4 * LOAD;
#if OPTION_LAYOUT_PADDED
    static constexpr int STRIDE = 128 + UNIT;
    static __device__ int row_at(int row) { return row * STRIDE; }
    static __device__ int unit_at(int row, int unit) { return row + unit * UNIT; }
#elif OPTION_LAYOUT_PLAIN
    static constexpr int STRIDE = 128;
    static __device__ int row_at(int row) { return row * STRIDE; }
    static __device__ int unit_at(int row, int unit) { return row + unit * UNIT; }
#else
    static constexpr int STRIDE = 128;
    static __device__ int row_at(int row) { return row * STRIDE + row * UNIT % 128; }
    static __device__ int unit_at(int row, int unit) { return row ^ unit * UNIT; }
#endif
    static __device__ int by_rows(int row, int column) {
        const int matrix = column / 8, k = column % 8 / 2, matrices = LOAD / 4;
        return unit_at(row_at(row), matrix / matrices) + k * LOAD + matrix % matrices * 4;
    }
    static __device__ int by_columns(int row, int column) { return unit_at(row_at(column), row / 8) + row % 8 * 2; }
};

#define LOAD_KERNEL(name, BYTES, by, ...) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_fragment_load_##name(const T* values, int* result, int iterations) { \
        using L = Layout<BYTES>; \
        constexpr int STRIDE = L::STRIDE; \
        const unsigned tiles = shared_address(tiles_##by<STRIDE, L::by>(values)); \
        const int one = opaque_one(), l = lane(), number = l / 8, size = opaque<SIDE * STRIDE>(); \
        (void)one, (void)number, (void)tiles; \
        Fragments own; \
        auto& x = own.word; \
        REPEAT(iterations) { __VA_ARGS__ own.use(); } \
        own.store(result); \
    }

#define ROW_AT (tiles + first_row() * STRIDE + L::row_at(l / 4) + l % 4 * 16)
#define COLUMN_AT(n) (tiles + L::unit_at(L::row_at((n) / 2 * 8 + l % 8), first_row() / 8 + (n) % 2))

#if OPTION_LAYOUT_PLAIN
// Of lds-128, the lanes of odd rows load the two halves of a row in the other order, so that two rows use all banks; then they
// exchange what they have loaded.
template <typename Exchange>
__device__ inline void load_halves(unsigned (&x)[MATRICES], unsigned from, Exchange exchange) {
    const int odd = lane() & 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        unsigned a[4], b[4];
        load_128(a, from + half * 1024);
        load_128(b, (from ^ 64) + half * 1024);
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            exchange(half * 4 + m, odd, a[m], b[m]);
            x[2 * m + half] = a[m];
            x[8 + 2 * m + half] = b[m];
        }
    }
}
#define HALVES_AT (tiles + (first_row() + l / 4) * 128 + l % 4 * 16 + (l & 4) * 16)
LOAD_KERNEL(x_halves_mad, 16, by_rows, {
    load_halves(x, own.tile * size + HALVES_AT, [&](int, int odd, unsigned& a, unsigned& b) { exchange_if(odd, a, b, one); });
})
LOAD_KERNEL(x_halves_sel, 16, by_rows, {
    load_halves(x, own.tile * size + HALVES_AT, [&](int, int odd, unsigned& a, unsigned& b) { select_if(odd, a, b); });
})
LOAD_KERNEL(x_halves_mix, 16, by_rows, {
    load_halves(x, own.tile * size + HALVES_AT, [&](int i, int odd, unsigned& a, unsigned& b) {
        if (i % 2) exchange_if(odd, a, b, one);
        else select_if(odd, a, b);
    });
})
// The same with the multiplication that the compiler replaces, as in the published kernels.
LOAD_KERNEL(x_halves_shift, 16, by_rows, {
    load_halves(x, own.tile * (SIDE * STRIDE) + HALVES_AT, [&](int, int odd, unsigned& a, unsigned& b) { exchange_if(odd, a, b, one); });
})
// ldmatrix of the matrices on a diagonal: row r of number c is that of matrix c ^ r, which uses all banks.
LOAD_KERNEL(x_diagonal_ldmatrix, 4, by_rows, {
    unsigned slot[2][8];
    const int row = l % 8;
    // Numbers 0 and 1 are of rows 0 to 7 and 8 to 15, 2 and 3 of the next slot.
    const unsigned from = own.tile * size + (tiles + (first_row() + row + number % 2 * 8) * 128);
    _Pragma("unroll") for (int c = 0; c < 8; c += 2) {
        LDMATRIX_4("", slot[0][c], slot[1][c], slot[0][c + 1], slot[1][c + 1], from + (((c + number / 2) ^ row) * 16));
    }
    _Pragma("unroll") for (int half = 0; half < 2; ++half) {
        _Pragma("unroll") for (int bit = 1; bit < 8; bit *= 2) {
            _Pragma("unroll") for (int c = 0; c < 8; ++c) {
                if (!(c & bit)) exchange_if(l / 4 & bit, slot[half][c], slot[half][c | bit], one);
            }
        }
        _Pragma("unroll") for (int c = 0; c < 8; ++c) x[2 * c + half] = slot[half][c];
    }
})
// lds-128 as it is, but for the multiplication.
LOAD_KERNEL(x_lds_128, 16, by_rows, {
    const unsigned from = own.tile * size + ROW_AT;
    unsigned a[4];
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
        load_128(a, from + i / 2 * 64 + i % 2 * 1024);
        _Pragma("unroll") for (int m = 0; m < 4; ++m) x[i / 2 * 8 + 2 * m + i % 2] = a[m];
    }
})
#else
// ldmatrix-x4-trans, whose compiler does not know the size of a tile.
LOAD_KERNEL(x_trans, 4, by_columns, {
    const unsigned from = own.tile * size + COLUMN_AT(number);
    _Pragma("unroll") for (int i = 0; i < 16; i += 4) LDMATRIX_4(".trans", x[i], x[i + 1], x[i + 2], x[i + 3], from + i / 2 * 8 * STRIDE);
})
// The last four matrices by two instructions: fewer operations wait for the last one.
LOAD_KERNEL(x_trans_tail, 4, by_columns, {
    const unsigned from = own.tile * size + COLUMN_AT(number);
    _Pragma("unroll") for (int i = 0; i < 12; i += 4) LDMATRIX_4(".trans", x[i], x[i + 1], x[i + 2], x[i + 3], from + i / 2 * 8 * STRIDE);
    const unsigned two = own.tile * size + COLUMN_AT(number % 2);
    LDMATRIX_2(".trans", x[12], x[13], two + 48 * STRIDE);
    LDMATRIX_2(".trans", x[14], x[15], two + 56 * STRIDE);
})
LOAD_KERNEL(x_trans_tail1, 4, by_columns, {
    const unsigned from = own.tile * size + COLUMN_AT(number);
    _Pragma("unroll") for (int i = 0; i < 12; i += 4) LDMATRIX_4(".trans", x[i], x[i + 1], x[i + 2], x[i + 3], from + i / 2 * 8 * STRIDE);
    const unsigned two = own.tile * size + COLUMN_AT(number % 2);
    LDMATRIX_2(".trans", x[12], x[13], two + 48 * STRIDE);
    LDMATRIX_1(".trans", x[14], own.tile * size + COLUMN_AT(0) + 56 * STRIDE);
    LDMATRIX_1(".trans", x[15], own.tile * size + COLUMN_AT(1) + 56 * STRIDE);
})
// Eight instructions of two matrices.
LOAD_KERNEL(x_trans_twos, 4, by_columns, {
    const unsigned two = own.tile * size + COLUMN_AT(number % 2);
    _Pragma("unroll") for (int i = 0; i < 16; i += 2) LDMATRIX_2(".trans", x[i], x[i + 1], two + i / 2 * 8 * STRIDE);
})
// ldmatrix-x4; where units change places, each has an address of its own.
LOAD_KERNEL(x_rows, 4, by_rows, {
    _Pragma("unroll") for (int i = 0; i < 16; i += 4) {
        const int row = L::unit_at((first_row() * STRIDE) + L::row_at(l % 8), number / 2 + i / 2) + number % 2 * 8 * STRIDE;
        LDMATRIX_4("", x[i], x[i + 1], x[i + 2], x[i + 3], own.tile * size + (tiles + row));
    }
})
// The same, whose first two matrices are of the same rows.
LOAD_KERNEL(x_rows_order, 4, by_rows, {
    _Pragma("unroll") for (int i = 0; i < 16; i += 4) {
        const int row = L::unit_at((first_row() * STRIDE) + L::row_at(l % 8), number % 2 + i / 2) + number / 2 * 8 * STRIDE;
        LDMATRIX_4("", x[i], x[i + 2], x[i + 1], x[i + 3], own.tile * size + (tiles + row));
    }
})
LOAD_KERNEL(x_lds_128, 16, by_rows, {
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
        unsigned a[4];
        const int row = L::unit_at(first_row() * STRIDE + L::row_at(l / 4) + l % 4 * 16, i / 2) + i % 2 * 8 * STRIDE;
        load_128(a, own.tile * size + (tiles + row));
        _Pragma("unroll") for (int m = 0; m < 4; ++m) x[i / 2 * 8 + 2 * m + i % 2] = a[m];
    }
})
#endif

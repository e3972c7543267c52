// The family of layout conversions: each member is one choice of the template's parameters. The lowest bits of the register
// number change places with those of the lane number, and lanes do not rotate.
#include "bit_exchange.cuh"
#include "layout.cuh"

template <typename T, typename C>
__global__ void LAUNCH_BOUNDS convert_layout_member(const T* values, T* result, int iterations) {
    using Words = Exchange<5, OPTION_BITS, 0, 0, C>;
    unsigned* const slots = Words::slots();
    int offset = 0;
    const int one = opaque_one();
    Registers<unsigned> own(reinterpret_cast<const unsigned*>(values));
    REPEAT(iterations) {
        Words::run(own.x, slots, offset, one);
        own.advance();
    }
    own.store(reinterpret_cast<unsigned*>(result));
}

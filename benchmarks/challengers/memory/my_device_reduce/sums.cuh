// The array of a launch and the type of its sum.
#pragma once

// The array has as many elements as the threads of the launch add up: with this number, the compiler knows that none of them
// lies beyond its end.
constexpr size_t ALL = ~size_t(0);

// The type of a sum: 32 bits for every element type. Integers wrap around as unsigned.
template <typename T>
struct SumType { using type = T; };
template <>
struct SumType<int> { using type = unsigned; };
#if DTYPE_BF16
template <>
struct SumType<__nv_bfloat16> { using type = float; };
#endif
template <typename T>
using Sum = typename SumType<T>::type;

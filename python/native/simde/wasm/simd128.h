/* The vector operations that wasm2c's output names, by the vector extensions of GCC and Clang. It stands in for the header of the
   same name in the SIMDe library, which a machine need not have. Lanes are in the order of a little-endian machine. */
#ifndef STRIA_SIMD128_H
#define STRIA_SIMD128_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if !defined(__GNUC__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "stria needs GCC or Clang, and a little-endian machine"
#endif

#if defined(__SSE4_1__)
#include <smmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define STRIA_NEON 1
#endif

typedef int8_t stria_i8 __attribute__((vector_size(16)));
typedef uint8_t stria_u8 __attribute__((vector_size(16)));
typedef int16_t stria_i16 __attribute__((vector_size(16)));
typedef uint16_t stria_u16 __attribute__((vector_size(16)));
typedef int32_t stria_i32 __attribute__((vector_size(16)));
typedef uint32_t stria_u32 __attribute__((vector_size(16)));
typedef int64_t stria_i64 __attribute__((vector_size(16)));
typedef uint64_t stria_u64 __attribute__((vector_size(16)));
typedef float stria_f32 __attribute__((vector_size(16)));
typedef double stria_f64 __attribute__((vector_size(16)));
typedef stria_i64 simde_v128_t;

#define V simde_v128_t
#define FN static inline __attribute__((always_inline, unused))

/* Memory. */
FN V simde_wasm_v128_load(const void* p) { V r; memcpy(&r, p, 16); return r; }
FN void simde_wasm_v128_store(void* p, V v) { memcpy(p, &v, 16); }
#define SPLATS(bits, lanes, type, ...)                                                                      \
  FN V simde_wasm_v128_load##bits##_splat(const void* p) { type x; memcpy(&x, p, sizeof x); return (V)(lanes){__VA_ARGS__}; } \
  FN V simde_wasm_v128_load##bits##_lane(const void* p, V v, int lane) {                                     \
    lanes r = (lanes)v; type x; memcpy(&x, p, sizeof x); r[lane] = x; return (V)r;                           \
  }                                                                                                          \
  FN void simde_wasm_v128_store##bits##_lane(void* p, V v, int lane) { type x = ((lanes)v)[lane]; memcpy(p, &x, sizeof x); }
SPLATS(8, stria_u8, uint8_t, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)
SPLATS(16, stria_u16, uint16_t, x, x, x, x, x, x, x, x)
SPLATS(32, stria_u32, uint32_t, x, x, x, x)
SPLATS(64, stria_u64, uint64_t, x, x)
#undef SPLATS
FN V simde_wasm_v128_load32_zero(const void* p) { uint32_t x; memcpy(&x, p, 4); return (V)(stria_u32){x, 0, 0, 0}; }
FN V simde_wasm_v128_load64_zero(const void* p) { uint64_t x; memcpy(&x, p, 8); return (V)(stria_u64){x, 0}; }

/* Making and taking apart. */
#define simde_wasm_i8x16_const(...) ((V)(stria_i8){__VA_ARGS__})
#define simde_wasm_i64x2_make(a, b) ((V)(stria_i64){(int64_t)(a), (int64_t)(b)})
#define LANES(name, lanes, type)                                                                       \
  FN type simde_wasm_##name##_extract_lane(V v, int lane) { return ((lanes)v)[lane]; }                  \
  FN V simde_wasm_##name##_replace_lane(V v, int lane, type x) { lanes r = (lanes)v; r[lane] = x; return (V)r; }
LANES(i8x16, stria_i8, int8_t)
LANES(u8x16, stria_u8, uint8_t)
LANES(i16x8, stria_i16, int16_t)
LANES(u16x8, stria_u16, uint16_t)
LANES(i32x4, stria_i32, int32_t)
LANES(i64x2, stria_i64, int64_t)
LANES(f32x4, stria_f32, float)
LANES(f64x2, stria_f64, double)
#undef LANES
FN V simde_wasm_i8x16_splat(int8_t x) { return (V)((stria_i8){0} + x); }
FN V simde_wasm_i16x8_splat(int16_t x) { return (V)((stria_i16){0} + x); }
FN V simde_wasm_i32x4_splat(int32_t x) { return (V)((stria_i32){0} + x); }
FN V simde_wasm_i64x2_splat(int64_t x) { return (V)((stria_i64){0} + x); }
FN V simde_wasm_f32x4_splat(float x) { return (V)(stria_f32){x, x, x, x}; }
FN V simde_wasm_f64x2_splat(double x) { return (V)(stria_f64){x, x}; }

/* Bits. */
FN V simde_wasm_v128_and(V a, V b) { return a & b; }
FN V simde_wasm_v128_or(V a, V b) { return a | b; }
FN V simde_wasm_v128_xor(V a, V b) { return a ^ b; }
FN V simde_wasm_v128_not(V a) { return ~a; }
FN V simde_wasm_v128_andnot(V a, V b) { return a & ~b; }
FN V simde_wasm_v128_bitselect(V a, V b, V mask) { return (a & mask) | (b & ~mask); }
#define ALL_TRUE(name, lanes) \
  FN bool simde_wasm_##name##_all_true(V v) { V zero = (V)((lanes)v == 0); return !simde_wasm_v128_any_true(zero); }
#if defined(__SSE4_1__)
FN bool simde_wasm_v128_any_true(V v) { return !_mm_testz_si128((__m128i)v, (__m128i)v); }
#else
FN bool simde_wasm_v128_any_true(V v) { return (v[0] | v[1]) != 0; }
#endif
ALL_TRUE(i8x16, stria_i8)
ALL_TRUE(i16x8, stria_i16)
ALL_TRUE(i32x4, stria_i32)
ALL_TRUE(i64x2, stria_i64)
#undef ALL_TRUE

/* Arithmetic wraps, so it is that of unsigned lanes. */
#define BINARY(name, lanes, operator) \
  FN V simde_wasm_##name(V a, V b) { return (V)((lanes)a operator (lanes)b); }
BINARY(i8x16_add, stria_u8, +)
BINARY(i8x16_sub, stria_u8, -)
BINARY(i8x16_eq, stria_u8, ==)
BINARY(i8x16_ne, stria_u8, !=)
BINARY(i8x16_gt, stria_i8, >)
BINARY(i8x16_lt, stria_i8, <)
BINARY(u8x16_lt, stria_u8, <)
BINARY(u8x16_gt, stria_u8, >)
BINARY(i16x8_add, stria_u16, +)
BINARY(i16x8_sub, stria_u16, -)
BINARY(i16x8_mul, stria_u16, *)
BINARY(i16x8_eq, stria_u16, ==)
BINARY(i16x8_ne, stria_u16, !=)
BINARY(i16x8_gt, stria_i16, >)
BINARY(i16x8_lt, stria_i16, <)
BINARY(u16x8_lt, stria_u16, <)
BINARY(u16x8_gt, stria_u16, >)
BINARY(i32x4_add, stria_u32, +)
BINARY(i32x4_sub, stria_u32, -)
BINARY(i32x4_mul, stria_u32, *)
BINARY(i32x4_eq, stria_u32, ==)
BINARY(i32x4_ne, stria_u32, !=)
BINARY(i32x4_gt, stria_i32, >)
BINARY(i32x4_lt, stria_i32, <)
BINARY(u32x4_lt, stria_u32, <)
BINARY(u32x4_gt, stria_u32, >)
BINARY(i8x16_ge, stria_i8, >=)
BINARY(i8x16_le, stria_i8, <=)
BINARY(u8x16_ge, stria_u8, >=)
BINARY(u8x16_le, stria_u8, <=)
BINARY(i16x8_ge, stria_i16, >=)
BINARY(i16x8_le, stria_i16, <=)
BINARY(u16x8_ge, stria_u16, >=)
BINARY(u16x8_le, stria_u16, <=)
BINARY(i32x4_ge, stria_i32, >=)
BINARY(i32x4_le, stria_i32, <=)
BINARY(u32x4_ge, stria_u32, >=)
BINARY(u32x4_le, stria_u32, <=)
BINARY(i64x2_eq, stria_u64, ==)
BINARY(i64x2_ne, stria_u64, !=)
BINARY(i64x2_add, stria_u64, +)
BINARY(i64x2_sub, stria_u64, -)
BINARY(i64x2_mul, stria_u64, *)
BINARY(f32x4_add, stria_f32, +)
BINARY(f32x4_sub, stria_f32, -)
BINARY(f32x4_mul, stria_f32, *)
BINARY(f32x4_div, stria_f32, /)
BINARY(f64x2_add, stria_f64, +)
BINARY(f64x2_sub, stria_f64, -)
BINARY(f64x2_mul, stria_f64, *)
BINARY(f64x2_div, stria_f64, /)
#undef BINARY
#define SHIFTS(bits, count)                                                                                        \
  FN V simde_wasm_i##bits##x##count##_shl(V a, uint32_t n) { return (V)((stria_u##bits)a << (n & (bits - 1))); }     \
  FN V simde_wasm_i##bits##x##count##_shr(V a, uint32_t n) { return (V)((stria_i##bits)a >> (n & (bits - 1))); }     \
  FN V simde_wasm_u##bits##x##count##_shr(V a, uint32_t n) { return (V)((stria_u##bits)a >> (n & (bits - 1))); }
SHIFTS(8, 16)
SHIFTS(16, 8)
SHIFTS(32, 4)
SHIFTS(64, 2)
#undef SHIFTS
#if defined(__SSE4_1__)
#define EXTREMES(name, lanes, least, most)                                           \
  FN V simde_wasm_##name##_min(V a, V b) { return (V)least((__m128i)a, (__m128i)b); } \
  FN V simde_wasm_##name##_max(V a, V b) { return (V)most((__m128i)a, (__m128i)b); }
#else
#define EXTREMES(name, lanes, least, most)                                                                     \
  FN V simde_wasm_##name##_min(V a, V b) { V less = (V)((lanes)a < (lanes)b); return (a & less) | (b & ~less); } \
  FN V simde_wasm_##name##_max(V a, V b) { V less = (V)((lanes)a < (lanes)b); return (b & less) | (a & ~less); }
#endif
EXTREMES(i8x16, stria_i8, _mm_min_epi8, _mm_max_epi8)
EXTREMES(u8x16, stria_u8, _mm_min_epu8, _mm_max_epu8)
EXTREMES(i16x8, stria_i16, _mm_min_epi16, _mm_max_epi16)
EXTREMES(u16x8, stria_u16, _mm_min_epu16, _mm_max_epu16)
EXTREMES(i32x4, stria_i32, _mm_min_epi32, _mm_max_epi32)
EXTREMES(u32x4, stria_u32, _mm_min_epu32, _mm_max_epu32)
#undef EXTREMES
#define NEGATIVE(name, wide) FN V simde_wasm_##name##_neg(V a) { return (V)(-(wide)a); }
NEGATIVE(i8x16, stria_u8)
NEGATIVE(i16x8, stria_u16)
NEGATIVE(i32x4, stria_u32)
NEGATIVE(i64x2, stria_u64)
#undef NEGATIVE
#define ABSOLUTE(name, lanes, wide) \
  FN V simde_wasm_##name##_abs(V a) { V less = (V)((lanes)a < 0); return (V)((wide)(a ^ less) - (wide)less); }
#if defined(__SSE4_1__)
FN V simde_wasm_i8x16_abs(V a) { return (V)_mm_abs_epi8((__m128i)a); }
FN V simde_wasm_i16x8_abs(V a) { return (V)_mm_abs_epi16((__m128i)a); }
FN V simde_wasm_i32x4_abs(V a) { return (V)_mm_abs_epi32((__m128i)a); }
#else
ABSOLUTE(i8x16, stria_i8, stria_u8)
ABSOLUTE(i16x8, stria_i16, stria_u16)
ABSOLUTE(i32x4, stria_i32, stria_u32)
#endif
ABSOLUTE(i64x2, stria_i64, stria_u64)
#undef ABSOLUTE
#if defined(__SSE4_1__)
FN V simde_wasm_i8x16_add_sat(V a, V b) { return (V)_mm_adds_epi8((__m128i)a, (__m128i)b); }
FN V simde_wasm_i8x16_sub_sat(V a, V b) { return (V)_mm_subs_epi8((__m128i)a, (__m128i)b); }
FN V simde_wasm_u8x16_add_sat(V a, V b) { return (V)_mm_adds_epu8((__m128i)a, (__m128i)b); }
FN V simde_wasm_u8x16_sub_sat(V a, V b) { return (V)_mm_subs_epu8((__m128i)a, (__m128i)b); }
FN V simde_wasm_i16x8_add_sat(V a, V b) { return (V)_mm_adds_epi16((__m128i)a, (__m128i)b); }
FN V simde_wasm_i16x8_sub_sat(V a, V b) { return (V)_mm_subs_epi16((__m128i)a, (__m128i)b); }
FN V simde_wasm_u16x8_add_sat(V a, V b) { return (V)_mm_adds_epu16((__m128i)a, (__m128i)b); }
FN V simde_wasm_u16x8_sub_sat(V a, V b) { return (V)_mm_subs_epu16((__m128i)a, (__m128i)b); }
#else
#define SATURATING(name, lanes, operation, operator, count, least, most)                                  \
  FN V simde_wasm_##name##_##operation(V a, V b) {                                                        \
    lanes r;                                                                                             \
    for (int i = 0; i < count; i++) {                                                                    \
      int32_t x = (int32_t)((lanes)a)[i] operator(int32_t)((lanes)b)[i];                                  \
      r[i] = x < least ? least : x > most ? most : x;                                                    \
    }                                                                                                    \
    return (V)r;                                                                                         \
  }
SATURATING(i8x16, stria_i8, add_sat, +, 16, -128, 127)
SATURATING(i8x16, stria_i8, sub_sat, -, 16, -128, 127)
SATURATING(u8x16, stria_u8, add_sat, +, 16, 0, 255)
SATURATING(u8x16, stria_u8, sub_sat, -, 16, 0, 255)
SATURATING(i16x8, stria_i16, add_sat, +, 8, -32768, 32767)
SATURATING(i16x8, stria_i16, sub_sat, -, 8, -32768, 32767)
SATURATING(u16x8, stria_u16, add_sat, +, 8, 0, 65535)
SATURATING(u16x8, stria_u16, sub_sat, -, 8, 0, 65535)
#undef SATURATING
#endif

/* Moving lanes. */
#if defined(__clang__)
#define simde_wasm_i8x16_shuffle(a, b, ...) ((V)__builtin_shufflevector((stria_u8)(a), (stria_u8)(b), __VA_ARGS__))
#else
#define simde_wasm_i8x16_shuffle(a, b, ...) ((V)__builtin_shuffle((stria_u8)(a), (stria_u8)(b), (stria_u8){__VA_ARGS__}))
#endif

FN V simde_wasm_i8x16_swizzle(V a, V from) {
#if defined(__SSE4_1__)
  return (V)_mm_shuffle_epi8((__m128i)a, _mm_adds_epu8((__m128i)from, _mm_set1_epi8(0x70)));
#elif defined(STRIA_NEON)
  return (V)vqtbl1q_u8((uint8x16_t)a, (uint8x16_t)from);
#else
  stria_u8 r = {0};
  for (int i = 0; i < 16; i++) if (((stria_u8)from)[i] < 16) r[i] = ((stria_u8)a)[((stria_u8)from)[i]];
  return (V)r;
#endif
}

/* Widening and narrowing. */
#if defined(__SSE4_1__)
/* GCC 12 takes the lanes of the loops below one by one. */
#define EXTEND(to, from, wide, narrow, count, convert)                                                                 \
  FN V simde_wasm_##to##_extend_low_##from(V a) { return (V)convert((__m128i)a); }                                      \
  FN V simde_wasm_##to##_extend_high_##from(V a) { return (V)convert(_mm_srli_si128((__m128i)a, 8)); }
#else
#define EXTEND(to, from, wide, narrow, count, convert)                                                                 \
  FN V simde_wasm_##to##_extend_low_##from(V a) { wide r; for (int i = 0; i < count; i++) r[i] = ((narrow)a)[i]; return (V)r; } \
  FN V simde_wasm_##to##_extend_high_##from(V a) { wide r; for (int i = 0; i < count; i++) r[i] = ((narrow)a)[i + count]; return (V)r; }
#endif
#define WIDEN(to, from, wide, narrow, count, convert)                                                                  \
  EXTEND(to, from, wide, narrow, count, convert)                                                                      \
  FN V simde_wasm_##to##_extmul_low_##from(V a, V b) {                                                                \
    return (V)((wide)simde_wasm_##to##_extend_low_##from(a) * (wide)simde_wasm_##to##_extend_low_##from(b));           \
  }                                                                                                                  \
  FN V simde_wasm_##to##_extmul_high_##from(V a, V b) {                                                               \
    return (V)((wide)simde_wasm_##to##_extend_high_##from(a) * (wide)simde_wasm_##to##_extend_high_##from(b));         \
  }                                                                                                                  \
  FN V simde_wasm_##to##_load_half_of_##from(const void* p) { return simde_wasm_##to##_extend_low_##from(simde_wasm_v128_load64_zero(p)); }
WIDEN(i16x8, i8x16, stria_i16, stria_i8, 8, _mm_cvtepi8_epi16)
WIDEN(u16x8, u8x16, stria_u16, stria_u8, 8, _mm_cvtepu8_epi16)
WIDEN(i32x4, i16x8, stria_i32, stria_i16, 4, _mm_cvtepi16_epi32)
WIDEN(u32x4, u16x8, stria_u32, stria_u16, 4, _mm_cvtepu16_epi32)
WIDEN(i64x2, i32x4, stria_i64, stria_i32, 2, _mm_cvtepi32_epi64)
WIDEN(u64x2, u32x4, stria_u64, stria_u32, 2, _mm_cvtepu32_epi64)
#undef WIDEN
#undef EXTEND
#define simde_wasm_i16x8_load8x8 simde_wasm_i16x8_load_half_of_i8x16
#define simde_wasm_u16x8_load8x8 simde_wasm_u16x8_load_half_of_u8x16
#define simde_wasm_i32x4_load16x4 simde_wasm_i32x4_load_half_of_i16x8
#define simde_wasm_u32x4_load16x4 simde_wasm_u32x4_load_half_of_u16x8
#define simde_wasm_i64x2_load32x2 simde_wasm_i64x2_load_half_of_i32x4
#define simde_wasm_u64x2_load32x2 simde_wasm_u64x2_load_half_of_u32x4

FN V simde_wasm_i16x8_extadd_pairwise_i8x16(V a) { return (V)(((stria_i16)((stria_u16)a << 8) >> 8) + ((stria_i16)a >> 8)); }
FN V simde_wasm_i32x4_extadd_pairwise_i16x8(V a) { return (V)(((stria_i32)((stria_u32)a << 16) >> 16) + ((stria_i32)a >> 16)); }
FN V simde_wasm_u16x8_extadd_pairwise_u8x16(V a) { return (V)(((stria_u16)a & 255) + ((stria_u16)a >> 8)); }
FN V simde_wasm_u32x4_extadd_pairwise_u16x8(V a) { return (V)(((stria_u32)a & 65535) + ((stria_u32)a >> 16)); }

#if defined(__SSE4_1__)
FN V simde_wasm_i8x16_narrow_i16x8(V a, V b) { return (V)_mm_packs_epi16((__m128i)a, (__m128i)b); }
FN V simde_wasm_u8x16_narrow_i16x8(V a, V b) { return (V)_mm_packus_epi16((__m128i)a, (__m128i)b); }
FN V simde_wasm_i16x8_narrow_i32x4(V a, V b) { return (V)_mm_packs_epi32((__m128i)a, (__m128i)b); }
FN V simde_wasm_u16x8_narrow_i32x4(V a, V b) { return (V)_mm_packus_epi32((__m128i)a, (__m128i)b); }
FN uint32_t simde_wasm_i8x16_bitmask(V a) { return (uint32_t)_mm_movemask_epi8((__m128i)a); }
FN uint32_t simde_wasm_i16x8_bitmask(V a) { return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)a, _mm_setzero_si128())); }
FN uint32_t simde_wasm_i32x4_bitmask(V a) { return (uint32_t)_mm_movemask_ps((__m128)a); }
FN uint32_t simde_wasm_i64x2_bitmask(V a) { return (uint32_t)_mm_movemask_pd((__m128d)a); }
FN V simde_wasm_u8x16_avgr(V a, V b) { return (V)_mm_avg_epu8((__m128i)a, (__m128i)b); }
FN V simde_wasm_u16x8_avgr(V a, V b) { return (V)_mm_avg_epu16((__m128i)a, (__m128i)b); }
FN V simde_wasm_i32x4_dot_i16x8(V a, V b) { return (V)_mm_madd_epi16((__m128i)a, (__m128i)b); }
#else
#define NARROW(to, from, out, lanes, count, least, most)                             \
  FN V simde_wasm_##to##_narrow_##from(V a, V b) {                                    \
    out r;                                                                           \
    for (int i = 0; i < count; i++) {                                                \
      int32_t x = ((lanes)a)[i], y = ((lanes)b)[i];                                   \
      r[i] = x < least ? least : x > most ? most : x;                                 \
      r[i + count] = y < least ? least : y > most ? most : y;                         \
    }                                                                                \
    return (V)r;                                                                     \
  }
NARROW(i8x16, i16x8, stria_i8, stria_i16, 8, -128, 127)
NARROW(u8x16, i16x8, stria_u8, stria_i16, 8, 0, 255)
NARROW(i16x8, i32x4, stria_i16, stria_i32, 4, -32768, 32767)
NARROW(u16x8, i32x4, stria_u16, stria_i32, 4, 0, 65535)
#undef NARROW
#define BITMASK(name, lanes, count) \
  FN uint32_t simde_wasm_##name##_bitmask(V a) { uint32_t r = 0; for (int i = 0; i < count; i++) r |= (uint32_t)(((lanes)a)[i] < 0) << i; return r; }
BITMASK(i8x16, stria_i8, 16)
BITMASK(i16x8, stria_i16, 8)
BITMASK(i32x4, stria_i32, 4)
BITMASK(i64x2, stria_i64, 2)
#undef BITMASK
FN V simde_wasm_u16x8_avgr(V a, V b) { return (V)((((stria_u16)a | (stria_u16)b)) - ((((stria_u16)a ^ (stria_u16)b)) >> 1)); }
FN V simde_wasm_u8x16_avgr(V a, V b) { return (V)((((stria_u8)a | (stria_u8)b)) - ((((stria_u8)a ^ (stria_u8)b)) >> 1)); }
FN V simde_wasm_i32x4_dot_i16x8(V a, V b) {
  stria_i32 r;
  for (int i = 0; i < 4; i++)
    r[i] = (int32_t)((uint32_t)(((stria_i16)a)[2 * i] * ((stria_i16)b)[2 * i]) + (uint32_t)(((stria_i16)a)[2 * i + 1] * ((stria_i16)b)[2 * i + 1]));
  return (V)r;
}
#endif

FN V simde_wasm_f64x2_convert_low_u32x4(V a) { return (V)(stria_f64){(double)((stria_u32)a)[0], (double)((stria_u32)a)[1]}; }
FN V simde_wasm_f64x2_convert_low_i32x4(V a) { return (V)(stria_f64){(double)((stria_i32)a)[0], (double)((stria_i32)a)[1]}; }

FN V simde_wasm_f32x4_convert_i32x4(V a) {
#if defined(__SSE4_1__)
  return (V)_mm_cvtepi32_ps((__m128i)a);
#else
  stria_f32 r;
  for (int i = 0; i < 4; i++) r[i] = (float)((stria_i32)a)[i];
  return (V)r;
#endif
}
/* No number becomes 0; what is too large becomes the nearest bound. */
FN V simde_wasm_i32x4_trunc_sat_f32x4(V a) {
#if defined(__SSE4_1__)
  const __m128 x = (__m128)a;
  const __m128 known = _mm_and_ps(x, _mm_cmpord_ps(x, x));
  const __m128i large = (__m128i)_mm_cmpge_ps(known, _mm_set1_ps(2147483648.0f));
  /* The conversion gives -2^31 for all that it cannot represent. */
  return (V)_mm_xor_si128(_mm_cvttps_epi32(known), large);
#else
  stria_i32 r;
  for (int i = 0; i < 4; i++) {
    float x = ((stria_f32)a)[i];
    r[i] = x != x ? 0 : x >= 2147483648.0f ? INT32_MAX : x <= -2147483648.0f ? INT32_MIN : (int32_t)x;
  }
  return (V)r;
#endif
}

#undef FN
#endif

// SPDX-License-Identifier: MIT
/*
 * IEEE 754 single precision in integers: the model runs where there are no
 * floating-point registers. Results are those of the GPU bit for bit, with
 * denormals; a NaN is always the same quiet one.
 */
#include "native/native.h"

#define NAN_BITS	0x7fc00000U
#define INF_BITS	0x7f800000U
#define SIGN		0x80000000U
#define MANTISSA	0x007fffffU
#define HIDDEN		0x00800000U

/* Most an operand is shifted up: lower bits only decide ties. */
#define ROOM		70

typedef unsigned __int128 u128;

static u32 exponent_bits(u32 a)
{
	return a >> 23 & 0xff;
}

static bool is_nan(u32 a)
{
	return (a & ~SIGN) > INF_BITS;
}

static bool is_inf(u32 a)
{
	return (a & ~SIGN) == INF_BITS;
}

static u32 mantissa(u32 a)
{
	return exponent_bits(a) ? (a & MANTISSA) | HIDDEN : a & MANTISSA;
}

/* Power of two that the mantissa is to be multiplied with. */
static s32 exponent(u32 a)
{
	return (s32)(exponent_bits(a) ? exponent_bits(a) : 1) - 150;
}

static s32 top_bit(u128 m)
{
	u64 high = m >> 64;

	return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((u64)m);
}

/* @m times two to the @e, as a float. */
static u32 round_pack(u32 sign, u128 m, s32 e)
{
	s32 low = e + top_bit(m) - 23;
	u128 rest, half;

	if (low < -149)
		low = -149;
	if (low - e > 126) {
		m = 0;	/* less than half of the least */
	} else if (low > e) {
		half = (u128)1 << (low - e - 1);
		rest = m & ((half << 1) - 1);
		m >>= low - e;
		m += rest > half || (rest == half && m & 1);
	} else {
		m <<= e - low;
	}
	if (m >> 24) {	/* rounded up to the next power of two */
		m >>= 1;
		low++;
	}
	if (low > 104)
		return sign | INF_BITS;
	/* a denormal that became HIDDEN is normal now, by the same sum */
	return sign | (u32)(((u32)(low + 149) << 23) + (u32)m);
}

static u32 special(u32 a, u32 b, u32 c, u32 sign)
{
	bool product = is_inf(a) || is_inf(b);

	if (is_nan(a) || is_nan(b) || is_nan(c))
		return NAN_BITS;
	if (product && (!(a & ~SIGN) || !(b & ~SIGN)))
		return NAN_BITS;
	if (!product)
		return c;
	if (is_inf(c) && (c & SIGN) != sign)
		return NAN_BITS;
	return sign | INF_BITS;
}

/* Bring @high, whose unit is @by bits above that of @low, to the same unit. */
static s32 align(u128 *high, u128 *low, s32 e, s32 by)
{
	if (by <= ROOM) {
		*high <<= by;
		return e;
	}
	*high <<= ROOM;
	*low = 1;
	return e + by - ROOM;
}

u32 sim_f32_fma(u32 a, u32 b, u32 c)
{
	u32 sign = (a ^ b) & SIGN, c_sign = c & SIGN;
	u128 p = (u64)mantissa(a) * mantissa(b), m = mantissa(c);
	s32 pe = exponent(a) + exponent(b), ce = exponent(c), e = pe;

	if (exponent_bits(a) == 0xff || exponent_bits(b) == 0xff ||
	    exponent_bits(c) == 0xff)
		return special(a, b, c, sign);
	if (!p)
		return m ? c : sign & c_sign;
	if (m && pe >= ce)
		e = align(&p, &m, ce, pe - ce);
	else if (m)
		e = align(&m, &p, pe, ce - pe);
	if (sign == c_sign)
		return round_pack(sign, p + m, e);
	if (p == m)
		return 0;
	return p > m ? round_pack(sign, p - m, e) : round_pack(c_sign, m - p, e);
}

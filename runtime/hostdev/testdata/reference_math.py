#!/usr/bin/env python3
"""Writes math.golden: what the functions of OpenCL C give for arguments that
are exact floats, to 25 digits. Needs mpmath 1.3.0.

A line is: function, type, first argument, second argument (hexadecimal),
result (decimal).
"""
import math
import random
import struct
from mpmath import mp, mpf
import mpmath

mp.prec = 400
random.seed(1)


def short(x):
    """The shorter of two exact spellings."""
    digits, _, exponent = x.hex().partition("p")
    return min(repr(x), digits.rstrip("0").rstrip(".") + "p" + exponent, key=len)


def half(x):
    return struct.unpack("e", struct.pack("e", x))[0]


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def exact(x):
    return mpf(x)


def spread(low, high, n):
    """Numbers between two, and their logarithms evenly, of either sign."""
    out = []
    for _ in range(n):
        out.append(random.uniform(low, high))
        m = max(abs(low), abs(high))
        v = m * 2.0 ** -random.uniform(0, 40)
        v = -v if low < 0 and random.random() < 0.5 else v
        if low <= v <= high:
            out.append(v)
    return out


def near(points, n=2):
    out = []
    for p in points:
        for k in range(1, n + 1):
            out += [p * (1 + 2.0 ** (-12 * k)), p * (1 - 2.0 ** (-12 * k))]
    return out


pi = mp.pi
halves = [0.5, 1, 1.5, 2, 3, 7, 100, 1e5]
UNARY = {
    "acos": (mp.acos, lambda r: spread(-1, 1, 12) + near([0.5])),
    "acosh": (mp.acosh, lambda r: spread(1, 1e6, 12) + near([1.0])[::2]),
    "acospi": (lambda x: mp.acos(x) / pi, lambda r: spread(-1, 1, 12)),
    "asin": (mp.asin, lambda r: spread(-1, 1, 12)),
    "asinh": (mp.asinh, lambda r: spread(-1e6, 1e6, 12)),
    "asinpi": (lambda x: mp.asin(x) / pi, lambda r: spread(-1, 1, 12)),
    "atan": (mp.atan, lambda r: spread(-1e6, 1e6, 12) + near([1.0])),
    "atanh": (mp.atanh, lambda r: spread(-0.9999, 0.9999, 12)),
    "atanpi": (lambda x: mp.atan(x) / pi, lambda r: spread(-1e6, 1e6, 12)),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), lambda r: spread(-1e30, 1e30, 12)),
    "cos": (mp.cos, lambda r: spread(-1e6, 1e6, 12) + near([math.pi / 2, math.pi, 1e3])),
    "cosh": (mp.cosh, lambda r: spread(-r["exp"], r["exp"], 12)),
    "cospi": (mp.cospi, lambda r: spread(-1e4, 1e4, 12) + near(halves)),
    "erf": (mp.erf, lambda r: spread(-5, 5, 12)),
    "erfc": (mp.erfc, lambda r: spread(-5, r["erfc"], 12)),
    "exp": (mp.exp, lambda r: spread(-r["exp"], r["exp"], 12)),
    "exp2": (lambda x: mp.power(2, x), lambda r: spread(-r["exp2"], r["exp2"], 12)),
    "exp10": (lambda x: mp.power(10, x), lambda r: spread(-r["exp10"], r["exp10"], 12) + [-3.0, 2.0, 10.0]),
    "expm1": (mp.expm1, lambda r: spread(-r["exp"], r["exp"], 12)),
    "log": (mp.log, lambda r: spread(0, 1e30, 12) + near([1.0], 3)),
    "log2": (lambda x: mp.log(x, 2), lambda r: spread(0, 1e30, 12) + near([1.0], 3)),
    "log10": (mp.log10, lambda r: spread(0, 1e30, 12) + near([1.0], 3) + [1000.0, 0.001]),
    "log1p": (mp.log1p, lambda r: spread(-0.99, 1e6, 12)),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), lambda r: spread(0, 1e30, 12)),
    "sin": (mp.sin, lambda r: spread(-1e6, 1e6, 12) + near([math.pi, 2 * math.pi, 1e3])),
    "sinh": (mp.sinh, lambda r: spread(-r["exp"], r["exp"], 12)),
    "sinpi": (mp.sinpi, lambda r: spread(-1e4, 1e4, 12) + near(halves)),
    "tan": (mp.tan, lambda r: spread(-1e4, 1e4, 12) + near([math.pi / 2, math.pi])),
    "tanh": (mp.tanh, lambda r: spread(-20, 20, 12)),
    "tanpi": (lambda x: mp.sinpi(x) / mp.cospi(x), lambda r: spread(-100, 100, 12) + near(halves)),
    "tgamma": (mp.gamma, lambda r: [x for x in spread(-40, r["gamma"], 16) if r["cut"](x) % 1]),
    "degrees": (lambda x: x * 180 / pi, lambda r: spread(-1e3, 1e3, 4)),
    "radians": (lambda x: x * pi / 180, lambda r: spread(-1e3, 1e3, 4)),
}


def power(x, y):
    return mp.power(x, y)


def powers(r):
    out = []
    for _ in range(20):
        x = 10 ** random.uniform(-10, 10)
        limit = r["exp"] / abs(math.log(x))
        out.append((x, random.uniform(-limit, limit)))
        x = 1 + random.uniform(-1e-3, 1e-3)
        limit = min(r["exp"] / abs(math.log(x)), 1e9)
        out.append((x, random.uniform(-limit, limit)))
    return out


def integer_powers(r):
    out = []
    for x, y in powers(r):
        n = int(max(-2e9, min(2e9, y)))
        if n:
            out.append((-x if random.random() < 0.5 else x, float(n)))
    return out


def roots(r):
    out = []
    for _ in range(20):
        n = random.choice([1, 2, 3, 4, 5, 7, 10, 33, -1, -2, -3, -7])
        x = 10 ** random.uniform(-30, 30)
        out.append((-x if n % 2 and random.random() < 0.5 else x, float(n)))
    return out


def root(x, n):
    n = int(n)
    return -mp.power(-x, mpf(1) / n) if x < 0 else mp.power(x, mpf(1) / n)


def plane(r):
    return [(random.uniform(-1, 1) * 10 ** random.uniform(-5, 5), random.uniform(-1, 1) * 10 ** random.uniform(-5, 5))
            for _ in range(20)]


BINARY = {
    "atan2": (mp.atan2, plane),
    "atan2pi": (lambda y, x: mp.atan2(y, x) / pi, plane),
    "hypot": (mp.hypot, plane),
    "pow": (power, powers),
    "powr": (power, powers),
    "pown": (lambda x, n: mp.power(x, int(n)), integer_powers),
    "rootn": (root, roots),
}


def angles(r):
    """Large numbers, and those that are nearest to multiples of pi/2."""
    out = [s * 10.0 ** random.uniform(0, r["large"]) for s in (1, -1) for _ in range(8)]
    with mp.workprec(2400):
        for _ in range(8):
            n = mp.floor(mpf(10) ** random.uniform(0, r["large"] - 1))
            out.append(float(n * mp.pi / 2))
    # The double that is nearest to a multiple of pi/2 of all.
    return out + ([6381956970095103.0 * 2.0 ** 797] if r["large"] > 300 else [])


def steps(r):
    """Numbers of bits, the last one among them."""
    return range(r["bits"], 0, -1 - r["bits"] // 8)


def below_one(r):
    out = [1.0, -1.0, 0.5, -0.5]
    for k in steps(r):
        out += [1 - 2.0 ** -k, -(1 - 2.0 ** -k)]
    return out + [s * (1 - 10.0 ** random.uniform(-r["bits"] * 0.3, 0)) for s in (1, -1) for _ in range(6)]


def above_one(r):
    return [1 + 2.0 ** -(k - 1) for k in steps(r) if k > 1] + [r["max"], r["max"] / 3]


def around_one(r):
    return above_one(r) + below_one(r)[4::2]


def tiny(r):
    return [s * v for s in (1, -1) for v in (r["min"], r["min"] * 5, r["normal"], r["normal"] * 1.5, r["normal"] ** 0.5, 2.0 ** -r["bits"])]


def tiny_positive(r):
    return [x for x in tiny(r) if x > 0]


def ends(name):
    """The last arguments before a result is infinite, or 0."""
    return lambda r: [v * (1 - 2.0 ** -k) for v in r[name] for k in (3, 7, 9)]


# Arguments where functions lose bits: near zeros and poles, and at the ends of
# the range.
HARD = {
    "acos": [below_one, tiny], "acospi": [below_one, tiny], "asin": [below_one, tiny], "asinpi": [below_one],
    "acosh": [above_one], "asinh": [tiny, above_one], "atanh": [below_one, tiny], "atan": [tiny, above_one], "atanpi": [above_one],
    "sin": [angles, tiny], "cos": [angles, tiny], "tan": [angles, tiny],
    "sinpi": [tiny, above_one], "cospi": [tiny, above_one], "tanpi": [tiny],
    "cbrt": [tiny, around_one], "rsqrt": [around_one, tiny_positive], "erf": [tiny, above_one], "erfc": [tiny, below_one, ends("erfcs")],
    "exp": [tiny, ends("exps")], "exp2": [tiny, ends("exp2s")], "exp10": [tiny, ends("exp10s")], "expm1": [tiny, below_one, ends("exps")],
    "sinh": [tiny, below_one, ends("sinhs")], "cosh": [tiny, ends("sinhs")], "tanh": [tiny, below_one],
    "log": [around_one, tiny_positive], "log2": [around_one, tiny_positive], "log10": [around_one, tiny_positive], "log1p": [tiny, below_one, above_one],
    "tgamma": [around_one],
}


def small_powers(r):
    """Powers of and with results that are denormal."""
    out = [(x, y) for x in tiny_positive(r)[:4] for y in (1.0, -0.5, 0.25, 0.9375, 2.0 ** -20)]
    for k in (1, 2, 5, 9):
        out += [(2.5, math.log(r["normal"]) / math.log(2.5) - k), (0.3, math.log(r["normal"]) / math.log(0.3) + k)]
    return out


def small_integer_powers(r):
    return [(s * x, float(int(y))) for s in (1, -1) for x, y in small_powers(r) if int(y)]


def small_roots(r):
    return [(s * x, n) for x in tiny_positive(r) for s, n in ((1, 2.0), (-1, 3.0), (1, 10.0), (1, -2.0), (-1, -7.0))]


def far_planes(r):
    """Pairs of numbers whose squares are out of range."""
    far = [r["min"], r["min"] * 3, r["normal"], 1.0, r["max"] / 4, r["max"] / 2]
    return [(s * x, y) for s in (1, -1) for x in far for y in far]


HARD_BINARY = {
    "atan2": [far_planes], "atan2pi": [far_planes], "hypot": [far_planes], "pow": [small_powers], "powr": [small_powers],
    "pown": [small_integer_powers], "rootn": [small_roots],
}


def hard_binary(name, kind, f, r, cut):
    """The hard pairs, with results that the type has."""
    for inputs in HARD_BINARY[name]:
        for x, y in inputs(r):
            x, y = cut(x), cut(y)
            v = f(exact(x), exact(y))
            if x != 0 and y != 0 and isinstance(v, mpf) and mpmath.isfinite(v) and r["min"] <= abs(v) <= r["max"]:
                yield x, y


def hard(name, kind, r, cut):
    """The hard arguments of a function that are of the type and in its domain."""
    poles = {"acosh": [], "atanh": [1.0, -1.0], "log1p": [-1.0]}.get(name, [])
    for inputs in HARD.get(name, []):
        for x in inputs(r):
            if kind == "half" and abs(x) > 65504 or kind == "float" and abs(x) > r["max"]:
                continue
            x = cut(x)
            if cut(x) != 0 and x not in poles and not (name == "tgamma" and (abs(x) > 30 or x < 0)):
                yield x


RANGES = {
    "half": {"exp": 9.0, "exp2": 13.0, "exp10": 4.0, "erfc": 2.5, "gamma": 8.0, "large": 4, "bits": 11, "max": 65504.0,
             "min": 2.0 ** -24, "normal": 2.0 ** -14, "exps": [-16.6, 11.08], "exp2s": [-24, 15.99], "exp10s": [-7.2, 4.8], "sinhs": [-11.7, 11.7], "erfcs": [3.8]},
    "float": {"exp": 87.0, "exp2": 125.0, "exp10": 37.0, "erfc": 9.0, "gamma": 34.0, "large": 37, "bits": 24, "max": float(2 ** 128 - 2 ** 104),
              "min": 2.0 ** -149, "normal": 2.0 ** -126, "exps": [-103.2, 88.7], "exp2s": [-149, 127.9], "exp10s": [-44.8, 38.5], "sinhs": [-89.4, 89.4], "erfcs": [10.1]},
    "double": {"exp": 708.0, "exp2": 1020.0, "exp10": 307.0, "erfc": 26.0, "gamma": 170.0, "large": 305, "bits": 53, "max": 1.7976931348623157e308,
               "min": 2.0 ** -1074, "normal": 2.0 ** -1022, "exps": [-744, 709.7], "exp2s": [-1074, 1023.9], "exp10s": [-323, 308.2], "sinhs": [-710.4, 710.4], "erfcs": [27.2]},
}


def shrunk(inputs, kind):
    """Without what a half does not hold."""
    return [x for x in inputs if kind != "half" or 2.0 ** -24 <= abs(x) <= 60000]


def gamma_arguments(kind):
    """Around the zeros of log(gamma), below 0, and where Stirling's formula begins."""
    far = {"float": 33.0, "double": 169.0}[kind]
    ends = [x for k in (1, 2, 3) for x in (k - 0.1, k - 1e-3, k - 1e-6, k + 1e-6, k + 1e-3, k + 0.1)]
    return ends + [1e-7, 1e-3, 0.3, 0.7, 1.4, 2.6, 5.1, far, -1e-7, -0.5, -1.2, -2.25, -far + 0.3]


def main():
    for kind, r in RANGES.items():
        cut = r["cut"] = {"half": half, "float": single, "double": float}[kind]
        for name, (f, inputs) in UNARY.items():
            for x in [*map(cut, shrunk(inputs(r), kind)), *hard(name, kind, r, cut)]:
                if name == "tanpi" and x % 1 == 0.5:
                    continue  # a pole
                v = f(exact(x))
                if isinstance(v, mpf) and mpmath.isfinite(v) and abs(v) <= r["max"]:
                    print(name, kind, short(x), "0", mpmath.nstr(v, 25))
        for name, (f, inputs) in BINARY.items():
            for x, y in inputs(r):
                if kind == "half" and (abs(x) > 60000 or abs(y) > 2000 or abs(x) < 2.0 ** -14):
                    continue
                x, y = cut(x), cut(y)
                if name in ("pow", "powr", "pown") and x in (0.0, 1.0, -1.0):
                    continue
                if name == "pown" and abs(math.log(abs(x)) * y) > r["exp"]:
                    continue
                if name in ("pow", "powr") and abs(math.log(x) * y) > r["exp"]:
                    continue
                print(name, kind, short(x), short(y), mpmath.nstr(f(exact(x), exact(y)), 25))
            for x, y in hard_binary(name, kind, f, r, cut):
                print(name, kind, short(x), short(y), mpmath.nstr(f(exact(x), exact(y)), 25))
    # After the others, whose random arguments depend on their order.
    for kind in ("float", "double"):
        for name, f in (("tgamma", mp.gamma), ("lgamma", lambda x: mp.re(mp.loggamma(x)))):
            for x in map(RANGES[kind]["cut"], gamma_arguments(kind)):
                print(name, kind, short(x), "0", mpmath.nstr(f(exact(x)), 25))


main()

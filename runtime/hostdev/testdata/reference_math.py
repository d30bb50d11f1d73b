#!/usr/bin/env python3
"""Writes math.golden: what the functions of OpenCL C give for arguments that
are exact floats, to 40 digits. Needs mpmath 1.3.0.

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
    "cospi": (lambda x: mp.cos(pi * x), lambda r: spread(-1e4, 1e4, 12) + near(halves)),
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
    "sinpi": (lambda x: mp.sin(pi * x), lambda r: spread(-1e4, 1e4, 12) + near(halves)),
    "tan": (mp.tan, lambda r: spread(-1e4, 1e4, 12) + near([math.pi / 2, math.pi])),
    "tanh": (mp.tanh, lambda r: spread(-20, 20, 12)),
    "tanpi": (lambda x: mp.tan(pi * x), lambda r: spread(-100, 100, 12) + near(halves)),
    "tgamma": (mp.gamma, lambda r: [x for x in spread(-40, r["gamma"], 16) if x != int(x)]),
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
RANGES = {
    "float": {"exp": 87.0, "exp2": 125.0, "exp10": 37.0, "erfc": 9.0, "gamma": 34.0},
    "double": {"exp": 708.0, "exp2": 1020.0, "exp10": 307.0, "erfc": 26.0, "gamma": 170.0},
}


def main():
    for kind, r in RANGES.items():
        cut = single if kind == "float" else float
        for name, (f, inputs) in UNARY.items():
            for x in map(cut, inputs(r)):
                if name == "tanpi" and x % 1 == 0.5:
                    continue  # a pole
                print(name, kind, x.hex(), "0x0p+0", mpmath.nstr(f(exact(x)), 40))
        for name, (f, inputs) in BINARY.items():
            for x, y in inputs(r):
                x, y = cut(x), cut(y)
                if name == "pown" and abs(math.log(abs(x)) * y) > r["exp"]:
                    continue
                if name in ("pow", "powr") and abs(math.log(x) * y) > r["exp"]:
                    continue
                print(name, kind, x.hex(), y.hex(), mpmath.nstr(f(exact(x), exact(y)), 40))


main()

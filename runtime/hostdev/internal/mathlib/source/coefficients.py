#!/usr/bin/env python3
"""Prints coefficients.h: polynomials near the best for the functions of this folder.

Each row is a name, a function of t, an interval and a degree. mpmath's chebyfit
interpolates at Chebyshev nodes with 60 digits; the coefficients are rounded to
double, and the comment has the largest error of the rounded polynomial.

    pip install mpmath==1.3.0
    python3 coefficients.py > coefficients.h
"""
from mpmath import mp, mpf, exp, log, sin, cos, atan, asin, sqrt, erf, erfc, gamma, loggamma, pi, chebyfit, floor, polyval, tan

mp.dps = 60
TINY = mpf(10) ** -12


def smooth(f, at_zero):
    """f, whose value at 0 is given, as its formula divides zero by zero there."""
    return lambda t: f(t) if abs(t) > TINY else mpf(at_zero)


def of_square(f, at_zero):
    return smooth(lambda z: f(sqrt(z)), at_zero)


def log_tail(z):
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s) / s ** 3


def log_tail2(z):
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s - 2 * s ** 3 / 3) / s ** 5


def erfcx(t):
    """(1 + 2 x) exp(x^2) erfc(x) by t = (x - 4) / (x + 4)."""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


def log_gamma_quotient(t):
    """log(gamma(x)) less its zeros at 1 and 2, by t = x - 2."""
    near = mpf(10) ** -25
    t += near if abs(t) < near or abs(t + 1) < near else 0
    return loggamma(t + 2) / (t * (t + 1))


def stirling_rest(z):
    """x times the error of Stirling's formula for log(gamma(x)), by z = 1 / x^2."""
    x = 1 / sqrt(z)
    return (loggamma(x) - ((x - mpf(1) / 2) * log(x) - x + log(2 * pi) / 2)) * x


EXP = (smooth(lambda r: (exp(r) - 1 - r) / r ** 2, 0.5), -log(2) / 2, log(2) / 2)
LOG_END = (3 - 2 * sqrt(2)) ** 2  # s = f / (2 + f) at sqrt(2) and sqrt(1/2)
SIN = (of_square(lambda r: (sin(r) - r) / r ** 3, -mpf(1) / 6), 0, (pi / 4) ** 2)
COS = (of_square(lambda r: (cos(r) - 1 + r * r / 2) / r ** 4, mpf(1) / 24), 0, (pi / 4) ** 2)
ATAN = (of_square(lambda y: (atan(y) - y) / y ** 3, -mpf(1) / 3), 0, tan(pi / 8) ** 2)
ASIN = (of_square(lambda x: (asin(x) - x) / x ** 3, mpf(1) / 6), 0, mpf(1) / 4)
ERF = (of_square(lambda x: erf(x) / x, 2 / sqrt(pi)), 0, 1)
ERFCX = (erfcx, (mpf(1) / 2 - 4) / (mpf(1) / 2 + 4), (mpf(28) - 4) / (28 + 4))
GAMMA = (lambda t: gamma(t + mpf(5) / 2), -mpf(1) / 2, mpf(1) / 2)
LOG_GAMMA = (log_gamma_quotient, -1, 1)
STIRLING = (smooth(stirling_rest, mpf(1) / 12), 0, mpf(1) / 9)

ROWS = [
    ("EXP_F", *EXP, 5), ("EXP", *EXP, 10),
    ("LOG_F", smooth(log_tail, mpf(2) / 3), 0, LOG_END, 4), ("LOG", smooth(log_tail, mpf(2) / 3), 0, LOG_END, 7),
    ("LOG_POW", smooth(log_tail2, mpf(2) / 5), 0, LOG_END, 7),
    ("SIN_F", *SIN, 3), ("SIN", *SIN, 6), ("COS_F", *COS, 3), ("COS", *COS, 6),
    ("ATAN_F", *ATAN, 6), ("ATAN", *ATAN, 11), ("ASIN", *ASIN, 13),
    ("ERF_F", *ERF, 8), ("ERF", *ERF, 16), ("ERFCX_F", *ERFCX, 11), ("ERFCX", *ERFCX, 24),
    ("GAMMA_F", *GAMMA, 8), ("GAMMA", *GAMMA, 16), ("LOG_GAMMA_F", *LOG_GAMMA, 14), ("LOG_GAMMA", *LOG_GAMMA, 26),
    ("STIRLING_F", *STIRLING, 5), ("STIRLING", *STIRLING, 11),
]

print("""/* Written by coefficients.py. POLYNOMIAL_name(t) evaluates by Horner's rule. */""")
for name, f, low, high, degree in ROWS:
    c = [mpf(float(a)) for a in chebyfit(f, [low, high], degree + 1)]
    points = [low + (high - low) * k / mpf(500) for k in range(501)]
    worst = max(abs(polyval(c, t) - f(t)) for t in points)
    print(f"\n/* degree {degree}, error {mp.nstr(worst, 3)} */")
    text = ""
    for i, a in enumerate(c):
        text = float(a).hex() if i == 0 else f"({text} * (t) + {float(a).hex()})"
    print(f"#define POLYNOMIAL_{name}(t) {text}")


def two_over_pi():
    """The bits of 2/pi after 64 zeros, as words of 64."""
    mp.dps = 420
    bits = int(floor(2 / pi * mpf(2) ** (20 * 64)))
    return [0] + [bits >> 64 * (19 - i) & (2 ** 64 - 1) for i in range(20)]


words = two_over_pi()
print("\n#define TWO_OVER_PI", ", ".join(f"0x{w:016x}ul" for w in words))


def parts(name, value, *widths):
    """A constant as a sum of doubles: each of the first ones has so many bits, so that its
    product with a small integer is exact."""
    for i, width in enumerate(widths):
        unit = mpf(2) ** (floor(log(abs(value), 2)) - width + 1)
        part = floor(value / unit) * unit
        print(f"#define {name}_{i + 1} {float(part).hex()}")
        value -= part
    print(f"#define {name}_{len(widths) + 1} {float(value).hex()}")


mp.dps = 60
print()
parts("PI_2", pi / 2, 33, 33)
parts("LN2", log(2), 40)
parts("LOG10_2", log(2) / log(10), 40)
parts("LOG2_10", log(10) / log(2), 40)
parts("TWO_THIRDS", mpf(2) / 3, 53)
parts("PI_HALF", pi / 2, 53)
parts("HALF_LOG_TAU", log(2 * pi) / 2, 53)

"""Values of special functions, with mpmath: python3 special.py > special.txt

Each line has the name of a function of float or double without its prefix, its arguments, and
its value, rounded to the type."""
import random
import struct
from mpmath import mp, mpf

mp.dps = 60
random.seed(5)

single = lambda x: struct.unpack("f", struct.pack("f", float(x)))[0]
half = mpf(1) / 2


def erfcinv(y):
    if y > half:
        return mp.erfinv(1 - y)
    return mp.findroot(lambda t: mp.erfc(t) / y - 1, mp.sqrt(-mp.log(y) - mp.log(mp.sqrt(-mp.pi * mp.log(y)))))


def spread(low, high):
    return lambda: 10 ** random.uniform(low, high)


def signed(draw):
    return lambda: random.choice([-1, 1]) * draw()


functions = [
    ("erfcx", lambda x: mp.exp(x * x) * mp.erfc(x), [lambda: random.uniform(-5, 12), spread(-9, 30)], 30),
    ("cdfnorm", lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, [lambda: random.uniform(-12, 6), signed(spread(-9, 1))], 30),
    ("cdfnorminv", lambda p: -mp.sqrt(2) * erfcinv(2 * p) if p < half else mp.sqrt(2) * mp.erfinv(2 * p - 1), [lambda: random.uniform(0, 1), spread(-30, -1)], 30),
    ("erfinv", mp.erfinv, [lambda: random.uniform(-1, 1), spread(-30, -1), lambda: 1 - 10 ** random.uniform(-6, -1)], 30),
    ("erfcinv", lambda y: erfcinv(y) if y <= 1 else -erfcinv(2 - y), [lambda: random.uniform(0, 2), spread(-35, -1)], 30),
    ("i0", lambda x: mp.besseli(0, x), [lambda: random.uniform(-40, 40), spread(-9, 1.9)], 30),
    ("i1", lambda x: mp.besseli(1, x), [lambda: random.uniform(-40, 40), spread(-9, 1.9)], 30),
    ("j0", lambda x: mp.besselj(0, x), [lambda: random.uniform(-40, 40), spread(-9, 6)], 60),
    ("j1", lambda x: mp.besselj(1, x), [lambda: random.uniform(-40, 40), spread(-9, 6)], 60),
    ("y0", lambda x: mp.bessely(0, x), [lambda: random.uniform(0, 40), spread(-9, 6)], 60),
    ("y1", lambda x: mp.bessely(1, x), [lambda: random.uniform(0, 40), spread(-9, 6)], 60),
]
orders = [
    ("jn", mp.besselj, [lambda: random.uniform(-60, 60), spread(-3, 3)], 60),
    ("yn", mp.bessely, [lambda: random.uniform(0, 60), spread(-1, 3)], 60),
]


def show(name, arguments, value, rounded):
    if not 1e-37 < abs(value) < 1e37:
        return
    value = rounded(value)
    print(name, *[a if isinstance(a, int) else float(a).hex() for a in arguments], float(value).hex())


for suffix, rounded in ("f", single), ("", float):
    for name, f, draws, count in functions:
        for _ in range(count):
            x = rounded(random.choice(draws)())
            show(name + suffix, [x], f(mpf(x)), rounded)
    for name, f, draws, count in orders:
        for _ in range(count):
            n, x = random.randint(-3, 40), rounded(random.choice(draws)())
            show(name + suffix, [n, x], f(n, mpf(x)), rounded)

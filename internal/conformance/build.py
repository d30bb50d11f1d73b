"""Builds SPIR-V on the first OpenCL device by the driver's own calls, for conformance build.

Each line of standard input names files, separated by tabs. One file is built; several
are compiled, and linked to one program. The answer is a line on file descriptor 3:
"builds", or the call that failed with its code and the build log's lines about it.
"""

import ctypes
import os
import sys

c = ctypes
P = c.c_void_p


class Failure(Exception):
    pass


class Device:
    def __init__(self):
        cl = self.cl = c.CDLL("libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateProgramWithIL", "clLinkProgram"):
            getattr(cl, name).restype = P
        self.err = c.c_int()
        platform, self.device = P(), P()
        self.check(cl.clGetPlatformIDs(1, c.byref(platform), None), "clGetPlatformIDs")
        self.check(cl.clGetDeviceIDs(platform, c.c_ulong(0xFFFFFFFF), 1, c.byref(self.device), None), "clGetDeviceIDs")
        self.context = P(cl.clCreateContext(None, 1, c.byref(self.device), None, None, c.byref(self.err)))
        self.check(self.err.value, "clCreateContext")

    def check(self, code, call, program=None):
        if code:
            raise Failure("%s: error %d%s" % (call, code, self.log(program) if program else ""))

    def log(self, program):
        size = c.c_size_t()
        self.cl.clGetProgramBuildInfo(program, self.device, 0x1183, c.c_size_t(0), None, c.byref(size))
        text = c.create_string_buffer(size.value + 1)
        self.cl.clGetProgramBuildInfo(program, self.device, 0x1183, size, text, None)
        lines = [line.strip() for line in text.value.decode(errors="replace").split("\n")]
        wrong = [line for line in lines if "rror" in line or "ndefined" in line or "nresolved" in line]
        return ": " + " ".join(wrong or lines)[:300]

    def create(self, path):
        with open(path, "rb") as f:
            code = f.read()
        program = P(self.cl.clCreateProgramWithIL(self.context, code, c.c_size_t(len(code)), c.byref(self.err)))
        self.check(self.err.value, "clCreateProgramWithIL")
        return program

    def build(self, paths, programs):
        programs.extend(self.create(path) for path in paths)
        if len(paths) == 1:
            self.check(self.cl.clBuildProgram(programs[0], 1, c.byref(self.device), b"", None, None), "clBuildProgram", programs[0])
            return
        for p in programs:
            self.check(self.cl.clCompileProgram(p, 1, c.byref(self.device), b"", 0, None, None, None, None), "clCompileProgram", p)
        parts = (P * len(programs))(*programs)
        linked = P(self.cl.clLinkProgram(self.context, 1, c.byref(self.device), b"", len(programs), parts, None, None, c.byref(self.err)))
        if linked:
            programs.append(linked)
        self.check(self.err.value, "clLinkProgram", linked if linked else None)


def main():
    results = os.fdopen(3, "w")
    device = Device()
    for line in sys.stdin:
        programs = []
        try:
            device.build(line.rstrip("\n").split("\t"), programs)
            answer = "builds"
        except Failure as failure:
            answer = str(failure)
        for p in programs:
            device.cl.clReleaseProgram(p)
        results.write(answer.replace("\n", " ") + "\n")
        results.flush()


main()

"""The other half of devdiff -images: runs the jobs of DIR/jobs.json on the first
OpenCL device, all with the kernels of DIR/images.spv or DIR/images.cl. Writes
DIR/N.result for each, or DIR/N.error.
"""

import base64
import ctypes
import json
import os
import sys

c = ctypes
P = c.c_void_p


class Failure(Exception):
    pass


class Format(c.Structure):
    _fields_ = [("order", c.c_uint), ("type", c.c_uint)]


class Desc(c.Structure):
    _fields_ = [("kind", c.c_uint), ("width", c.c_size_t), ("height", c.c_size_t), ("depth", c.c_size_t),
                ("layers", c.c_size_t), ("row", c.c_size_t), ("slice", c.c_size_t), ("levels", c.c_uint),
                ("samples", c.c_uint), ("memory", P)]


def check(code, what):
    if code:
        raise Failure("%s: error %d" % (what, code))


class Device:
    def __init__(self, folder):
        cl = self.cl = c.CDLL("libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithIL", "clCreateKernel", "clCreateProgramWithSource",
                     "clCreateImage", "clCreateBuffer", "clCreateSampler"):
            getattr(cl, name).restype = P
        self.err = c.c_int()
        platform, self.device = P(), P()
        check(cl.clGetPlatformIDs(1, c.byref(platform), None), "clGetPlatformIDs")
        check(cl.clGetDeviceIDs(platform, c.c_ulong(0xFFFFFFFF), 1, c.byref(self.device), None), "clGetDeviceIDs")
        self.context = P(cl.clCreateContext(None, 1, c.byref(self.device), None, None, c.byref(self.err)))
        check(self.err.value, "clCreateContext")
        self.queue = P(cl.clCreateCommandQueue(self.context, self.device, c.c_ulong(0), c.byref(self.err)))
        check(self.err.value, "clCreateCommandQueue")
        self.program = self.build(folder)

    def build(self, folder):
        cl = self.cl
        source = os.path.join(folder, "images.cl")
        if os.path.exists(source):
            with open(source, "rb") as f:
                text = c.c_char_p(f.read())
            program = P(cl.clCreateProgramWithSource(self.context, 1, c.byref(text), None, c.byref(self.err)))
            flags = b"-cl-std=CL1.2"
        else:
            with open(os.path.join(folder, "images.spv"), "rb") as f:
                code = f.read()
            program = P(cl.clCreateProgramWithIL(self.context, code, c.c_size_t(len(code)), c.byref(self.err)))
            flags = b""
        check(self.err.value, "clCreateProgram")
        if cl.clBuildProgram(program, 1, c.byref(self.device), flags, None, None):
            log = c.create_string_buffer(10000)
            cl.clGetProgramBuildInfo(program, self.device, 0x1183, c.c_size_t(10000), log, None)
            raise Failure("clBuildProgram: " + log.value.decode(errors="replace"))
        return program

    def buffer(self, data):
        m = P(self.cl.clCreateBuffer(self.context, c.c_ulong(1 | 32), c.c_size_t(len(data)), data, c.byref(self.err)))
        check(self.err.value, "clCreateBuffer")
        return m

    def image(self, job, data):
        """Returns the image and what holds its texels; a row or a layer follows the other without a gap."""
        d = Desc(kind=job["ObjectType"], width=job["Width"], height=job["Height"], depth=job["Depth"], layers=job["Layers"])
        shared = None
        if job["ObjectType"] == 0x10F6:
            shared = self.buffer(data)
            d.memory = shared
        flags = 1 if shared else 1 | 32
        m = P(self.cl.clCreateImage(self.context, c.c_ulong(flags), c.byref(Format(job["Order"], job["Type"])), c.byref(d),
                                    None if shared else data, c.byref(self.err)))
        check(self.err.value, "clCreateImage")
        return m, shared

    def run(self, job):
        cl, err = self.cl, self.err
        kernel = P(cl.clCreateKernel(self.program, job["Kernel"].encode(), c.byref(err)))
        check(err.value, "clCreateKernel")
        data = base64.b64decode(job["Data"])
        image, shared = self.image(job, data)
        at = self.buffer(base64.b64decode(job["At"]))
        other = base64.b64decode(job["Other"])
        colors = self.buffer(other)
        arguments = [image]
        if job["Addressing"]:
            arguments.append(P(cl.clCreateSampler(self.context, c.c_uint(job["Normalized"]), c.c_uint(job["Addressing"]),
                                                  c.c_uint(0x1141 if job["Linear"] else 0x1140), c.byref(err))))
            check(err.value, "clCreateSampler")
        arguments += [at, colors]
        for i, a in enumerate(arguments):
            check(cl.clSetKernelArg(kernel, i, c.c_size_t(8), c.byref(a)), "argument %d" % i)
        items = c.c_size_t(job["Items"])
        check(cl.clEnqueueNDRangeKernel(self.queue, kernel, 1, None, c.byref(items), None, 0, None, None), "clEnqueueNDRangeKernel")
        result = c.create_string_buffer(len(data) if job["Writes"] else len(other))
        if not job["Writes"]:
            check(cl.clEnqueueReadBuffer(self.queue, colors, 1, c.c_size_t(0), c.c_size_t(len(other)), result, 0, None, None), "read")
        elif shared:
            check(cl.clEnqueueReadBuffer(self.queue, shared, 1, c.c_size_t(0), c.c_size_t(len(data)), result, 0, None, None), "read")
        else:
            origin, size = (c.c_size_t * 3)(0, 0, 0), (c.c_size_t * 3)(*job["Size"])
            check(cl.clEnqueueReadImage(self.queue, image, 1, origin, size, c.c_size_t(0), c.c_size_t(0), result, 0, None, None), "read")
        for m in [image, at, colors] + ([shared] if shared else []):
            cl.clReleaseMemObject(m)
        cl.clReleaseKernel(kernel)
        return result.raw


def main():
    folder = sys.argv[1]
    device = Device(folder)
    with open(os.path.join(folder, "jobs.json")) as f:
        jobs = json.load(f)
    for i, job in enumerate(jobs):
        base = os.path.join(folder, str(i))
        try:
            result = device.run(job)
            with open(base + ".result", "wb") as f:
                f.write(result)
        except Failure as e:
            with open(base + ".error", "w") as f:
                f.write(str(e))


main()

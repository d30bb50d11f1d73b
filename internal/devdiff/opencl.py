"""The other half of devdiff: runs DIR/N.json on the first OpenCL device.

Jobs of one module share a process, which builds it once. One that crashes the
driver is only one job lost: the rest get another process. Memory is what the extension cl_intel_unified_shared_memory
allocates on the host, so that addresses can be stored anywhere.
"""

import base64
import ctypes
import json
import os
import signal
import struct
import sys

c = ctypes
P = c.c_void_p


class Failure(Exception):
    pass


def check(code, what):
    if code:
        raise Failure("%s: error %d" % (what, code))


def library():
    cl = c.CDLL("libOpenCL.so.1")
    for name in ("clCreateContext", "clCreateCommandQueueWithProperties", "clCreateProgramWithIL", "clCreateKernel",
                 "clCreateImage", "clCreateSampler", "clGetExtensionFunctionAddressForPlatform"):
        getattr(cl, name).restype = P
    return cl


class Format(c.Structure):
    _fields_ = [("order", c.c_uint), ("type", c.c_uint)]


class Desc(c.Structure):
    _fields_ = [("kind", c.c_uint), ("width", c.c_size_t), ("height", c.c_size_t), ("depth", c.c_size_t),
                ("layers", c.c_size_t), ("row", c.c_size_t), ("slice", c.c_size_t), ("levels", c.c_uint),
                ("samples", c.c_uint), ("memory", P)]


class Image:
    """An image of a job, which holds the data."""

    def __init__(self, cl, context, image, data):
        err = c.c_int()
        desc = Desc(kind=image["Type"], width=image["Width"], height=image["Height"], depth=image["Depth"], layers=image["Layers"])
        self.memory = P(cl.clCreateImage(context, c.c_ulong(1 | 32), c.byref(Format(image["Order"], image["Channel"])), c.byref(desc),
                                         data, c.byref(err)))
        check(err.value, "clCreateImage")
        sizes = [n for n in (image["Width"], image["Height"], image["Depth"], image["Layers"]) if n]
        self.size, self.bytes = (c.c_size_t * 3)(*(sizes + [1, 1])[:3]), len(data)

    def read(self, cl, queue):
        result = c.create_string_buffer(self.bytes)
        check(cl.clEnqueueReadImage(queue, self.memory, 1, (c.c_size_t * 3)(), self.size, c.c_size_t(0), c.c_size_t(0), result, 0, None, None),
              "clEnqueueReadImage")
        return result.raw


def sampler(cl, context, s):
    err = c.c_int()
    handle = P(cl.clCreateSampler(context, c.c_uint(s["Normalized"]), c.c_uint(s["Addressing"]), c.c_uint(s["Filter"]), c.byref(err)))
    check(err.value, "clCreateSampler")
    return handle


def prepare(path):
    """Builds a module; returns what run wants."""
    cl = library()
    err = c.c_int()
    platform, device = P(), P()
    check(cl.clGetPlatformIDs(1, c.byref(platform), None), "clGetPlatformIDs")
    check(cl.clGetDeviceIDs(platform, c.c_ulong(0xFFFFFFFF), 1, c.byref(device), None), "clGetDeviceIDs")
    context = P(cl.clCreateContext(None, 1, c.byref(device), None, None, c.byref(err)))
    check(err.value, "clCreateContext")
    queue = P(cl.clCreateCommandQueueWithProperties(context, device, None, c.byref(err)))
    check(err.value, "clCreateCommandQueueWithProperties")

    def extension(name, restype, *types):
        address = cl.clGetExtensionFunctionAddressForPlatform(platform, name)
        return c.CFUNCTYPE(restype, *types)(address)

    allocate = extension(b"clHostMemAllocINTEL", P, P, P, c.c_size_t, c.c_uint, P)
    set_pointer = extension(b"clSetKernelArgMemPointerINTEL", c.c_int, P, c.c_uint, P)

    with open(path, "rb") as f:
        code = f.read()
    program = P(cl.clCreateProgramWithIL(context, code, c.c_size_t(len(code)), c.byref(err)))
    check(err.value, "clCreateProgramWithIL")
    check(cl.clBuildProgram(program, 1, c.byref(device), b"", None, None), "clBuildProgram")
    return cl, context, queue, program, allocate, set_pointer


def run(prepared, job, result):
    cl, context, queue, program, allocate, set_pointer = prepared
    err = c.c_int()
    kernel = P(cl.clCreateKernel(program, job["Kernel"].encode(), c.byref(err)))
    check(err.value, "clCreateKernel")

    buffers = []
    for b in job["Buffers"] or []:
        data = base64.b64decode(b["Data"])
        if b.get("Image"):
            buffers.append((Image(cl, context, b["Image"], data), len(data)))
            continue
        address = allocate(context, None, len(data), 64, c.addressof(err))
        check(err.value, "clHostMemAllocINTEL")
        buffers.append((address, len(data)))

    def patched(data, patches):
        data = bytearray(data)
        for p in patches or []:
            data[p["Offset"]:p["Offset"] + 8] = struct.pack("<Q", buffers[p["Buffer"]][0])
        return bytes(data)

    for (address, size), b in zip(buffers, job["Buffers"] or []):
        if not b.get("Image"):
            c.memmove(address, patched(base64.b64decode(b["Data"]), b["Patches"]), size)
    for i, a in enumerate(job["Args"] or []):
        if a["Buffer"] and job["Buffers"][a["Buffer"] - 1].get("Image"):
            check(cl.clSetKernelArg(kernel, i, c.c_size_t(8), c.byref(buffers[a["Buffer"] - 1][0].memory)), "argument %d" % i)
        elif a.get("Sampler"):
            check(cl.clSetKernelArg(kernel, i, c.c_size_t(8), c.byref(sampler(cl, context, a["Sampler"]))), "argument %d" % i)
        elif a["Buffer"]:
            check(set_pointer(kernel, i, buffers[a["Buffer"] - 1][0]), "argument %d" % i)
        elif a["Local"]:
            check(cl.clSetKernelArg(kernel, i, c.c_size_t(a["Local"]), None), "argument %d" % i)
        else:
            data = patched(base64.b64decode(a["Bytes"] or ""), a["Patches"])
            check(cl.clSetKernelArg(kernel, i, c.c_size_t(len(data)), data), "argument %d" % i)
    yes = c.c_uint(1)
    check(cl.clSetKernelExecInfo(kernel, 0x4200, c.c_size_t(4), c.byref(yes)), "clSetKernelExecInfo")

    dims = len(job["Global"])
    sizes = (c.c_size_t * dims)(*job["Global"])
    local = (c.c_size_t * dims)(*job["Local"])
    offset = (c.c_size_t * dims)(*job["Offset"]) if job.get("Offset") else None
    check(cl.clEnqueueNDRangeKernel(queue, kernel, dims, offset, sizes, local, 0, None, None), "clEnqueueNDRangeKernel")
    check(cl.clFinish(queue), "clFinish")

    with open(result, "wb") as f:
        for (address, size), b in zip(buffers, job["Buffers"] or []):
            if b.get("Image"):
                f.write(address.read(cl, queue))
                continue
            data = bytearray(c.string_at(address, size))
            for p in b["Patches"] or []:
                data[p["Offset"]:p["Offset"] + 8] = bytes(8)
            f.write(data)


def child(names):
    """Runs jobs of one module; those that have an answer already are left out."""
    prepared = None
    for base in names:
        signal.alarm(300)  # a busy machine compiles slowly
        with open(base + ".json") as f:
            job = json.load(f)
        open(base + ".begun", "w").close()
        try:
            prepared = prepared or prepare(job["Code"])
            run(prepared, job, base + ".partial")
            os.rename(base + ".partial", base + ".result")
        except Failure as e:
            with open(base + ".error", "w") as f:
                f.write(str(e))


def answered(base):
    return os.path.exists(base + ".result") or os.path.exists(base + ".error")


def main():
    folder = sys.argv[1]
    modules = {}
    for name in sorted(f[:-5] for f in os.listdir(folder) if f.endswith(".json")):
        base = os.path.join(folder, name)
        with open(base + ".json") as f:
            modules.setdefault(json.load(f)["Code"], []).append(base)
    for names in modules.values():
        while names:
            pid = os.fork()
            if pid == 0:
                child(names)
                os._exit(0)
            _, status = os.waitpid(pid, 0)
            for base in names:
                if not answered(base) and os.path.exists(base + ".begun"):
                    with open(base + ".error", "w") as f:
                        f.write("signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "it ended without a result")
            names = [base for base in names if not answered(base)]


main()

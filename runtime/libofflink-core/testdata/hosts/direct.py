# The functions of offlink.h by ctypes, without C: the structs have the layouts that
# docs/c-library.md gives, and a function of the program runs on a thread of the library.
import ctypes, sys


class Range(ctypes.Structure):
    _fields_ = [("dimensions", ctypes.c_uint), ("reserved", ctypes.c_uint), ("global_size", ctypes.c_size_t * 3),
                ("local_size", ctypes.c_size_t * 3), ("offset", ctypes.c_size_t * 3)]


class Arg(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("reserved", ctypes.c_uint), ("value", ctypes.c_void_p),
                ("buffer", ctypes.c_void_p), ("size", ctypes.c_size_t), ("reserved_too", ctypes.c_void_p)]


BUFFER = 2
HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
offlink = ctypes.CDLL("libofflink.so.0")
offlink.offlink_error.restype = ctypes.c_char_p
offlink.offlink_launch.argtypes = [ctypes.c_void_p, Range, ctypes.POINTER(Arg), ctypes.c_size_t]
offlink.offlink_buffer_create.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
offlink.offlink_buffer_read.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]


def check(status):
    if status:
        raise RuntimeError(offlink.offlink_error().decode())


device, kernel, buffer, queue = (ctypes.c_void_p() for _ in range(4))
check(offlink.offlink_device_open(None, ctypes.byref(device)))
check(offlink.offlink_kernel_open(device, None, b"app", ctypes.byref(kernel)))
check(offlink.offlink_buffer_create(device, 32, None, ctypes.byref(buffer)))
args = (Arg * 1)(Arg(kind=BUFFER, buffer=buffer.value))
check(offlink.offlink_launch(kernel, Range(1, 0, (8, 0, 0)), args, 1))
result = (ctypes.c_int * 8)()
check(offlink.offlink_buffer_read(buffer, 0, result, 32))
assert list(result) == [2 * i for i in range(8)], list(result)

called = []
function = HostFunction(lambda user: called.append(user))
check(offlink.offlink_queue_create(device, 0, ctypes.byref(queue)))
check(offlink.offlink_enqueue_host(queue, function, ctypes.c_void_p(7), None))
check(offlink.offlink_queue_finish(queue))
assert called == [7], called
offlink.offlink_queue_close(queue)
offlink.offlink_buffer_close(buffer)
offlink.offlink_kernel_close(kernel)
offlink.offlink_device_close(device)
print("ok")

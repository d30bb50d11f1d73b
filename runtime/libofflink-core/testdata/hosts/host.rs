// A Rust host: the functions of offlink.h without C, threads, a function of the program on a thread
// of the library, a panic that stays in it, and a library with device code that comes and goes.
use std::ffi::{c_char, c_int, c_uint, c_void, CStr, CString};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

#[repr(C)]
#[derive(Clone, Copy)]
struct Range {
    dimensions: c_uint,
    reserved: c_uint,
    global: [usize; 3],
    local: [usize; 3],
    offset: [usize; 3],
}

#[repr(C)]
struct Arg {
    kind: c_int,
    reserved: c_uint,
    value: *const c_void,
    buffer: *mut c_void,
    size: usize,
    reserved_too: *const c_void,
}

const BUFFER: c_int = 2;

#[link(name = "offlink")]
extern "C" {
    fn offlink_error() -> *const c_char;
    fn offlink_device_open(selector: *const c_char, device: *mut *mut c_void) -> c_int;
    fn offlink_device_close(device: *mut c_void);
    fn offlink_kernel_open(device: *mut c_void, here: *const c_void, name: *const c_char, kernel: *mut *mut c_void) -> c_int;
    fn offlink_kernel_close(kernel: *mut c_void);
    fn offlink_buffer_create(device: *mut c_void, size: usize, data: *const c_void, buffer: *mut *mut c_void) -> c_int;
    fn offlink_buffer_read(buffer: *mut c_void, offset: usize, data: *mut c_void, size: usize) -> c_int;
    fn offlink_buffer_close(buffer: *mut c_void);
    fn offlink_launch(kernel: *mut c_void, range: Range, args: *const Arg, count: usize) -> c_int;
    fn offlink_queue_create(device: *mut c_void, flags: c_uint, queue: *mut *mut c_void) -> c_int;
    fn offlink_enqueue_host(queue: *mut c_void, function: extern "C" fn(*mut c_void), user: *mut c_void, sync: *const c_void) -> c_int;
    fn offlink_queue_finish(queue: *mut c_void) -> c_int;
    fn offlink_queue_close(queue: *mut c_void);
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

fn check(status: c_int) {
    if status != 0 {
        panic!("{}", unsafe { CStr::from_ptr(offlink_error()) }.to_string_lossy());
    }
}

fn created(create: impl FnOnce(*mut *mut c_void) -> c_int) -> *mut c_void {
    let mut object = null_mut();
    check(create(&mut object));
    object
}

static CALLED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn called(user: *mut c_void) {
    let result = std::panic::catch_unwind(|| panic!("in a host function"));
    assert!(result.is_err());
    CALLED.fetch_add(user as usize, Ordering::SeqCst);
}

fn launch(device: *mut c_void) {
    unsafe {
        let kernel = created(|k| offlink_kernel_open(device, null(), c"app".as_ptr(), k));
        let buffer = created(|b| offlink_buffer_create(device, 32, null(), b));
        let range = Range { dimensions: 1, reserved: 0, global: [8, 0, 0], local: [0; 3], offset: [0; 3] };
        let arg = Arg { kind: BUFFER, reserved: 0, value: null(), buffer, size: 0, reserved_too: null() };
        check(offlink_launch(kernel, range, &arg, 1));
        let mut result = [0i32; 8];
        check(offlink_buffer_read(buffer, 0, result.as_mut_ptr().cast(), 32));
        assert_eq!(result, [0, 2, 4, 6, 8, 10, 12, 14]);
        offlink_buffer_close(buffer);
        offlink_kernel_close(kernel);
    }
}

fn main() {
    std::panic::set_hook(Box::new(|info| {
        if info.payload().downcast_ref::<&str>() != Some(&"in a host function") {
            println!("{info}");
        }
    }));
    let path = CString::new(std::env::args().nth(1).expect("a library")).unwrap();
    for _ in 0..3 {
        let library = unsafe { dlopen(path.as_ptr(), 2) }; // RTLD_NOW
        assert!(!library.is_null());
        let device = created(|d| unsafe { offlink_device_open(null(), d) }) as usize;
        let threads: Vec<_> = (0..8)
            .map(|_| std::thread::spawn(move || (0..10).for_each(|_| launch(device as *mut c_void))))
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        unsafe {
            let run: extern "C" fn() -> c_int = std::mem::transmute(dlsym(library, c"run_host".as_ptr()));
            assert_eq!(run(), 0);
            let queue = created(|q| offlink_queue_create(device as *mut c_void, 0, q));
            CALLED.store(0, Ordering::SeqCst);
            check(offlink_enqueue_host(queue, called, 7 as *mut c_void, null()));
            check(offlink_queue_finish(queue));
            assert_eq!(CALLED.load(Ordering::SeqCst), 7);
            offlink_queue_close(queue);
            dlclose(library);
            let mut kernel = null_mut();
            assert_ne!(offlink_kernel_open(device as *mut c_void, null(), c"app".as_ptr(), &mut kernel), 0);
            offlink_device_close(device as *mut c_void);
        }
    }
    println!("ok");
}

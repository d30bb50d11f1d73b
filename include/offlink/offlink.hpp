// offlink.hpp: offlink.h for C++17, header only.
//
//   offlink::device device;
//   offlink::queue queue(device);
//   offlink::shared<int> numbers(device, 8);
//   queue.launch("app", 8, numbers);
//   queue.finish();
//   for (int n : numbers)
//     std::cout << n << ' ';
//
// Objects own their parts and close them; copies share them, so that an
// event or a kernel outlives the variable that it came from. A failure is an
// offlink::error with the status and the library's text. The rules of
// offlink.h hold: link with -lofflink, and use no object in the constructor or
// destructor of a shared library.
#ifndef OFFLINK_OFFLINK_HPP
#define OFFLINK_OFFLINK_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "offlink.h"

namespace offlink {

// A call that failed.
class error : public std::runtime_error {
public:
  error(offlink_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
  offlink_status status() const noexcept { return status_; }

private:
  offlink_status status_;
};

// Throws the calling thread's error unless the status is 0.
inline void check(offlink_status status) {
  if (status)
    throw error(status, offlink_error());
}

namespace detail {

// A counted object that is closed before its parent.
template <class T> std::shared_ptr<T> own(T *object, void (*close)(T *), std::shared_ptr<void> parent = nullptr) {
  return std::shared_ptr<T>(object, [close, parent](T *o) { close(o); });
}

inline std::vector<std::string> take_names(char **names, std::size_t count) {
  std::unique_ptr<char *, void (*)(void *)> owned(names, offlink_free);
  return std::vector<std::string>(names, names + count);
}

inline std::uint64_t nanoseconds(std::chrono::nanoseconds time) {
  return time.count() < 0 ? 0 : static_cast<std::uint64_t>(time.count());
}

} // namespace detail

// The version of the library.
inline std::string version() { return offlink_version(); }

// The selectors of all devices, in order of preference.
inline std::vector<std::string> devices() {
  char **names;
  std::size_t count;
  check(offlink_device_list(&names, &count));
  return detail::take_names(names, count);
}

// The names of the kernels of all loaded images, sorted.
inline std::vector<std::string> kernel_names() {
  char **names;
  std::size_t count;
  check(offlink_kernel_names(&names, &count));
  return detail::take_names(names, count);
}

// A device. The default one, or the first that a selector names.
class device {
public:
  explicit device(const std::string &selector = "") {
    offlink_device *d;
    check(offlink_device_open(selector.c_str(), &d));
    handle_ = detail::own(d, offlink_device_close);
  }

  offlink_device *get() const noexcept { return handle_.get(); }
  std::string name() const { return offlink_device_name(get()); }
  const offlink_device_info &info() const {
    const offlink_device_info *info = offlink_device_query(get());
    if (!info)
      throw error(OFFLINK_ERROR_RUNTIME, offlink_error());
    return *info;
  }

  // Whether it has an aspect of SYCL or an extension of OpenCL.
  bool has(const std::string &what) const { return offlink_device_has(get(), what.c_str()) != 0; }
  std::shared_ptr<void> shared() const { return handle_; }

private:
  std::shared_ptr<offlink_device> handle_;
};

// The work-items of a launch: offlink::range(64), range(64, 32).local(8, 8).
class range {
public:
  range(std::size_t x) : value_{1, 0, {x, 0, 0}, {0, 0, 0}, {0, 0, 0}} {}
  range(std::size_t x, std::size_t y) : value_{2, 0, {x, y, 0}, {0, 0, 0}, {0, 0, 0}} {}
  range(std::size_t x, std::size_t y, std::size_t z) : value_{3, 0, {x, y, z}, {0, 0, 0}, {0, 0, 0}} {}

  // The local size, which divides the global one.
  range local(std::size_t x, std::size_t y = 1, std::size_t z = 1) const { return with(&offlink_range::local, x, y, z); }
  // The first global id.
  range offset(std::size_t x, std::size_t y = 0, std::size_t z = 0) const {
    return with(&offlink_range::offset, x, y, z);
  }

  const offlink_range &get() const noexcept { return value_; }

private:
  range with(std::size_t (offlink_range::*member)[3], std::size_t x, std::size_t y, std::size_t z) const {
    range r = *this;
    const std::size_t values[] = {x, y, z};
    for (unsigned i = 0; i < r.value_.dimensions; i++)
      (r.value_.*member)[i] = values[i];
    return r;
  }

  offlink_range value_;
};

// Local memory as an argument: offlink::local<float>(256) elements.
struct local_memory {
  std::size_t size;
};
template <class T> local_memory local(std::size_t count) { return {count * sizeof(T)}; }

// Memory of the device that kernels get as a pointer, of count elements.
template <class T> class buffer {
  static_assert(std::is_trivially_copyable<T>::value, "buffers hold bytes");

public:
  buffer(const device &d, std::size_t count, const T *data = nullptr) : count_(count) {
    offlink_buffer *b;
    check(offlink_buffer_create(d.get(), count * sizeof(T), data, &b));
    handle_ = detail::own(b, offlink_buffer_close, d.shared());
  }
  buffer(const device &d, const std::vector<T> &data) : buffer(d, data.size(), data.data()) {}

  std::size_t size() const noexcept { return count_; }
  offlink_buffer *get() const noexcept { return handle_.get(); }

  // Copy elements from or to the buffer, from element `first` on.
  void read(T *to, std::size_t count, std::size_t first = 0) const {
    check(offlink_buffer_read(get(), first * sizeof(T), to, count * sizeof(T)));
  }
  void write(const T *from, std::size_t count, std::size_t first = 0) {
    check(offlink_buffer_write(get(), first * sizeof(T), from, count * sizeof(T)));
  }
  std::vector<T> read() const {
    std::vector<T> all(count_);
    read(all.data(), count_);
    return all;
  }
  void write(const std::vector<T> &from) { write(from.data(), from.size()); }

private:
  std::shared_ptr<offlink_buffer> handle_;
  std::size_t count_;
};

// Zeroed memory by address that the host and kernels both use. The host must
// leave it alone while a command uses it.
template <class T> class shared {
  static_assert(std::is_trivially_copyable<T>::value, "shared memory holds bytes");

public:
  shared(const device &d, std::size_t count, int kind = OFFLINK_MEMORY_SHARED) : count_(count) {
    void *p;
    check(offlink_memory_alloc(d.get(), kind, count * sizeof(T), &p));
    device owner = d;
    data_ = std::shared_ptr<T>(static_cast<T *>(p), [owner](T *q) { offlink_memory_free(owner.get(), q); });
  }

  T *data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return count_; }
  T *begin() const noexcept { return data(); }
  T *end() const noexcept { return data() + count_; }
  T &operator[](std::size_t i) const noexcept { return data()[i]; }

private:
  std::shared_ptr<T> data_;
  std::size_t count_;
};

// A pointer argument that is not from shared<T>: an address of such memory.
struct address {
  const void *pointer;
};

// The end of a command, or, by event(device), one that the program ends.
class event {
public:
  event() = default;
  explicit event(const device &d) {
    offlink_event *e;
    check(offlink_event_create(d.get(), &e));
    handle_ = detail::own(e, offlink_event_close, d.shared());
  }
  event(offlink_event *e, std::shared_ptr<void> parent) : handle_(detail::own(e, offlink_event_close, std::move(parent))) {}

  offlink_event *get() const noexcept { return handle_.get(); }
  void wait() const { check(offlink_event_wait(get())); }

  // False after the time is over.
  bool wait_for(std::chrono::nanoseconds time) const {
    offlink_status status = offlink_event_wait_for(get(), detail::nanoseconds(time));
    if (status == OFFLINK_ERROR_TIMEOUT)
      return false;
    check(status);
    return true;
  }
  bool done() const {
    int state;
    check(offlink_event_status(get(), &state));
    return state >= OFFLINK_EVENT_COMPLETE;
  }
  void complete(offlink_status outcome = OFFLINK_OK) { check(offlink_event_complete(get(), outcome)); }

  // How long the command ran. Its queue needs OFFLINK_QUEUE_PROFILING.
  std::chrono::nanoseconds duration() const {
    std::uint64_t times[4];
    check(offlink_event_times(get(), times));
    return std::chrono::nanoseconds(times[3] - times[2]);
  }

  // Calls f(status, text) on a thread of the library when the command has ended.
  template <class F> void on_done(F f) const {
    auto *held = new std::function<void(offlink_status, const std::string &)>(std::move(f));
    offlink_status status = offlink_event_on_done(
        get(),
        [](void *user, offlink_status outcome, const char *text) {
          std::unique_ptr<std::function<void(offlink_status, const std::string &)>> function(
              static_cast<std::function<void(offlink_status, const std::string &)> *>(user));
          (*function)(outcome, text);
        },
        held);
    if (status)
      delete held;
    check(status);
  }

private:
  std::shared_ptr<offlink_event> handle_;
};

// Values of specialization constants, by unique name.
class spec_constants {
public:
  template <class T> spec_constants &set(const std::string &name, const T &value) {
    static_assert(std::is_trivially_copyable<T>::value, "constants are bytes");
    const char *bytes = reinterpret_cast<const char *>(&value);
    values_[name].assign(bytes, bytes + sizeof value);
    return *this;
  }
  std::vector<offlink_spec_constant> list() const {
    std::vector<offlink_spec_constant> list;
    for (const auto &v : values_)
      list.push_back({v.first.c_str(), v.second.data(), v.second.size(), nullptr});
    return list;
  }

private:
  std::map<std::string, std::vector<char>> values_;
};

// A kernel on a device.
class kernel {
public:
  kernel(const device &d, const std::string &name, const spec_constants &constants = {},
         const void *module = OFFLINK_HERE) {
    std::vector<offlink_spec_constant> list = constants.list();
    offlink_kernel_options options = {};
    options.size = sizeof options;
    options.constants = list.data();
    options.constant_count = list.size();
    offlink_kernel *k;
    check(offlink_kernel_open_with(d.get(), module, name.c_str(), &options, &k));
    handle_ = detail::own(k, offlink_kernel_close, d.shared());
  }

  offlink_kernel *get() const noexcept { return handle_.get(); }
  const offlink_kernel_info &info() const {
    const offlink_kernel_info *info = offlink_kernel_query(get());
    if (!info)
      throw error(OFFLINK_ERROR_RUNTIME, offlink_error());
    return *info;
  }

private:
  std::shared_ptr<offlink_kernel> handle_;
};

// Device code of a file, until the last copy goes.
class device_code {
public:
  explicit device_code(const std::string &path) {
    offlink_code *c;
    check(offlink_dlopen_device_code(path.c_str(), &c));
    handle_ = detail::own(c, offlink_dlclose_device_code);
  }
  // The module of its kernels.
  const void *module() const noexcept { return offlink_code_module(handle_.get()); }

private:
  std::shared_ptr<offlink_code> handle_;
};

namespace detail {

inline offlink_arg argument(const local_memory &l) { return offlink_arg_local(l.size); }
inline offlink_arg argument(const address &a) { return offlink_arg_pointer(a.pointer); }
inline offlink_arg argument(std::nullptr_t) { return offlink_arg_pointer(nullptr); }
template <class T> offlink_arg argument(const buffer<T> &b) { return offlink_arg_buffer(b.get()); }
template <class T> offlink_arg argument(const shared<T> &s) { return offlink_arg_pointer(s.data()); }
// Events are not arguments: they go before the others, to launch_after.
template <class T> offlink_arg argument(const std::initializer_list<T> &) = delete;
// The value stays where it is until the launch has copied it.
template <class T> offlink_arg argument(const T &value) {
  static_assert(std::is_trivially_copyable<T>::value, "a value is passed as its bytes");
  static_assert(!std::is_pointer<T>::value, "pass a buffer, shared memory or offlink::address");
  return offlink_arg_value(&value, sizeof value);
}

} // namespace detail

// A queue of commands. After one that failed, those that follow fail too, up to finish(),
// unless the queue is out of order. Those with names of kernels open each kernel once. Where several
// modules have a kernel of a name, that of the module which makes the queue is taken; pass
// OFFLINK_HERE where a function of another module makes it, such as std::make_unique.
class queue {
public:
  explicit queue(const device &d, unsigned flags = 0, const void *module = OFFLINK_HERE)
      : device_(d), module_(module), kernels_(std::make_shared<kernels>()) {
    offlink_queue *q;
    check(offlink_queue_create(d.get(), flags, &q));
    handle_ = detail::own(q, offlink_queue_close, d.shared());
  }

  offlink_queue *get() const noexcept { return handle_.get(); }
  const device &get_device() const noexcept { return device_; }

  // Queues a launch: values, buffers, shared memory, local<T>(n), address{p}.
  template <class... Args> event launch(const kernel &k, const range &r, const Args &...args) {
    return launch_after({}, k, r, args...);
  }
  template <class... Args> event launch(const std::string &name, const range &r, const Args &...args) {
    return launch_after({}, named(name), r, args...);
  }
  // The same once the events have ended.
  template <class... Args>
  event launch_after(std::initializer_list<event> after, const kernel &k, const range &r, const Args &...args) {
    const offlink_arg list[] = {detail::argument(args)..., offlink_arg_local(0)};
    return command(after, [&](const offlink_sync *s) {
      return offlink_enqueue_launch(get(), k.get(), r.get(), list, sizeof...(args), s);
    });
  }
  template <class... Args>
  event launch_after(std::initializer_list<event> after, const std::string &name, const range &r, const Args &...args) {
    return launch_after(after, named(name), r, args...);
  }

  // Launches and waits.
  template <class... Args> void run(const std::string &name, const range &r, const Args &...args) {
    run(named(name), r, args...);
  }
  template <class... Args> void run(const kernel &k, const range &r, const Args &...args) {
    const offlink_arg list[] = {detail::argument(args)..., offlink_arg_local(0)};
    offlink_sync sync = {};
    sync.size = sizeof sync;
    sync.block = 1;
    check(offlink_enqueue_launch(get(), k.get(), r.get(), list, sizeof...(args), &sync));
  }

  // Copies bytes between memory of the device or of the program.
  event copy(void *to, const void *from, std::size_t size, std::initializer_list<event> after = {}) {
    return command(after, [&](const offlink_sync *s) { return offlink_enqueue_copy(get(), to, from, size, s); });
  }
  template <class T> event fill(const shared<T> &s, const std::decay_t<T> &value, std::initializer_list<event> after = {}) {
    return command(after, [&](const offlink_sync *y) {
      return offlink_enqueue_fill(get(), s.data(), &value, sizeof value, s.size() * sizeof value, y);
    });
  }
  event barrier(std::initializer_list<event> after = {}) {
    return command(after, [&](const offlink_sync *s) { return offlink_enqueue_barrier(get(), s); });
  }
  // Runs f on a thread of the library, in the order of the queue.
  template <class F> event host(F f, std::initializer_list<event> after = {}) {
    auto *held = new std::function<void()>(std::move(f));
    try {
      return command(after, [&](const offlink_sync *s) {
        return offlink_enqueue_host(
            get(),
            [](void *user) {
              std::unique_ptr<std::function<void()>> function(static_cast<std::function<void()> *>(user));
              (*function)();
            },
            held, s);
      });
    } catch (...) {
      delete held;
      throw;
    }
  }

  // Waits for all commands.
  void finish() { check(offlink_queue_finish(get())); }
  // False after the time is over.
  bool finish_for(std::chrono::nanoseconds time) {
    offlink_status status = offlink_queue_finish_for(get(), detail::nanoseconds(time));
    if (status == OFFLINK_ERROR_TIMEOUT)
      return false;
    check(status);
    return true;
  }
  void abort() { check(offlink_queue_abort(get())); }

private:
  struct kernels {
    std::mutex mutex;
    std::map<std::string, kernel> by_name;
  };

  kernel named(const std::string &name) {
    std::lock_guard<std::mutex> lock(kernels_->mutex);
    auto at = kernels_->by_name.find(name);
    if (at == kernels_->by_name.end())
      at = kernels_->by_name.emplace(name, kernel(device_, name, {}, module_)).first;
    return at->second;
  }

  template <class F> event command(std::initializer_list<event> after, F f) {
    std::vector<offlink_event *> list;
    for (const event &e : after)
      list.push_back(e.get());
    offlink_event *done = nullptr;
    offlink_sync sync = {};
    sync.size = sizeof sync;
    sync.after = list.data();
    sync.after_count = list.size();
    sync.done = &done;
    offlink_status status = f(&sync);
    event e = done ? event(done, handle_) : event();
    check(status);
    return e;
  }

  device device_;
  const void *module_;
  std::shared_ptr<kernels> kernels_;
  std::shared_ptr<offlink_queue> handle_;
};

// A device global, by its unique name (OFFLINK_DEVICE_GLOBAL of device.h).
template <class T> class device_global {
  static_assert(std::is_trivially_copyable<T>::value, "device globals hold bytes");

public:
  device_global(const device &d, std::string name) : device_(d), name_(std::move(name)) {}

  T read() const {
    T value;
    check(offlink_global_read(device_.get(), name_.c_str(), 0, &value, sizeof value));
    return value;
  }
  void write(const T &value) { check(offlink_global_write(device_.get(), name_.c_str(), 0, &value, sizeof value)); }

  // Elements of a global that is a std::array.
  template <class E> void read(E *to, std::size_t count, std::size_t first) const {
    check(offlink_global_read(device_.get(), name_.c_str(), first * sizeof(E), to, count * sizeof(E)));
  }
  template <class E> void write(const E *from, std::size_t count, std::size_t first) {
    check(offlink_global_write(device_.get(), name_.c_str(), first * sizeof(E), from, count * sizeof(E)));
  }

private:
  device device_;
  std::string name_;
};

} // namespace offlink

#endif

! A Fortran host: the functions of offlink.h by iso_c_binding, a function of the program on a thread
! of the library, and a library with device code that comes and goes.
module offlink
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: work_range
    integer(c_int) :: dimensions = 1, reserved = 0
    integer(c_size_t) :: global_size(3) = 0, local_size(3) = 0, offset(3) = 0
  end type
  type, bind(c) :: argument
    integer(c_int) :: kind, reserved = 0
    type(c_ptr) :: value = c_null_ptr, buffer = c_null_ptr
    integer(c_size_t) :: bytes = 0
    type(c_ptr) :: reserved_too = c_null_ptr
  end type
  integer(c_int), parameter :: buffer_kind = 2

  interface
    integer(c_int) function device_open(selector, device) bind(c, name="offlink_device_open")
      import
      type(c_ptr), value :: selector
      type(c_ptr) :: device
    end function
    subroutine device_close(device) bind(c, name="offlink_device_close")
      import
      type(c_ptr), value :: device
    end subroutine
    integer(c_int) function kernel_open(device, here, name, kernel) bind(c, name="offlink_kernel_open")
      import
      type(c_ptr), value :: device, here
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: kernel
    end function
    subroutine kernel_close(kernel) bind(c, name="offlink_kernel_close")
      import
      type(c_ptr), value :: kernel
    end subroutine
    integer(c_int) function buffer_create(device, bytes, contents, buffer) bind(c, name="offlink_buffer_create")
      import
      type(c_ptr), value :: device, contents
      integer(c_size_t), value :: bytes
      type(c_ptr) :: buffer
    end function
    integer(c_int) function buffer_read(buffer, offset, contents, bytes) bind(c, name="offlink_buffer_read")
      import
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: offset, bytes
      integer(c_int) :: contents(*)
    end function
    subroutine buffer_close(buffer) bind(c, name="offlink_buffer_close")
      import
      type(c_ptr), value :: buffer
    end subroutine
    integer(c_int) function launch(kernel, over, arguments, count) bind(c, name="offlink_launch")
      import
      type(c_ptr), value :: kernel
      type(work_range), value :: over
      type(argument), intent(in) :: arguments(*)
      integer(c_size_t), value :: count
    end function
    integer(c_int) function queue_create(device, flags, queue) bind(c, name="offlink_queue_create")
      import
      type(c_ptr), value :: device
      integer(c_int), value :: flags
      type(c_ptr) :: queue
    end function
    integer(c_int) function enqueue_host(queue, called, user, sync) bind(c, name="offlink_enqueue_host")
      import
      type(c_ptr), value :: queue, user, sync
      type(c_funptr), value :: called
    end function
    integer(c_int) function queue_finish(queue) bind(c, name="offlink_queue_finish")
      import
      type(c_ptr), value :: queue
    end function
    subroutine queue_close(queue) bind(c, name="offlink_queue_close")
      import
      type(c_ptr), value :: queue
    end subroutine
    type(c_ptr) function dlopen(name, flags) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: flags
    end function
    integer(c_int) function dlclose(library) bind(c)
      import
      type(c_ptr), value :: library
    end function
  end interface

contains

  subroutine check(status, step)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: step
    if (status /= 0) then
      print *, step, status
      error stop
    end if
  end subroutine

  subroutine called(user) bind(c)
    type(c_ptr), value :: user
    integer(c_int), pointer :: count
    call c_f_pointer(user, count)
    count = count + 1
  end subroutine

  subroutine run_once(path)
    character(*), intent(in) :: path
    type(c_ptr) :: library, device, kernel, buffer, queue
    integer(c_int), target :: count
    integer(c_int) :: results(8), i
    library = dlopen(path // c_null_char, 2_c_int) ! RTLD_NOW
    if (.not. c_associated(library)) error stop "dlopen"
    call check(device_open(c_null_ptr, device), "device_open")
    call check(kernel_open(device, c_null_ptr, "app" // c_null_char, kernel), "kernel_open")
    call check(buffer_create(device, 32_c_size_t, c_null_ptr, buffer), "buffer_create")
    call check(launch(kernel, work_range(global_size=[8_c_size_t, 0_c_size_t, 0_c_size_t]), &
        [argument(kind=buffer_kind, buffer=buffer)], 1_c_size_t), "launch")
    call check(buffer_read(buffer, 0_c_size_t, results, 32_c_size_t), "buffer_read")
    if (any(results /= [(2 * i, i = 0, 7)])) error stop "results"
    call check(queue_create(device, 0_c_int, queue), "queue_create")
    count = 0
    do i = 1, 3
      call check(enqueue_host(queue, c_funloc(called), c_loc(count), c_null_ptr), "enqueue_host")
    end do
    call check(queue_finish(queue), "queue_finish")
    if (count /= 3) error stop "host function"
    call queue_close(queue)
    call buffer_close(buffer)
    call kernel_close(kernel)
    call check(dlclose(library), "dlclose")
    if (kernel_open(device, c_null_ptr, "app" // c_null_char, kernel) == 0) error stop "the kernel is still there"
    call device_close(device)
  end subroutine
end module

program host
  use offlink
  implicit none
  character(4096) :: path
  integer :: i
  call get_command_argument(1, path)
  do i = 1, 3
    call run_once(trim(path))
  end do
  print "(a)", "ok"
end program

; accepted by 16 19
define void @itanium() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @may() to label %ok unwind label %bad
ok:
  %v = invoke i32 @value(i32 1) nounwind [ "x"() ]
          to label %done unwind label %bad2
bad:
  %0 = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %0
bad2:
  %1 = landingpad { ptr, i32 }
          catch ptr @type
          catch ptr null
          filter [1 x ptr] [ptr @type]
  br label %done
done:
  ret void
}

define void @windows() personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @may() to label %ok unwind label %dispatch
dispatch:
  %cs = catchswitch within none [label %handler, label %other] unwind to caller
handler:
  %cp = catchpad within %cs [ptr @type, i32 0, ptr null]
  invoke void @may() [ "funclet"(token %cp) ] to label %leave unwind label %inner
leave:
  catchret from %cp to label %ok
inner:
  %cu = cleanuppad within %cp []
  call void @may() [ "funclet"(token %cu) ]
  cleanupret from %cu unwind to caller
other:
  %cp2 = catchpad within %cs [ptr null, i32 64, ptr null]
  catchret from %cp2 to label %ok
ok:
  invoke void @may() to label %end unwind label %clean
clean:
  %c = cleanuppad within none []
  cleanupret from %c unwind label %more
more:
  %d = cleanuppad within none []
  cleanupret from %d unwind to caller
end:
  ret void
}
declare void @may()
declare i32 @value(i32)
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
@type = external constant ptr

; accepted by 14 15 16 19
; Layout and names. The file has CRLF line ends and comments in odd places.
source_filename = "a;b{c}\22d\5C\0A"
@"a b" = global i32 0 @"\01mangled" = global i32 1
@-dash = global i32 2 @$dollar.. = global i32 3 @_ = global i32 4
%$T-.0_ = type { i32 } %"}" = type { %$T-.0_ }
@t = global %"}" zeroinitializer;comment at once
define void @"f(}"(i32 %"a;b", i32 %-a) { "e{": ; } not the end
  %"x y" = add i32 %"a;b", %-a br label %"-1"
"-1": br label %-1.a
-1.a: ; preds = nothing
  br label %"1"
"1":
  br label %"42x"
42x:
  ret void }

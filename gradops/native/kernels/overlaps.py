"""Whether arrays overlap in memory, read from their headers in machine code."""

from ..ir.headers import DATA, RANK, SIZES, STEPS
from ..ir.text import FunctionText

NAME = "apart"
FUNCTION = f"""
define internal {{ i64, i64 }} @extent(ptr %x, i64 %size) noinline nounwind {{
start:
  %data_at = getelementptr i8, ptr %x, i64 {DATA}
  %data = load i64, ptr %data_at
  %rank_at = getelementptr i8, ptr %x, i64 {RANK}
  %rank = load i32, ptr %rank_at
  %sizes_at = getelementptr i8, ptr %x, i64 {SIZES}
  %sizes = load ptr, ptr %sizes_at
  %steps_at = getelementptr i8, ptr %x, i64 {STEPS}
  %steps = load ptr, ptr %steps_at
  %behind = add i64 %data, %size
  br label %head
head:
  %i = phi i32 [ 0, %start ], [ %next, %axis ]
  %low = phi i64 [ %data, %start ], [ %lower, %axis ]
  %high = phi i64 [ %behind, %start ], [ %higher, %axis ]
  %none = phi i1 [ false, %start ], [ %empty, %axis ]
  %more = icmp slt i32 %i, %rank
  br i1 %more, label %axis, label %end
axis:
  %n_at = getelementptr i64, ptr %sizes, i32 %i
  %n = load i64, ptr %n_at
  %is_zero = icmp eq i64 %n, 0
  %empty = or i1 %none, %is_zero
  %step_at = getelementptr i64, ptr %steps, i32 %i
  %step = load i64, ptr %step_at
  %last = sub i64 %n, 1
  %far = mul i64 %last, %step
  %falls = icmp slt i64 %far, 0
  %down = select i1 %falls, i64 %far, i64 0
  %up = select i1 %falls, i64 0, i64 %far
  %lower = add i64 %low, %down
  %higher = add i64 %high, %up
  %next = add i32 %i, 1
  br label %head
end:
  %one = insertvalue {{ i64, i64 }} undef, i64 %low, 0
  %behind_all = select i1 %none, i64 %low, i64 %high
  %both = insertvalue {{ i64, i64 }} %one, i64 %behind_all, 1
  ret {{ i64, i64 }} %both
}}

define internal i1 @{NAME}(ptr %x, i64 %of_x, ptr %y, i64 %of_y) noinline nounwind {{
  %a = call {{ i64, i64 }} @extent(ptr %x, i64 %of_x)
  %b = call {{ i64, i64 }} @extent(ptr %y, i64 %of_y)
  %a0 = extractvalue {{ i64, i64 }} %a, 0
  %a1 = extractvalue {{ i64, i64 }} %a, 1
  %b0 = extractvalue {{ i64, i64 }} %b, 0
  %b1 = extractvalue {{ i64, i64 }} %b, 1
  %before = icmp ule i64 %a1, %b0
  %after = icmp ule i64 %b1, %a0
  %apart = or i1 %before, %after
  %no_a = icmp eq i64 %a0, %a1
  %no_b = icmp eq i64 %b0, %b1
  %nothing = or i1 %no_a, %no_b
  %fine = or i1 %apart, %nothing
  ret i1 %fine
}}
"""


def are_apart(f: FunctionText, x: tuple[str, int], y: tuple[str, int]) -> str:
    """A test that two arrays, given with the bytes of an entry, share no memory."""
    f.helpers[NAME] = FUNCTION
    given = ", ".join(f"ptr {pointer}, i64 {size}" for pointer, size in (x, y))
    return f.emit(f"call i1 @{NAME}({given})")

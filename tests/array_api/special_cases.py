"""The special cases of the standard, in its own words made short.

A row says what the operands are and what comes of them. `fin` is any finite number, `>0` a finite
one that is positive, `0` either zero; `x` and `y` are the operands themselves. In results a `?`
leaves the sign open.
"""

REAL_ONE = """
abs          nan: nan | -0: +0 | -inf: +inf | +inf: +inf
acos         nan: nan | >1: nan | <-1: nan | 1: +0
acosh        nan: nan | <1: nan | 1: +0 | +inf: +inf
asin         nan: nan | >1: nan | <-1: nan | +0: +0 | -0: -0
asinh        nan: nan | +0: +0 | -0: -0 | +inf: +inf | -inf: -inf
atan         nan: nan | +0: +0 | -0: -0 | +inf: pi/2 | -inf: -pi/2
atanh        nan: nan | <-1: nan | >1: nan | -1: -inf | 1: +inf | +0: +0 | -0: -0
ceil         nan: nan | +inf: +inf | -inf: -inf | +0: +0 | -0: -0 | int: x | -0.5: -0
cos          nan: nan | +0: 1 | -0: 1 | +inf: nan | -inf: nan
cosh         nan: nan | +0: 1 | -0: 1 | +inf: +inf | -inf: +inf
exp          nan: nan | +0: 1 | -0: 1 | +inf: +inf | -inf: +0
expm1        nan: nan | +0: +0 | -0: -0 | +inf: +inf | -inf: -1
floor        nan: nan | +inf: +inf | -inf: -inf | +0: +0 | -0: -0 | int: x
isfinite     nan: False | +inf: False | -inf: False | fin: True
isinf        nan: False | +inf: True | -inf: True | fin: False
isnan        nan: True | +inf: False | -inf: False | fin: False
log          nan: nan | <0: nan | -inf: nan | +0: -inf | -0: -inf | 1: +0 | +inf: +inf
log1p        nan: nan | <-1: nan | -1: -inf | +0: +0 | -0: -0 | +inf: +inf
log2         nan: nan | <0: nan | -inf: nan | +0: -inf | -0: -inf | 1: +0 | +inf: +inf
log10        nan: nan | <0: nan | -inf: nan | +0: -inf | -0: -inf | 1: +0 | +inf: +inf
reciprocal   nan: nan | +0: +inf | -0: -inf | +inf: +0 | -inf: -0
round        nan: nan | +inf: +inf | -inf: -inf | +0: +0 | -0: -0 | int: x | 0.5: +0 | -2.5: -2
sign         nan: nan | <0: -1 | >0: 1 | 0: ?0 | +inf: 1 | -inf: -1
signbit      +0: False | -0: True | +inf: False | -inf: True | >0: False | <0: True
sin          nan: nan | +0: +0 | -0: -0 | +inf: nan | -inf: nan
sinh         nan: nan | +0: +0 | -0: -0 | +inf: +inf | -inf: -inf
sqrt         nan: nan | <0: nan | -inf: nan | +0: +0 | -0: -0 | +inf: +inf
tan          nan: nan | +0: +0 | -0: -0 | +inf: nan | -inf: nan
tanh         nan: nan | +0: +0 | -0: -0 | +inf: 1 | -inf: -1
trunc        nan: nan | +inf: +inf | -inf: -inf | +0: +0 | -0: -0 | int: x | 0.5: +0 | -0.5: -0
"""

REAL_TWO = """
add
  nan any: nan | any nan: nan | +inf -inf: nan | -inf +inf: nan | +inf +inf: +inf
  -inf -inf: -inf | +inf fin: +inf | -inf fin: -inf | fin +inf: +inf | fin -inf: -inf
  -0 -0: -0 | -0 +0: +0 | +0 -0: +0 | +0 +0: +0 | 0 nonzero: y | nonzero 0: x | nonzero -x: +0
subtract
  nan any: nan | any nan: nan | +inf +inf: nan | -inf -inf: nan | +inf -inf: +inf
  +inf fin: +inf | -inf fin: -inf | fin +inf: -inf | fin -inf: +inf | -0 +0: -0 | -0 -0: +0
atan2
  nan any: nan | any nan: nan | >0 0: pi/2 | <0 0: -pi/2 | +0 >0: +0 | +0 +0: +0 | +0 -0: pi
  +0 <0: pi | -0 >0: -0 | -0 +0: -0 | -0 -0: -pi | -0 <0: -pi | >0 +inf: +0 | >0 -inf: pi
  <0 +inf: -0 | <0 -inf: -pi | +inf fin: pi/2 | -inf fin: -pi/2 | +inf +inf: pi/4
  +inf -inf: 3pi/4 | -inf +inf: -pi/4 | -inf -inf: -3pi/4
copysign
  >0 >0: x | >0 <0: -x | <0 >0: -x | <0 <0: x | +inf -0: -inf | -inf +0: +inf | +0 <0: -0
  -0 >0: +0 | nan any: nan | >0 -0: -x | <0 +0: -x
divide
  nan any: nan | any nan: nan | inf inf: nan | 0 0: nan | +0 >0: +0 | -0 >0: -0 | +0 <0: -0
  -0 <0: +0 | >0 +0: +inf | >0 -0: -inf | <0 +0: -inf | <0 -0: +inf | +inf >0: +inf
  +inf <0: -inf | -inf >0: -inf | -inf <0: +inf | >0 +inf: +0 | >0 -inf: -0 | <0 +inf: -0
  <0 -inf: +0
floor_divide
  nan any: nan | any nan: nan | inf inf: nan | 0 0: nan | +0 >0: +0 | -0 >0: -0 | +0 <0: -0
  -0 <0: +0 | >0 +0: +inf | >0 -0: -inf | <0 +0: -inf | <0 -0: +inf | +inf >0: +inf
  +inf <0: -inf | -inf >0: -inf | -inf <0: +inf | >0 +inf: +0 | >0 -inf: -0 | <0 +inf: -0
  <0 -inf: +0
hypot
  +inf any: +inf | -inf any: +inf | any inf: +inf | fin nan: nan | nan fin: nan | 0 fin: |y|
  fin 0: |x| | nan nan: nan
logaddexp
  nan any: nan | any nan: nan | +inf nonan: +inf | nonan +inf: +inf
maximum
  nan any: nan | any nan: nan | +inf nonan: +inf | -inf nonan: y | nonan +inf: +inf
minimum
  nan any: nan | any nan: nan | -inf nonan: -inf | +inf nonan: y | nonan -inf: -inf
multiply
  nan any: nan | any nan: nan | inf 0: nan | 0 inf: nan | +inf >0: +inf | +inf <0: -inf
  -inf >0: -inf | -inf <0: +inf | +inf +inf: +inf | -inf -inf: +inf | +inf -inf: -inf
  +0 >0: +0 | +0 <0: -0 | -0 >0: -0 | -0 <0: +0
nextafter
  nan any: nan | any nan: nan | nonan x: y | +0 -0: -0 | -0 +0: +0
pow
  nonan 0: 1 | nan 0: 1 | nan nonzero: nan | nonone nan: nan | 1 nonan: 1 | 1 nan: 1
  abs>1 +inf: +inf | abs>1 -inf: +0 | -1 inf: 1 | abs<1 +inf: +0 | abs<1 -inf: +inf
  +inf >0: +inf | +inf <0: +0 | -inf odd>0: -inf | -inf noodd>0: +inf | -inf odd<0: -0
  -inf noodd<0: +0 | +0 >0: +0 | +0 <0: +inf | -0 odd>0: -0 | -0 noodd>0: +0 | -0 odd<0: -inf
  -0 noodd<0: +inf | <0 noint: nan | 0 +inf: +0 | 0 -inf: +inf
remainder
  nan any: nan | any nan: nan | inf nonan: nan | fin 0: nan | +0 >0: +0 | -0 >0: +0 | +0 <0: -0
  -0 <0: -0 | >0 +inf: x | >0 -inf: -inf | <0 +inf: +inf | <0 -inf: x
"""

COMPLEX = """
acosh
  +0 +0: +0 pi/2 | -0 +0: +0 pi/2 | fin +inf: +inf pi/2 | +0 nan: nan ?pi/2 | nonzero nan: nan nan
  -inf >0: +inf pi | +inf >0: +inf +0 | -inf +inf: +inf 3pi/4 | +inf +inf: +inf pi/4
  +inf nan: +inf nan | -inf nan: +inf nan | nan fin: nan nan | nan +inf: +inf nan
  nan nan: nan nan
acos
  +0 +0: pi/2 -0 | -0 +0: pi/2 -0 | +0 nan: pi/2 nan | -0 nan: pi/2 nan | fin +inf: pi/2 -inf
  nonzero nan: nan nan | -inf >0: pi -inf | +inf >0: +0 -inf | -inf +inf: 3pi/4 -inf
  +inf +inf: pi/4 -inf | +inf nan: nan ?inf | -inf nan: nan ?inf | nan fin: nan nan
  nan +inf: nan -inf | nan nan: nan nan
asinh
  +0 +0: +0 +0 | >0 +inf: +inf pi/2 | fin nan: nan nan | +inf >0: +inf +0 | +inf +inf: +inf pi/4
  nan +0: nan +0 | nan nonzero: nan nan | nan +inf: ?inf nan | nan nan: nan nan | +inf nan: +inf nan
atanh
  +0 +0: +0 +0 | +0 nan: +0 nan | 1 +0: +inf +0 | >0 +inf: +0 pi/2 | nonzero nan: nan nan
  +inf >0: +0 pi/2 | +inf +inf: +0 pi/2 | +inf nan: +0 nan | nan fin: nan nan | nan +inf: ?0 pi/2
  nan nan: nan nan
cosh
  +0 +0: 1 +0 | +0 +inf: nan ?0 | +0 nan: nan ?0 | nonzero +inf: nan nan | nonzero nan: nan nan
  +inf +0: +inf +0 | +inf +inf: +inf nan | +inf nan: +inf nan | nan +0: nan ?0
  nan nonzero: nan nan | nan nan: nan nan
exp
  0 +0: 1 +0 | fin +inf: nan nan | fin nan: nan nan | +inf +0: +inf +0 | -inf +inf: ?0 ?0
  +inf +inf: ?inf nan | -inf nan: ?0 ?0 | +inf nan: ?inf nan | nan +0: nan +0 | nan nonzero: nan nan
  nan nan: nan nan
expm1
  +0 +0: +0 +0 | -0 +0: -0 +0 | fin +inf: nan nan | fin nan: nan nan | +inf +0: +inf +0
  -inf +inf: -1 ?0 | +inf +inf: ?inf nan | -inf nan: -1 ?0 | +inf nan: ?inf nan | nan +0: nan +0
  nan nonzero: nan nan | nan nan: nan nan
log
  -0 +0: -inf pi | +0 +0: -inf +0 | fin +inf: +inf pi/2 | fin nan: nan nan | -inf >0: +inf pi
  +inf >0: +inf +0 | -inf +inf: +inf 3pi/4 | +inf +inf: +inf pi/4 | +inf nan: +inf nan
  -inf nan: +inf nan | nan fin: nan nan | nan +inf: +inf nan | nan nan: nan nan
log1p
  -1 +0: -inf +0 | fin +inf: +inf pi/2 | fin nan: nan nan | -inf >0: +inf pi | +inf >0: +inf +0
  -inf +inf: +inf 3pi/4 | +inf +inf: +inf pi/4 | +inf nan: +inf nan | -inf nan: +inf nan
  nan fin: nan nan | nan +inf: +inf nan | nan nan: nan nan
sign
  nan any: nan nan | any nan: nan nan | +0 +0: ?0 ?0
sinh
  +0 +0: +0 +0 | +0 +inf: ?0 nan | +0 nan: ?0 nan | >0 +inf: nan nan | >0 nan: nan nan
  +inf +0: +inf +0 | +inf +inf: ?inf nan | +inf nan: ?inf nan | nan +0: nan +0
  nan nonzero: nan nan | nan nan: nan nan
sqrt
  +0 +0: +0 +0 | -0 +0: +0 +0 | any +inf: +inf +inf | nan +inf: +inf +inf | fin nan: nan nan
  -inf >0: +0 +inf | +inf >0: +inf +0 | -inf nan: nan ?inf | +inf nan: +inf nan | nan fin: nan nan
  nan nan: nan nan
tanh
  +0 +0: +0 +0 | nonzero +inf: nan nan | nonzero nan: nan nan | +inf >0: 1 ?0 | +inf +inf: 1 ?0
  +inf nan: 1 ?0 | nan +0: nan +0 | nan nonzero: nan nan | nan nan: nan nan | +0 +inf: +0 nan
  +0 nan: +0 nan
"""

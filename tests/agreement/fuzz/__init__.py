"""Random PyTorch programs, run step by step in torch and in dynamicgrad, and compared.

A program is a list of statements in Python in which `lib` is the library. `templates` has the
statements with holes, `holes` fills them by what torch holds so far, `running` runs a program in
both libraries and finds the first disagreement, `shrinking` makes a failing program short, and
`departures` lists the disagreements that are meant.
"""

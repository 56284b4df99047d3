"""Graphs as object files that C programs link: what they compute, and what is refused."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, OptionError
from gradops.native.objects import elf

pytest.importorskip("llvmlite")

COMPILER = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler is found")
PROGRAM = """
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "model.h"
{more}
/* Memory that ends where none may be read or written. */
static void *array(size_t bytes) {{
    size_t page = 65536, whole = (bytes + page - 1) / page * page;
    char *begin = mmap(0, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED || mprotect(begin + whole, page, PROT_NONE)) exit(3);
    return begin + whole - bytes;
}}

int main(void) {{
    FILE *from = fopen("inputs", "rb"), *to = fopen("outputs", "wb");
    void *workspace = array(MODEL_WORKSPACE_BYTES);
    if (!from || !to || model_workspace_bytes != MODEL_WORKSPACE_BYTES) return 4;
{reads}
    int status = model({arguments}, workspace);
    if (status != STATICGRAD_OK) return 10 + status;
{writes}
    return fclose(to);
}}
""".replace("MODEL_WORKSPACE", "model_WORKSPACE")


def declared(header):
    """The types and names of the arguments, but for the workspace."""
    given = re.search(r"^int model\((.*?)\);", header, re.DOTALL | re.MULTILINE)[1]
    return re.findall(r"(const )?(\w+) \*(\w+)", given)[:-1]


def program_for(header, more=""):
    """A C program that reads arguments from a file and writes results to one."""
    reads, writes, names = [], [], []
    for const, kind, name in declared(header):
        size = f"model_{name}_SIZE"
        reads.append(f"    {kind} *{name} = array(sizeof({kind}) * {size});")
        if const:
            reads.append(
                f"    if (fread({name}, sizeof({kind}), {size}, from) != {size}) return 5;"
            )
        else:
            writes.append(f"    fwrite({name}, sizeof({kind}), {size}, to);")
        names.append(name)
    return PROGRAM.format(
        more=more, reads="\n".join(reads), writes="\n".join(writes), arguments=", ".join(names)
    )


def run_in_c(executable, feeds, folder, more="", **options):
    """The results of the object file of an executable, from a C program."""
    executable.save_object(folder / "model.o", **options)
    (folder / "main.c").write_text(program_for((folder / "model.h").read_text(), more))
    (folder / "inputs").write_bytes(b"".join(np.ascontiguousarray(x).tobytes() for x in feeds))
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    command = [COMPILER, *flags, "main.c", "model.o", "-o", "program", "-lm"]
    subprocess.run(command, check=True, cwd=folder)
    status = subprocess.run(["./program"], cwd=folder, check=False, env={}).returncode
    if status:
        return status
    data, result = (folder / "outputs").read_bytes(), []
    for t in [e.type for e in executable.graph.results]:
        count = int(np.prod(t.shape))
        result.append(np.frombuffer(data, t.dtype, count).reshape(t.shape))
        data = data[count * t.dtype.itemsize :]
    assert not data
    return result


def check(outputs, inputs, folder, **options):
    """Compare a C program's results with an executable's."""
    rng = np.random.default_rng(0)
    executable = sg.compile(outputs, inputs, backend="native")
    feeds = [
        rng.integers(0, 3, e.shape).astype(e.dtype) if e.dtype.kind in "iub"
        else rng.normal(size=e.shape).astype(e.dtype) for e in inputs
    ]  # fmt: skip
    expected = executable(*feeds)
    found = run_in_c(executable, feeds, folder, **options)
    for y, z in zip(found, expected, strict=True):
        tolerance = 1e-5 if y.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(y, z, tolerance, tolerance)
    return executable


def training_step(batch=16, hidden=24):
    """Several steps of gradient descent of a small net, in a loop."""
    x = sg.placeholder("float32", [batch, 8], name="x")
    labels = sg.placeholder("int64", [batch], name="labels")
    shapes = [(8, hidden), (hidden,), (hidden, hidden), (hidden,), (hidden, 3), (3,)]
    weights = [sg.placeholder("float32", s, name=f"weights/{i}") for i, s in enumerate(shapes)]

    def loss_of(w):
        h = sg.tanh(sg.tanh(x @ w[0] + w[1]) @ w[2] + w[3])
        z = h @ w[4] + w[5]
        return sg.reduce_mean(
            sg.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=z)
        )

    def step(i, w):
        return [v - 0.1 * g for v, g in zip(w, sg.gradients(loss_of(w), w), strict=True)]

    trained = sg.fori(0, 5, step, weights)
    return [loss_of(trained), *trained], [x, labels, *weights]


@needs_compiler
def test_a_training_loop_runs_in_c(tmp_path):
    executable = check(*training_step(), tmp_path)
    header = (tmp_path / "model.h").read_text()
    names = [name for _, _, name in declared(header)]
    assert names == [
        "x",
        "labels",
        *[f"weights_{i}" for i in range(6)],
        *[f"out{i}" for i in range(7)],
    ]
    assert "labels: int64[16]" in header
    assert "test_c_objects.py" in header
    assert executable.graph


@needs_compiler
@pytest.mark.parametrize("blas", [None, "lp64", "ilp64"])
def test_products_are_in_the_object_or_calls_of_a_blas(tmp_path, blas):
    a = sg.placeholder("float64", [90, 100], name="a")
    b = sg.placeholder("float64", [100, 110], name="b")
    kind, name = ("int", "dgemm_") if blas == "lp64" else ("int64_t", "dgemm_64_")
    more = f"""
void {name}(char *ta, char *tb, {kind} *m, {kind} *n, {kind} *k, double *alpha, double *a,
            {kind} *lda, double *b, {kind} *ldb, double *beta, double *c, {kind} *ldc) {{
    for ({kind} i = 0; i < *m; i++)
        for ({kind} j = 0; j < *n; j++) {{
            double sum = 0;
            for ({kind} l = 0; l < *k; l++)
                sum += (*ta == 'N' ? a[i + l * *lda] : a[l + i * *lda])
                     * (*tb == 'N' ? b[l + j * *ldb] : b[j + l * *ldb]);
            c[i + j * *ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * *ldc]);
        }}
}}
"""
    check([a @ b, sg.transpose(b) @ sg.transpose(a)], [a, b], tmp_path, blas=blas,
          more=more if blas else "")  # fmt: skip
    header = (tmp_path / "model.h").read_text()
    assert (f"integers of {32 if blas == 'lp64' else 64} bits, for {name}" in header) == bool(blas)


@needs_compiler
def test_constants_functions_and_all_dtypes_are_in_the_object(tmp_path):
    rng = np.random.default_rng(0)
    x = sg.placeholder("float64", [40], name="x")
    i = sg.placeholder("int32", [40], name="int")
    big = sg.placeholder("float32", [600, 700], name="1")
    table = sg.constant(rng.normal(size=(3, 1000)))
    outputs = [
        sg.reduce_sum(sg.gather(table, i)), sg.sin(x) + sg.exp(x), x > 0.0, i * 2,
        sg.reduce_sum(sg.exp(big), axis=0), sg.reduce_sum(big), sg.cast(x, "float32"),
    ]  # fmt: skip
    check(outputs, [x, i, big], tmp_path)
    assert [name for *_, name in declared((tmp_path / "model.h").read_text())][:3] == [
        "x", "int_1", "in_1",
    ]  # fmt: skip


@needs_compiler
def test_a_convolutional_net_runs_in_c(tmp_path):
    x = sg.placeholder("float32", [4, 12, 12, 3], name="x")
    w = sg.placeholder("float32", [3, 3, 3, 8], name="w")
    h = sg.nn.relu(sg.nn.conv2d(x, w, strides=1, padding="SAME"))
    loss = sg.reduce_sum(sg.square(sg.nn.max_pool(h, 2, 2, "VALID")))
    executable = check([loss, *sg.gradients(loss, [w, x])], [x, w], tmp_path)
    assert "@own_convolve" in executable.ir
    assert "@pool_greatest" in executable.ir


@needs_compiler
def test_status_says_when_the_code_gives_up(tmp_path):
    a = sg.placeholder("float64", [3, 3], name="a")
    executable = sg.compile([sg.linalg.cholesky(a)], [a], backend="native")
    (found,) = run_in_c(executable, [np.eye(3) * 4], tmp_path)
    np.testing.assert_array_equal(found, np.eye(3) * 2)
    assert run_in_c(executable, [-np.eye(3)], tmp_path) == 11


@needs_compiler
def test_a_check_that_fails_gives_up(tmp_path):
    x = sg.placeholder("float64", [3], name="x")
    executable = sg.compile([sg.check_numerics(x * 2, "bad")], [x], backend="native")
    (found,) = run_in_c(executable, [np.arange(3.0)], tmp_path)
    np.testing.assert_array_equal(found, [0, 2, 4])
    assert run_in_c(executable, [np.array([1.0, np.nan, 0.0])], tmp_path) == 11


@needs_compiler
def test_pointers_that_are_null_are_refused(tmp_path):
    x = sg.placeholder("float64", [3000], name="x")
    sg.compile([sg.exp(x)], [x], backend="native").save_object(tmp_path / "model.o")
    (tmp_path / "main.c").write_text(
        '#include "model.h"\n'
        "int main(void) { double y[3000]; return model(0, y, 0) + 4 * model(y, 0, 0); }"
    )
    subprocess.run([COMPILER, "main.c", "model.o", "-o", "main"], check=True, cwd=tmp_path)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 2 + 4 * 2


@pytest.mark.skipif(sys.platform != "linux", reason="objects have another format")
def test_nothing_of_python_is_in_the_object(tmp_path):
    executable = sg.compile(*training_step(512, 256), backend="native")
    executable.save_object(tmp_path / "step.o", "train")
    data = (tmp_path / "step.o").read_bytes()
    object = elf.read(data)
    sections = object.symbols["section"].tolist()
    outside = {n for n, s in zip(object.names, sections) if s == elf.UNDEFINED and n}
    assert outside <= {"memset", "memcpy", "memmove"}
    is_global = (object.symbols["info"] >> 4) != 0
    seen = {n for n, s, g in zip(object.names, sections, is_global) if s and g}
    assert seen == {"train", "train_workspace_bytes"}
    assert "int train(" in (tmp_path / "step.h").read_text()


def test_an_object_for_another_processor(tmp_path):
    x = sg.placeholder("float32", [1000], name="x")
    executable = sg.compile([sg.exp(x)], [x], backend="native")
    executable.save_object(tmp_path / "old.o", cpu="x86-64")
    executable.save_object(tmp_path / "new.o")
    assert "for x86-64." in (tmp_path / "old.h").read_text()
    assert (tmp_path / "old.o").read_bytes() != (tmp_path / "new.o").read_bytes()


def test_ops_without_machine_code_are_refused_with_their_line(tmp_path):
    x = sg.placeholder("float64", [30], name="x")
    executable = sg.compile([sg.sort(sg.exp(x), name="sorted")], [x], backend="native")
    with pytest.raises(OptionError, match=r"sort has no machine code.*sorted.*test_c_objects") as e:
        executable.save_object(tmp_path / "model.o")
    assert "hint" in str(e.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("options", "says"), [
    ({"name": "no name"}, "name of a function"), ({"name": "while"}, "name of a function"),
    ({"blas": "mkl"}, "lp64"), ({"cpu": "z80"}, "z80"),
])  # fmt: skip
def test_options_that_there_are_not(tmp_path, options, says):
    x = sg.placeholder("float64", [3], name="x")
    executable = sg.compile([sg.exp(x)], [x], backend="native")
    with pytest.raises(OptionError, match=says):
        executable.save_object(tmp_path / "model.o", **options)
    with pytest.raises(OptionError, match="header"):
        executable.save_object(tmp_path / "model.h")


def test_an_executable_of_numpys_code_says_what_has_an_object(tmp_path):
    x = sg.placeholder("float64", [3], name="x")
    with pytest.raises(OptionError, match="backend='native'"):
        sg.compile(sg.exp(x), [x]).save_object(tmp_path / "model.o")


def test_graphs_of_unknown_sizes_have_objects_for_those_run_last(tmp_path):
    x = sg.placeholder("float64", ["n"], name="x")
    executable = sg.compile([sg.exp(x)], [x], backend="native")
    with pytest.raises(FeedError, match="sizes"):
        executable.save_object(tmp_path / "model.o")
    executable(np.zeros(7))
    executable.save_object(tmp_path / "model.o")
    assert "x: float64[7]" in (tmp_path / "model.h").read_text()


PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "ship-machine-code.md"


def blocks(language):
    """The blocks of the page that are in a language."""
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@needs_compiler
def test_the_program_of_the_page_prints_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = {}
    for block in blocks("python"):
        if not block.startswith(">>>"):
            exec(block, scope)
    (program,), (command,), (output,) = blocks("c"), blocks("sh"), blocks("text")
    (tmp_path / "main.c").write_text(program)
    found = subprocess.run(command, shell=True, check=True, capture_output=True, text=True)
    assert found.stdout == output

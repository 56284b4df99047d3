// The search of gradops/inspection/search.py, which describes the terms of a query.

const WORD = /(?:[^ \t\n"]|"[^"]*(?:"|$))+/g;
const TERM = /^(op|name|dtype|role|output|shape|scope|line):([^]*)$/;
const COMPARISON = /^(time|bytes|operands|readers)(>=|<=|>|<|=)([0-9.e+-]*)([^]*)$/;
const UNITS = {
  time: { "%": 0.01, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 },
  bytes: { "": 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
  operands: { "": 1 },
  readers: { "": 1 },
};
const COMPARE = {
  ">": (x, y) => x > y, ">=": (x, y) => x >= y, "<": (x, y) => x < y, "<=": (x, y) => x <= y,
  "=": (x, y) => x === y,
};

/** The numbers of the nodes of a stage that a query finds, in order; throws for a bad query. */
function search(stage, query) {
  const tests = (query.toLowerCase().match(WORD) ?? []).map((w) => testOf(stage, w.replaceAll('"', "")));
  const found = [];
  for (let k = 0; k < stage.live; k++) {
    const i = stage.order[k];
    if (tests.every((test) => test(i))) found.push(i);
  }
  return found;
}

function testOf(stage, term) {
  const p = stage.picture;
  if (term.length > 1 && term.startsWith("-")) {
    const inner = testOf(stage, term.slice(1));
    return (i) => !inner(i);
  }
  const compared = COMPARISON.exec(term);
  if (compared) return comparison(stage, term, ...compared.slice(1));
  const found = TERM.exec(term);
  if (found) return FIELDS[found[1]](found[2], p);
  const names = lowered(p), ops = p.ops.map((op) => op.toLowerCase().includes(term));
  return (i) => names[i].includes(term) || ops[p.op[i]];
}

function comparison(stage, term, key, sign, number, unit) {
  const p = stage.picture, limit = (number ? Number(number) : NaN) * UNITS[key][unit], compare = COMPARE[sign];
  if (Number.isNaN(limit)) {
    const units = Object.keys(UNITS[key]).filter(Boolean).join(", ") || "none";
    throw new Error(`${term} has no number with a unit after ${sign}; units of ${key} are ${units}`);
  }
  const quantity = {
    time: (i) => p.times[i]?.[unit === "%" ? 1 : 0],
    bytes: (i) => (p.bytes[i] < 0 ? undefined : p.bytes[i]),
    operands: (i) => stage.operandsOf(i).length,
    readers: (i) => stage.readerCounts[i],
  }[key];
  return (i) => { const q = quantity(i); return q !== undefined && compare(q, limit); };
}

/** True if the whole text fits a pattern in which * is any text. */
function fits(pattern, text) {
  const parts = pattern.split("*");
  if (parts.length === 1) return text === pattern;
  const first = parts[0], last = parts.at(-1);
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    at = text.indexOf(part, at);
    if (at < 0) return false;
    at += part.length;
  }
  return at <= text.length - last.length;
}

function fitsShape(pattern, shape) {
  const i = pattern.indexOf("...");
  if (i >= 0) {
    const first = pattern.slice(0, i), last = pattern.slice(i + 1);
    const more = shape.length - first.length - last.length;
    if (more < 0) return false;
    pattern = [...first, ...new Array(more).fill("*"), ...last];
  }
  return pattern.length === shape.length && pattern.every((part, k) => fits(part, shape[k]));
}

/** A test of nodes by a column of numbers of table entries: each entry is tested once. */
function byTable(column, table, test) {
  const passed = table.map(test);
  return (i) => column[i] >= 0 && passed[column[i]];
}

/** The names of all nodes in small letters. */
function lowered(p) {
  p.lower ??= p.names.map((name) => name.toLowerCase());
  return p.lower;
}

function scopeOf(p, folder) {
  const titles = [];
  for (let f = folder; f >= 0 && p.folders[f][2] < 0; f = p.folders[f][1]) titles.unshift(p.folders[f][0]);
  return titles.join("/");
}

const FIELDS = {
  op: (value, p) => byTable(p.op, p.ops, (op) => fits(value, op.toLowerCase())),
  dtype: (value, p) => byTable(p.dtype, p.dtypes, (t) => fits(value, t.toLowerCase())),
  role: (value, p) => byTable(p.role, p.roles, (role) => fits(value, role)),
  output: (value, p) => (i) => (p.outputs[i] ?? []).some((label) => label.toLowerCase().includes(value)),
  name: (value, p) => {
    const names = lowered(p);
    return value.includes("*") ? (i) => fits(value, names[i]) : (i) => names[i].includes(value);
  },
  shape: (value, p) => {
    const sizes = value.trim() ? value.split(",").map((part) => part.trim()) : [];
    return byTable(p.shape, p.shapes, (shape) => fitsShape(sizes, shape.map((n) => String(n).toLowerCase())));
  },
  scope: (value, p) => {
    const wanted = value.replaceAll(".", "/").replace(/^\/+|\/+$/g, "");
    const isIn = (f) => {
      const scope = scopeOf(p, f).toLowerCase().replaceAll(".", "/");
      return fits(wanted, scope) || fits(`${wanted}/*`, scope);
    };
    const passed = p.folders.map((_, f) => isIn(f)), atTop = isIn(-1);
    return (i) => (p.folder[i] < 0 ? atTop : passed[p.folder[i]]);
  },
  line: (value, p) => byTable(p.place, p.places, (several) => several.some(([file, line]) => {
    const name = p.files[file].toLowerCase().replace(/^.*\//, ""), short = `${name}:${line}`;
    return fits(value, short) || fits(value, name) || value === String(line);
  })),
};

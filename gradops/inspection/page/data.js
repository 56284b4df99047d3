// The data of the page: inflated, and columns turned into typed arrays.

/** The text that a base 64 text holds, compressed by zlib. */
async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

const NUMBERED = /_\d+$/;
const BACKWARD = 1, UPDATE = 2;

/** A graph or a tape: facts of nodes by number, folders and stages. */
class Picture {
  constructor(data, roles, rules) {
    Object.assign(this, data);
    this.roles = roles;
    this.rules = rules;
    this.count = this.names.length;
    this.leaf = roles.map((r) => r === "input" || r === "parameter" || r === "constant");
    this.titles = new Array(this.count);
    this.opNames = new Set(this.ops);
    this.starts = new Int32Array(this.count + 1);
    for (let i = 0; i < this.count; i++) this.starts[i + 1] = this.starts[i] + this.counts[i];
    this.operands = new Int32Array(this.reads.length);
    for (let i = 0; i < this.count; i++)
      for (let k = this.starts[i]; k < this.starts[i + 1]; k++) this.operands[k] = i - this.reads[k];
    this.shapeTexts = this.shapes.map((shape) => shape.join(", "));
    this.shown = new Map();
  }

  isLeaf(i) { return this.leaf[this.role[i]]; }
  opOf(i) { return this.ops[this.op[i]]; }
  roleOf(i) { return this.roles[this.role[i]]; }
  pathOf(i) { return this.paths[i] ?? this.names[i]; }

  /** What to call a node: the name that the user gave it, else the op. */
  titleOf(i) {
    if (this.titles[i] === undefined) {
      const name = this.names[i], last = name.slice(name.lastIndexOf("/") + 1);
      const plain = last.replace(NUMBERED, ""); // the name of an op, maybe of one that was replaced
      this.titles[i] = this.isLeaf(i) ? name : this.opNames.has(plain) ? this.opOf(i) : last;
    }
    return this.titles[i];
  }

  typeOf(i) {
    const dtype = this.dtypes[this.dtype[i]];
    return /[)\]]$/.test(dtype) ? dtype : `${dtype}[${this.shapeTexts[this.shape[i]]}]`;
  }

  /** The type with a dtype such as f32, for cards. */
  shortTypeOf(i) {
    const found = /^(float|int|uint|complex)(\d+)\[/.exec(this.typeOf(i));
    return found ? this.typeOf(i).replace(found[1], found[1] === "uint" ? "u" : found[1][0]) : this.typeOf(i);
  }

  /** The user's lines of a node, each with file, line, function and text. */
  placesOf(i) {
    return this.place[i] < 0 ? [] : this.places[this.place[i]].map(
      ([file, line, inside, text]) => ({ file: this.files[file], line, inside, text }));
  }

  /** The titles of the folders around a node, the outermost first. */
  foldersOf(folder) {
    const result = [];
    for (let f = folder; f >= 0; f = this.folders[f][1]) result.unshift(f);
    return result;
  }

  stage(k) {
    if (!this.shown.has(k)) this.shown.set(k, new Stage(this, this.stages[k]));
    return this.shown.get(k);
  }
}

/** The sums of differences. */
function summed(differences) {
  const result = new Int32Array(differences.length);
  let sum = 0;
  for (let i = 0; i < result.length; i++) result[i] = sum += differences[i];
  return result;
}

/** One stage of a picture: nodes in order, those removed last, with cells and readers. */
class Stage {
  constructor(picture, data) {
    Object.assign(this, data);
    this.picture = picture;
    const order = data.order ? summed(data.order) : Int32Array.from({ length: picture.count }, (_, i) => i);
    this.order = order;
    this.row = summed(data.row);
    this.at = new Int32Array(picture.count).fill(-1);
    for (let k = 0; k < order.length; k++) this.at[order[k]] = k;
    this.isNew = new Set(data.new);
    this.isFused = new Set(data.fused);
    this.groupOf = new Map(data.groups.flatMap((group) => group.map((i) => [i, group])));
    this.rows = this.row.reduce((a, b) => Math.max(a, b), -1) + 1;
    this.findReaders();
    this.backwardOf = new Map();
    for (const i of order) {
      const cause = picture.cause[i];
      if (cause < 0 || !this.isAlive(i)) continue;
      if (!this.backwardOf.has(cause)) this.backwardOf.set(cause, []);
      this.backwardOf.get(cause).push(i);
    }
  }

  findReaders() {
    const p = this.picture, count = new Int32Array(p.count + 1);
    this.each((i, x) => count[x + 1]++);
    for (let i = 0; i < p.count; i++) count[i + 1] += count[i];
    const fill = count.slice();
    this.readerStarts = count;
    this.readers = new Int32Array(count[p.count]);
    this.each((i, x) => { this.readers[fill[x]++] = i; });
  }

  /** Call f(reader, operand) for each operand of each node that is alive. */
  each(f) {
    const p = this.picture, changed = this.reads;
    for (let k = 0; k < this.live; k++) {
      const i = this.order[k], own = changed[i];
      if (own) for (const x of own) f(i, x);
      else for (let j = p.starts[i]; j < p.starts[i + 1]; j++) f(i, p.operands[j]);
    }
  }

  operandsOf(i) {
    const p = this.picture;
    return this.reads[i] ?? Array.from(p.operands.subarray(p.starts[i], p.starts[i + 1]));
  }

  readersOf(i) {
    const all = this.readers.subarray(this.readerStarts[i], this.readerStarts[i + 1]);
    return [...new Set(all)];
  }

  /** The number of readers of each node, each counted once; its places in the list are adjacent. */
  get readerCounts() {
    if (!this.counted) {
      this.counted = new Int32Array(this.picture.count);
      for (let i = 0; i < this.picture.count; i++)
        for (let k = this.readerStarts[i]; k < this.readerStarts[i + 1]; k++)
          if (k === this.readerStarts[i] || this.readers[k] !== this.readers[k - 1]) this.counted[i]++;
    }
    return this.counted;
  }

  isAlive(i) { return this.at[i] >= 0 && this.at[i] < this.live; }
  isRemoved(i) { return this.at[i] >= this.live; }

  /** The nodes on the other side: of a forward node its gradient, of a backward node its cause. */
  partnersOf(i) {
    const cause = this.picture.cause[i];
    const others = (this.backwardOf.get(i) ?? []).filter((x) => this.at[x] >= 0);
    return cause >= 0 && this.at[cause] >= 0 ? [cause, ...others] : others;
  }

  /** The nodes on a shortest way from a forward node to the loss, or from the loss to a backward one. */
  pathToLoss(i) {
    const loss = this.picture.loss;
    if (loss < 0 || !this.isAlive(loss) || !this.isAlive(i)) return [];
    const isAfter = this.band[this.at[i]] !== 0;
    const next = isAfter ? (x) => this.operandsOf(x).filter((y) => this.band[this.at[y]] === BACKWARD)
      : (x) => this.readersOf(x).filter((y) => this.band[this.at[y]] === 0);
    const isEnd = isAfter ? (x) => this.picture.cause[x] === loss : (x) => x === loss;
    const from = new Map([[i, -1]]);
    const queue = [i];
    for (let head = 0; head < queue.length; head++) {
      const x = queue[head];
      if (isEnd(x)) {
        const path = [];
        for (let y = x; y >= 0; y = from.get(y)) path.push(y);
        return path;
      }
      for (const y of next(x)) if (!from.has(y)) { from.set(y, x); queue.push(y); }
    }
    return [];
  }
}

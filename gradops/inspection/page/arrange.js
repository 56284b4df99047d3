// Where everything is: from the cells of a stage and the open folders to boxes, rows and edges.

const LANE = 168, CARD = { width: 148, height: 42 }, LINE = 66, ROW_GAP = 10, MIDDLE = 56;
const HUB = 64; // edges from which those of a card are drawn only when it is selected
const FIRST_VIEW = 260; // items up to which folders are open at first

/** The boxes of a stage for a set of open folders. Items are nodes, or folders that are closed. */
class Arrangement {
  constructor(stage, open, showsRemoved) {
    this.stage = stage;
    this.count = showsRemoved ? stage.order.length : stage.live;
    this.picture = stage.picture;
    this.open = open;
    this.items = []; // {node, folder, band, row, line, lane, x, y, members}
    this.closedBy = closedFolders(this.picture.folders, open);
    this.ownsFolders = new Map();
    this.picture.folders.forEach(([, , owner], f) => {
      if (owner >= 0) this.ownsFolders.set(owner, [...(this.ownsFolders.get(owner) ?? []), f]);
    });
    this.collect();
    this.placeLanes();
    this.placeRows();
    this.connect();
    this.bracket();
  }

  /** Make the items, and find for each node the item that shows it. */
  collect() {
    const { stage, picture } = this, { order } = stage;
    this.itemOf = new Int32Array(picture.count).fill(-1);
    const boxes = new Map(), inside = [];
    for (let k = 0; k < this.count; k++) {
      const i = order[k], closed = picture.folder[i] < 0 ? -1 : this.closedBy[picture.folder[i]];
      if (closed < 0) {
        this.itemOf[i] = this.items.length;
        this.items.push({ node: i, folder: -1, ...cellOf(stage, k), members: 1, isLeaf: picture.isLeaf(i) });
      } else if (picture.folders[closed][2] >= 0) {
        inside.push([i, picture.folders[closed][2]]);
      } else {
        const key = closed * 3 + stage.band[k];
        let box = boxes.get(key);
        if (box === undefined) {
          box = this.items.length;
          boxes.set(key, box);
          this.items.push({ node: -1, folder: closed, ...cellOf(stage, k), members: 0, first: i });
        }
        this.itemOf[i] = box;
        this.items[box].members++;
        nearer(this.items[box], stage, k);
      }
    }
    for (const [i, owner] of inside) this.itemOf[i] = this.itemOf[owner];
    for (const [key, box] of boxes) { // the box of a gradient is beside that of its forward
      const forward = boxes.get(key - (key % 3));
      if (key % 3 && forward !== undefined) this.items[box].row = this.items[forward].row;
    }
  }

  /** Lanes without gaps: of forward items in all rows alike, of others row by row. */
  placeLanes() {
    const used = new Set(), rows = new Map();
    for (const item of this.items) {
      if (item.band === 0) used.add(item.lane);
      const key = item.row * 3 + item.band;
      if (!rows.has(key)) rows.set(key, []);
      rows.get(key).push(item);
    }
    const lanes = new Map([...used].sort((a, b) => a - b).map((lane, i) => [lane, i]));
    this.widths = [0, 0, 0];
    for (const [key, items] of rows) {
      items.sort((a, b) => a.line - b.line || a.lane - b.lane);
      let line = -1, before = -1, lane = 0;
      for (const item of items) {
        if (item.line !== before) { before = item.line; line++; lane = 0; }
        item.line = line;
        item.lane = key % 3 === 0 ? lanes.get(item.lane) : lane++;
        this.widths[item.band] = Math.max(this.widths[item.band], item.lane + 1);
      }
    }
  }

  placeRows() {
    const { rows } = this.stage, lines = new Int32Array(rows);
    for (const item of this.items) lines[item.row] = Math.max(lines[item.row], item.line + 1);
    this.rowY = new Float64Array(rows + 1);
    for (let r = 0; r < rows; r++) this.rowY[r + 1] = this.rowY[r] + (lines[r] ? lines[r] * LINE + ROW_GAP : 0);
    const updates = MIDDLE / 2 + this.widths[BACKWARD] * LANE + MIDDLE * 0.6;
    this.left = -this.widths[0] * LANE - MIDDLE / 2;
    this.axes = [0, updates - MIDDLE * 0.3];
    this.right = this.widths[UPDATE] ? updates + this.widths[UPDATE] * LANE : updates;
    this.height = this.rowY[rows];
    for (const item of this.items) {
      const inner = (LANE - CARD.width) / 2;
      item.x = inner + (item.band === 0 ? -MIDDLE / 2 - (item.lane + 1) * LANE
        : (item.band === BACKWARD ? MIDDLE / 2 : updates) + item.lane * LANE);
      item.y = this.rowY[item.row] + item.line * LINE + (LINE - CARD.height) / 2;
    }
    this.byY = this.items.map((_, k) => k).sort((a, b) => this.items[a].y - this.items[b].y);
    this.ys = Float64Array.from(this.byY, (k) => this.items[k].y);
  }

  /** The edges between items, each once: pairs of numbers. */
  connect() {
    const seen = new Set(), n = this.items.length;
    this.edges = [];
    this.stage.each((reader, operand) => {
      const a = this.itemOf[operand], b = this.itemOf[reader];
      if (a < 0 || b < 0 || a === b) return;
      const key = a * n + b;
      if (seen.has(key)) return;
      seen.add(key);
      this.edges.push(a, b);
    });
    const degree = new Int32Array(n);
    for (const k of this.edges) degree[k]++;
    this.items.forEach((item, k) => { item.isHub = degree[k] > HUB; });
    this.long = [];
    this.near = Array.from({ length: n }, () => []);
    for (let e = 0; e < this.edges.length; e += 2) {
      const a = this.items[this.edges[e]], b = this.items[this.edges[e + 1]];
      this.near[this.edges[e]].push(e);
      if (Math.abs(a.y - b.y) > 3000 && !a.isHub && !b.isHub) this.long.push(e);
      else this.near[this.edges[e + 1]].push(e);
    }
  }

  /** The open folders as brackets at the left: from where to where, in which column. */
  bracket() {
    const spans = new Map(), { folders } = this.picture;
    for (const item of this.items) {
      if (item.band === UPDATE) continue; // updates are beside what they update
      let f = item.node >= 0 ? this.picture.folder[item.node] : folders[item.folder][1];
      for (; f >= 0; f = folders[f][1]) {
        const span = spans.get(f);
        if (span && span[0] <= item.y && span[1] >= item.y + CARD.height) break;
        spans.set(f, [Math.min(span?.[0] ?? Infinity, item.y), Math.max(span?.[1] ?? 0, item.y + CARD.height)]);
      }
    }
    const ends = [];
    this.brackets = [...spans].map(([folder, [top, bottom]]) => ({ folder, top, bottom }));
    this.brackets.sort((a, b) => a.top - b.top || b.bottom - a.bottom);
    for (const b of this.brackets) {
      let column = depthOf(folders, b.folder);
      while (ends[column] > b.top) column++;
      ends[column] = b.bottom;
      b.column = column;
    }
    this.columns = ends.length;
  }

  /** The items between two heights, as a range of `byY`. */
  between(top, bottom) {
    return [lowest(this.ys, top - LINE), lowest(this.ys, bottom)];
  }

  /** The number of the item at a point, or -1. */
  itemAt(x, y) {
    const [from, to] = this.between(y - CARD.height, y + 1);
    for (let k = from; k < to; k++) {
      const item = this.items[this.byY[k]];
      if (x >= item.x && x <= item.x + CARD.width && y >= item.y && y <= item.y + CARD.height) return this.byY[k];
    }
    return -1;
  }
}

function cellOf(stage, k) {
  return { band: stage.band[k], row: stage.row[k], line: stage.line[k], lane: stage.lane[k], x: 0, y: 0 };
}

/** Move the box of a folder to the cell of the k-th node if that is nearer to the axis, or further up. */
function nearer(box, stage, k) {
  const lane = stage.band[k] === 0 ? stage.lane[k] - box.lane : 0, row = stage.row[k] - box.row;
  if (lane < 0 || (lane === 0 && row < 0)) Object.assign(box, cellOf(stage, k), { first: stage.order[k] });
}

/** For each folder the outermost closed one that it is in, or -1. Parents come first. */
function closedFolders(folders, open) {
  const result = new Int32Array(folders.length);
  folders.forEach(([, parent], f) => {
    const outer = parent < 0 ? -1 : result[parent];
    result[f] = outer >= 0 ? outer : open.has(f) ? -1 : f;
  });
  return result;
}

function depthOf(folders, f) {
  let depth = 0;
  for (let up = folders[f][1]; up >= 0; up = folders[up][1]) depth++;
  return depth;
}

/** The first place of an ascending array with a number that is at least x. */
function lowest(array, x) {
  let from = 0, to = array.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (array[middle] < x) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The folders that are open at first: scopes from the outside in, as long as few items are shown. */
function firstOpen(stage) {
  const p = stage.picture, own = new Int32Array(p.folders.length);
  let shown = 0;
  for (const i of stage.order) p.folder[i] < 0 ? shown++ : own[p.folder[i]]++;
  const children = p.folders.map(() => []), queue = [], open = new Set();
  p.folders.forEach(([, parent, owner], f) => {
    if (owner >= 0) return; // the graph of a loop opens when asked for
    parent < 0 ? queue.push(f) : children[parent].push(f);
  });
  shown += queue.length * 2;
  for (let head = 0; head < queue.length; head++) {
    const f = queue[head], more = own[f] + children[f].length * 2 - 2;
    if (shown + more > FIRST_VIEW) continue;
    shown += more;
    open.add(f);
    queue.push(...children[f]);
  }
  return open;
}

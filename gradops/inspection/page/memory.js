// The panel of memory and time: live bytes over the steps of a run, and flames.

function memoryPanel(app, pane) {
  const { timeline, flames } = pane.picture, out = [];
  if (!timeline && !Object.keys(flames).length)
    return [make("p", { textContent: "Inspect an executable to see its memory; with values of its inputs also its times." })];
  if (timeline) out.push(...liveBytes(app, pane, timeline));
  for (const [by, flame] of Object.entries(flames)) if (flame.children.length) out.push(...flameOf(app, pane, by, flame));
  return out;
}

/** The live bytes by step, with what is alive in the step that is pointed at. */
function liveBytes(app, pane, timeline) {
  const { live, steps, backward } = timeline, width = 340, height = 120, most = Math.max(...live, 1);
  const x = (k) => (k / live.length) * width, y = (n) => height - (n / most) * (height - 8);
  const points = live.flatMap((n, k) => [`${x(k)},${y(n)}`, `${x(k + 1)},${y(n)}`]);
  const marker = svg("line", { y1: 0, y2: height, class: "marker" }), list = make("div");
  const chart = svg("svg", { class: "live", viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "slider", "aria-label": "Step of the run",
    "aria-valuemin": 1, "aria-valuemax": live.length }, svg("polygon", { points: `0,${height} ${points.join(" ")} ${width},${height}` }));
  if (backward !== null) chart.append(svg("line", { x1: x(backward), x2: x(backward), y1: 0, y2: height, class: "backward" }));
  chart.append(marker);
  let now = live.indexOf(most);
  const show = (k) => {
    now = Math.min(Math.max(k, 0), live.length - 1);
    for (const name of ["x1", "x2"]) marker.setAttribute(name, x(now + 0.5));
    const [name, node] = steps[now], alive = timeline.allocations.filter(([, , , first, last]) => first <= now && now <= last);
    alive.sort((a, b) => b[2] - a[2]);
    chart.setAttribute("aria-valuenow", now + 1);
    chart.setAttribute("aria-valuetext", `step ${now + 1}, ${visible(name.slice(0, 100))}, ${bytesText(live[now])}`);
    list.replaceChildren(make("p", {}, `Step ${now + 1} of ${live.length}${backward !== null ? (now < backward ? ", forward" : ", backward") : ""}: `,
      linkTo(app, pane, name, node), `, ${bytesText(live[now])} alive`),
      ...alive.slice(0, 12).map(([title, i, bytes, , , reason]) => make("p", {}, linkTo(app, pane, title, i), ` ${bytesText(bytes)}, ${timeline.reasons[reason]}`)));
  };
  const at = (event) => Math.floor((event.offsetX / chart.getBoundingClientRect().width) * live.length);
  chart.addEventListener("pointerdown", (event) => show(at(event)));
  chart.addEventListener("pointermove", (event) => event.buttons && show(at(event)));
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? live.length - 1 : step ? now + step : null;
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    show(to);
  });
  show(now);
  return [heading(`Live bytes by step, at most ${bytesText(most)}`), chart, list];
}

/** A name as a link to its node, if it is one. */
function linkTo(app, pane, name, node) {
  const text = node >= 0 ? pane.picture.titleOf(node) : name.slice(0, 200);
  return node >= 0 ? link(text, () => app.select(pane, node, { show: true, keepPanel: true })) : visible(text);
}

/** Nested frames as wide as their time; a frame that names a node selects it, others search. */
function flameOf(app, pane, by, flame) {
  const rows = [], width = 340, high = 19, number = new Map(pane.picture.names.map((name, i) => [name, i]));
  const work = flame.children.map((frame) => [frame, 0]).reverse();
  const ends = [0];
  while (work.length) {
    const [frame, depth, start = ends[0]] = work.pop(), w = (frame.seconds / flame.seconds) * width;
    if (depth === 0) ends[0] = start + w;
    if (w >= 0.6) {
      rows.push([frame, depth, start, w]);
      let inner = start;
      const children = frame.children.map((child) => { const at = inner; inner += (child.seconds / flame.seconds) * width; return [child, depth + 1, at]; });
      work.push(...children.reverse());
    }
  }
  const deep = rows.reduce((most, [, depth]) => Math.max(most, depth), 0) + 1;
  const chart = svg("svg", { class: "flame", viewBox: `0 0 ${width} ${deep * high}`, role: "img", "aria-label": `times by ${by}` });
  for (const [frame, depth, start, w] of rows.slice(0, 3000)) {
    const group = svg("g", { class: frame.kind || "other" }, svg("rect", { x: start, y: depth * high, width: Math.max(w - 0.5, 0.3), height: high - 1 }));
    const title = visible(`${frame.name} ${secondsText(frame.seconds)}, ${share(frame.seconds / flame.seconds)} ${frame.about ?? ""}`.slice(0, 300));
    group.append(svg("title", {}, title));
    if (w > 34) group.append(svg("text", { x: start + 4, y: depth * high + 13 }, visible(frame.name.slice(0, Math.floor(w / 6)))));
    group.addEventListener("click", () => {
      const node = number.get(frame.name);
      if (node !== undefined) return app.select(pane, node, { show: true, keepPanel: true });
      app.search.value = by === "line" ? `line:${frame.name.split(" ")[0]}` : `scope:*${frame.name}`;
      app.find(app.search.value);
    });
    chart.append(group);
  }
  return [heading(`Time by ${by}: ${secondsText(flame.seconds)}`), chart];
}

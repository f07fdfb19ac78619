// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The script of the page that steps through a run. `run` is the run: its devices, tensors, instructions and events, as
// `steps_page.hpp` writes them. A step is an instruction of an agent, or a wait; time is that of the trace, in ticks.

const by_id = (id) => document.getElementById(id);
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const shown = { device: 0, step: 0, steps: [], lanes: [], width: 64 };

// ---- The run: events of one device, in the order of their ticks.
const events = run.events.map(([device, kind, agent, block, slot, item, statement, begin, length], order) =>
    ({ device, kind: ['issue', 'wait', 'grid'][kind], agent, block, slot, item, statement, begin, length, order }));
function steps_of(device) {
    return events.filter((e) => e.device === device && e.kind !== 'grid').sort((a, b) => a.begin - b.begin || a.order - b.order);
}
const instruction = (e) => run.items[e.item];
const writes = (e) => (e.kind === 'issue' ? instruction(e).writes : []);
const reads = (e) => (e.kind === 'issue' ? instruction(e).reads : []);
const several_slots = () => shown.steps.some((e) => e.slot > 0);
function agent_name({ agent, slot }) {
    if (agent < 0) return 'stream';
    return (several_slots() ? `slot ${slot}, ` : '') + `${run.agent} ${agent}`;
}

// The rows of the timeline: the device's own stream, the agents of each slot, and the tensors, by memory.
function lanes_of(steps) {
    const agents = new Map(), used = new Set();
    for (const e of steps) {
        agents.set(agent_name(e), { name: agent_name(e), order: e.agent < 0 ? -1 : e.slot * 1000 + e.agent });
        for (const t of [...writes(e), ...reads(e)]) used.add(t);
    }
    const tensors = run.tensors.map((t, i) => ({ name: `${t.name}: ${t.memory}`, tensor: i })).filter(({ tensor }) => used.has(tensor));
    return [...[...agents.values()].sort((a, b) => a.order - b.order), ...tensors];
}

// ---- What the memories hold at a step: of each tensor the last write and the last read so far.
function memory_at(step) {
    const state = run.tensors.map(() => ({ write: null, read: null }));
    for (let i = 0; i <= step && i < shown.steps.length; i++) {
        const e = shown.steps[i];
        for (const t of reads(e)) state[t].read = e;
        for (const t of writes(e)) state[t].write = e;
    }
    return state;
}
const place = (e) => agent_name(e) + (e.block >= 0 ? `, block ${e.block}` : '');
function access_text(e) {
    return e ? `statement ${e.statement}, ${place(e)}, tick ${e.begin}` : 'not yet';
}

// ---- Drawing.
const label_width = 190, row_height = 18, chart_width = 900;
function draw_timeline() {
    const e = shown.steps[shown.step], all = Math.max(...shown.steps.map((s) => s.begin + s.length), 1);
    const width = shown.width > 0 ? Math.min(shown.width, all) : all;
    const from = Math.max(0, Math.min(e.begin - Math.floor(width / 2), all - width)), scale = chart_width / width;
    const height = (shown.lanes.length + 1) * row_height, x = (tick) => label_width + (tick - from) * scale;
    const row = new Map(shown.lanes.map((lane, i) => [lane.tensor ?? lane.name, i]));
    let out = `<svg viewBox='0 0 ${label_width + chart_width} ${height}' role=img aria-label='${escaped(heading())}'>`;
    shown.lanes.forEach((lane, i) => {
        out += `<line class=line x1=0 x2=${label_width + chart_width} y1=${i * row_height} y2=${i * row_height} />` +
            `<text x=4 y=${i * row_height + 13}>${escaped(lane.name.length > 26 ? lane.name.slice(0, 25) + '…' : lane.name)}</text>`;
    });
    // Of a row, all of it, or for a tensor its upper half (read) or its lower half (written).
    const half = { read: [2, row_height / 2 - 2], write: [row_height / 2, row_height / 2 - 2] };
    const bar = (kind, i, s, extra) => {
        const [top, tall] = half[kind] ?? [2, row_height - 4];
        const left = Math.max(x(s.begin), label_width), right = Math.min(x(s.begin + Math.max(s.length, 0.15)), label_width + chart_width);
        out += `<rect class='${kind}${s === e ? ' now' : ''}' x=${left.toFixed(1)} y=${i * row_height + top} ` +
            `width=${Math.max(right - left, 1).toFixed(1)} height=${tall}><title>${escaped(extra)}</title></rect>`;
    };
    for (const s of shown.steps) {
        if (s.begin > from + width || s.begin + s.length < from) continue;
        bar(s.kind, row.get(agent_name(s)), s, `${place(s)}: ${title_of(s)}`);
        for (const t of reads(s)) bar('read', row.get(t), s, `read by ${place(s)}`);
        for (const t of writes(s)) bar('write', row.get(t), s, `written by ${place(s)}`);
    }
    out += `<line class=tick x1=${x(e.begin)} x2=${x(e.begin)} y1=0 y2=${height - row_height} />`;
    for (let k = 0; k <= 4; k++) {
        const tick = Math.round(from + width * k / 4);
        out += `<text class=soft text-anchor=${k === 4 ? 'end' : 'start'} x=${x(tick)} y=${height - 4}>${tick}</text>`;
    }
    by_id('timeline').innerHTML = out + '</svg>';
}
function title_of(e) {
    return e.kind === 'wait' ? 'waits' : instruction(e).text || instruction(e).opcode;
}
const heading = () => `step ${shown.step + 1} of ${shown.steps.length}`;
const names = (list) => list.map((t) => `${run.tensors[t].name} in ${run.tensors[t].memory}`).join(', ') || 'nothing';

function draw_step() {
    const e = shown.steps[shown.step];
    const facts = [['step', heading()], ['tick', e.length > 1 ? `${e.begin} to ${e.begin + e.length - 1}` : e.begin],
        ['agent', place(e)], ['statement', `${e.statement}: ${run.statements[e.statement] ?? ''}`],
        ['does', title_of(e) + (e.kind === 'issue' && e.length > 1 ? `, ${e.length} issues` : '')]];
    if (e.kind === 'issue') facts.push(['writes', names(writes(e))], ['reads', names(reads(e))]);
    by_id('step').innerHTML = facts.map(([key, text]) => `<dt>${key}</dt><dd>${escaped(text)}</dd>`).join('');
    const state = memory_at(shown.step);
    by_id('memory').innerHTML = '<tr><th class=text>tensor</th><th class=text>memory</th><th class=text>last written</th>' +
        '<th class=text>last read</th></tr>' + run.tensors.map((t, i) => {
        const now = state[i].write === e || state[i].read === e;
        return `<tr${now ? ' class=now' : ''}>` + [`${t.name} ${t.shape} ${t.type}`, t.memory, access_text(state[i].write),
            access_text(state[i].read)].map((text) => `<td class=text>${escaped(text)}</td>`).join('') + '</tr>';
    }).join('');
}
function draw() {
    const last = shown.steps.length - 1;
    by_id('empty').hidden = last >= 0;
    by_id('work').hidden = last < 0;
    if (last < 0) return;
    by_id('at').max = last;
    by_id('at').value = shown.step;
    by_id('at').setAttribute('aria-valuetext', heading());
    for (const [id, off] of [['first', shown.step === 0], ['back', shown.step === 0], ['next', shown.step === last], ['last', shown.step === last]])
        by_id(id).disabled = off;
    draw_timeline();
    draw_step();
    history.replaceState(null, '', `#device=${shown.device}&step=${shown.step + 1}`);
}

// ---- What the reader does.
function go(step) {
    shown.step = Math.max(0, Math.min(step, shown.steps.length - 1));
    draw();
}
function choose(device, step) {
    shown.device = device;
    shown.steps = steps_of(device);
    shown.lanes = lanes_of(shown.steps);
    by_id('device').value = device;
    go(step);
}
function read_address() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const device = Number(asked.get('device') ?? 0), step = Number(asked.get('step') ?? 1);
    choose(Number.isInteger(device) && device >= 0 && device < run.devices ? device : 0, Number.isInteger(step) ? step - 1 : 0);
}
const moves = { first: () => go(0), back: () => go(shown.step - 1), next: () => go(shown.step + 1), last: () => go(shown.steps.length - 1) };
for (const [id, move] of Object.entries(moves)) by_id(id).addEventListener('click', move);
by_id('at').addEventListener('input', () => go(Number(by_id('at').value)));
by_id('device').innerHTML = Array.from({ length: run.devices }, (_, d) => `<option value=${d}>device ${d}</option>`).join('');
by_id('device').addEventListener('change', () => choose(Number(by_id('device').value), 0));
by_id('zoom').addEventListener('change', () => { shown.width = Number(by_id('zoom').value); draw(); });
document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches('select, input')) return;
    const move = { ArrowLeft: moves.back, ArrowRight: moves.next, Home: moves.first, End: moves.last }[event.key];
    if (!move) return;
    move();
    event.preventDefault();
});
addEventListener('hashchange', read_address);
read_address();

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_EVENTS_JS_HPP
#define AXE_PICTURE_EMBEDDED_EVENTS_JS_HPP

// Made of include/axe/picture/web/events.js. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char events_js[] =
R"js(// ---- Pointing: the maps of one cell, and the same elements marked in all views, with all their copies.
function point_at(element) {
    const record = shown.cells.get(element);
    if (!record) return;
    const { model } = shown, { name, cell } = record;
    const lines = name === 'logical' ? forward_map(model, cell.element) :
        name === 'hardware' ? backward_map(model, cell) : bank_map(model, cell);
    by_id('hint').hidden = true;
    by_id('map').innerHTML = lines.map(([key, ...texts]) =>
        `<div><dt>${escaped(key)}</dt>${texts.map((text) => `<dd>${escaped(text)}</dd>`).join(' ')}</div>`).join('');
    const elements = name === 'logical' ? [cell.element] : cell.elements;
    const marked = new Set([element]);
    const mark = (key) => { for (const other of shown.places.get(key) ?? []) marked.add(other); };
    for (const x of elements) {
        mark('logical' + x);
        mark('banks' + x);
        for (const place of model.at[x]) mark('hardware' + place.text);
    }
    for (const other of shown.marked) if (!marked.has(other)) other.classList.remove('mark');
    for (const other of marked) other.classList.add('mark');
    shown.marked = marked;
}

// ---- Highlighting all that an owner holds: {kind: 'value', value} on the axis of the colors, or the lane of an access.
function owns({ kind, value }) {
    const { model, value_of, views } = shown;
    if (kind === 'lane') {
        const taken = new Set(views.banks.lanes[Number(value)].elements);
        return ({ name, cell }) => (name === 'banks' ? cell.lanes.includes(Number(value)) :
            (name === 'logical' ? [cell.element] : cell.elements).some((x) => taken.has(x)));
    }
    const holds = (x) => model.at[x].some(({ point }) => value_of(point) === value);
    return ({ name, cell }) => (name === 'hardware' ? cell.elements.length > 0 && value_of(cell.point) === value :
        name === 'logical' ? holds(cell.element) : cell.elements.some(holds));
}
// Null clears. What is not there, as an address may ask for, is left alone.
function select(lit) {
    if (lit && !shown.owners[lit.kind].includes(lit.value)) return;
    for (const element of document.querySelectorAll('[aria-selected]')) element.removeAttribute('aria-selected');
    if (lit) {
        const mine = owns(lit);
        for (const [element, record] of shown.cells) if (mine(record)) element.setAttribute('aria-selected', 'true');
    }
    shown.lit = lit;
    document.body.classList.toggle('lit', lit !== null);
    for (const [id, kind] of [['legend', 'value'], ['lanes', 'lane']])
        for (const button of by_id(id).querySelectorAll('button'))
            button.setAttribute('aria-pressed', lit?.kind === kind && button.dataset.value === String(lit.value));
    const name = lit?.kind === 'lane' ? 'lane of the access' : shown.color;
    by_id('picked').textContent = lit ? `Highlighted: ${name} ${lit.value}. Escape clears.` : '';
    keep_address();
}
// The owners of a cell in turn, then none.
function select_next({ name, view, cell }) {
    const kind = name === 'banks' ? 'lane' : 'value', values = view.values(cell).map(BigInt);
    const next = shown.lit?.kind === kind ? values.indexOf(shown.lit.value) + 1 : 0;
    if (values.length) select(next < values.length ? { kind, value: values[next] } : null);
}

// ---- One tab stop a view: the active cell, moved by the arrow keys.
// Makes a cell the one that the Tab key moves to, and moves there.
function activate(element) {
    const { view } = shown.cells.get(element);
    view.active.removeAttribute('tabindex');
    view.active = element;
    element.tabIndex = 0;
    element.focus();
}
// Where a key leads from cell i of panel p: [panel, cell].
function destination(key, control, { view, p, i }) {
    const { columns, rows, cells } = view.panels[p], width = columns.length, row = Math.floor(i / width), column = i % width;
    switch (key) {
    case 'ArrowLeft': return [p, column > 0 ? i - 1 : i];
    case 'ArrowRight': return [p, column + 1 < width ? i + 1 : i];
    case 'ArrowUp': return [p, row > 0 ? i - width : i];
    case 'ArrowDown': return [p, row + 1 < rows.length ? i + width : i];
    case 'Home': return [p, control ? 0 : row * width];
    case 'End': return [p, control ? cells.length - 1 : (row + 1) * width - 1];
    case 'PageUp': return [Math.max(p - 1, 0), i];
    case 'PageDown': return [Math.min(p + 1, view.panels.length - 1), i];
    }
    return null;
}
// Enter and the space bar highlight; keys that lead somewhere move; all others are the browser's.
function on_key(event) {
    const record = shown.cells.get(event.target);
    if (!record || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
        select_next(record);
    } else {
        const to = destination(event.key, event.ctrlKey, record);
        if (!to) return;
        const { cells, start: first } = record.view.panels[to[0]];
        let i = to[1];
        while (cells[i] === null) i--; // past the end of a wrapped line
        activate(record.view.elements[first + i]);
    }
    event.preventDefault();
}
// One listener for all cells of a view, so that drawing anew costs none.
for (const section of Object.values(sections)) {
    const body = section.querySelector('.body'), cell_of = (event) => event.target.closest('.c');
    body.addEventListener('pointerover', (event) => { if (cell_of(event)) point_at(cell_of(event)); });
    body.addEventListener('focusin', (event) => { if (cell_of(event)) point_at(cell_of(event)); });
    body.addEventListener('keydown', on_key);
    body.addEventListener('click', (event) => {
        const element = cell_of(event);
        if (!element) return;
        activate(element);
        select_next(shown.cells.get(element));
    });
}

// ---- Legends: one tab stop each, arrow keys between the buttons.
for (const [id, kind] of [['legend', 'value'], ['lanes', 'lane']]) {
    by_id(id).addEventListener('click', (event) => {
        const button = event.target.closest('button');
        if (button) select(button.getAttribute('aria-pressed') === 'true' ? null : { kind, value: BigInt(button.dataset.value) });
    });
    by_id(id).addEventListener('keydown', (event) => {
        const buttons = [...by_id(id).querySelectorAll('button')], i = buttons.indexOf(event.target);
        const last = buttons.length - 1;
        const to = { ArrowLeft: i - 1, ArrowUp: i - 1, ArrowRight: i + 1, ArrowDown: i + 1, Home: 0, End: last }[event.key];
        if (i < 0 || !buttons[to]) return;
        buttons[i].tabIndex = -1;
        buttons[to].tabIndex = 0;
        buttons[to].focus();
        event.preventDefault();
    });
}

document.addEventListener('keydown', (event) => { if (event.key === 'Escape' && shown?.lit) select(null); });
by_id('fields').addEventListener('submit', (event) => event.preventDefault());
by_id('fields').addEventListener('input', ({ target }) => {
    // Rows and columns are two axes: the one that was chosen before gives way.
    const other = { rows: 'columns', columns: 'rows' }[target.id];
    if (other && by_id(other).value === target.value) by_id(other).value = '';
    update();
});
addEventListener('hashchange', read_address);

// The page as it was made is drawn first, so that there is a picture even if the address holds a mistake.
read_state(new URLSearchParams());
if (location.hash.length > 1) read_address();
requestAnimationFrame(() => setTimeout(() => performance.mark('axe: drawn')));
)js";

} // namespace detail
} // namespace v0
} // namespace axe

#endif

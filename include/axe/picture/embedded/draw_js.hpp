// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_DRAW_JS_HPP
#define AXE_PICTURE_EMBEDDED_DRAW_JS_HPP

// Made of include/axe/picture/web/draw.js. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char draw_js[] =
R"js(// The five characters that mean something in HTML, as entities: safe in a text and in an attribute with quotes.
function escaped(text) { return String(text).replace(/[&<>'"]/g, (c) => `&#${c.charCodeAt(0)};`); }
// The first 64 of a list, and how many there are.
function some(items, none = 'nothing') {
    if (items.length === 0) return [none];
    return items.length > 64 ? [...items.slice(0, 64), `and more, ${items.length} in all`] : items;
}
function listed(items, none) { return some(items, none).join(' '); }
// In a cell: up to four, or the first and how many more.
function short(texts, comma) {
    return texts.length > 4 ? `${texts[0]}${comma === ',' ? ' ' : comma}+${texts.length - 1}` : texts.join(comma);
}
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// ---- Colors: values in order, up to eight told apart by hue, more on a ramp of rising lightness.
function is_light(rgb) { // black reads better on it than white
    const linear = rgb.map((n) => (n <= 10 ? n / 3294.6 : ((n / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.179;
}
// The colors of so many values, with the one of the two text colors that reads better on each.
function color_list(count) {
    const hex = (rgb) => '#' + rgb.map((n) => n.toString(16).padStart(2, '0')).join('');
    return Array.from({ length: count }, (_, index) => {
        let rgb = facts.hues[index];
        if (count > facts.hues.length) {
            const at = Math.floor(index * 2048 / (count - 1)), mark = Math.min(Math.floor(at / 256), 7), part = at - 256 * mark;
            rgb = facts.ramp[mark].map((n, i) => Math.floor((n * (256 - part) + facts.ramp[mark + 1][i] * part + 128) / 256));
        }
        return { cell: hex(rgb), text: is_light(rgb) ? '#000000' : '#ffffff' };
    });
}
// Which color each of some values has: `prefix` and a number, the name of a class.
class Scale {
    constructor(values, prefix) {
        this.values = [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const count = this.values.length, colors = Math.min(count, facts.colors);
        this.colors = color_list(colors);
        this.prefix = prefix;
        this.classes = new Map(this.values.map((value, rank) => [
            value, prefix + (count <= facts.colors ? rank : Math.floor(rank * colors / count))]));
    }
    class_of(value) { return this.classes.get(value); }
    style() {
        const { prefix } = this;
        return this.colors.map(({ cell, text }, i) => `.${prefix}${i}{--k:${cell};background:${cell};color:${text}}`).join('');
    }
}

// ---- What the cells of each view say: `label` in the cell, `name` to those who hear it. `values` are its owners; the
// first colors it.
// An element: its coordinates on the axes that move, the color's axis first, copies side by side.
class LogicalView {
    constructor(model, value_of, color) {
        const others = model.moving_axes().filter((axis) => axis !== color), names = [color, ...others], last = names.pop();
        Object.assign(this, { model, panels: logical_grid(model), corner: 'an element with several points' });
        this.lines = [value_of, ...others.map((axis) => model.value_of(axis))];
        this.key = names.length ? `${names.join(', ')} and ${last}` : last;
    }
    // What the points of an element have on a line of its label, ascending, each once.
    on_line({ places }, value_of) {
        if (places.length === 1) return [value_of(places[0].point)];
        return [...new Set(places.map(({ point }) => value_of(point)))].sort((x, y) => (x < y ? -1 : 1));
    }
    values(cell) { return this.on_line(cell, this.lines[0]); }
    label(cell) { return this.lines.map((value_of) => short(this.on_line(cell, value_of).map(String), ',')).join('\n'); }
    name(cell) {
        return `${this.model.coordinates[cell.element]} at ${listed(cell.places.map((place) => place.text))}`;
    }
    several(cell) { return cell.places.length > 1; }
}
// A place: the elements that live there. Those with none have no color.
class HardwareView {
    constructor(model, value_of, rows, columns) {
        Object.assign(this, { model, value_of, panels: hardware_grid(model, rows, columns), none: 'hole' });
        Object.assign(this, { key: 'the coordinates that live there', corner: 'a place of several elements' });
    }
    values(cell) { return cell.elements.length ? [this.value_of(cell.point)] : []; }
    label({ elements }) {
        return short(this.model.names(elements).map((name) => (name === '()' ? name : name.slice(1, -1))), '\n');
    }
    name({ text, elements }) { return `${text} holds ${listed(this.model.names(elements))}`; }
    several(cell) { return cell.elements.length > 1; }
}
// A word of shared memory: the lanes that take something of it, without and with the swizzle.
class BankView {
    constructor(model, access, vector) {
        const lanes = warp_access(model, access, vector, true);
        const panel = (title, of_lanes) => bank_panel(model, of_lanes, title);
        Object.assign(this, { model, lanes, panels: [panel('', lanes)], none: 'blank' });
        Object.assign(this, { key: 'the lanes that touch the word', corner: 'a word of several lanes' });
        if (model.swizzle.bits === 0n) return;
        const { bits, base, shift } = model.swizzle;
        this.panels[0].title = `swizzle<${bits},${base},${shift}>`;
        this.panels.unshift(panel('without the swizzle', warp_access(model, access, vector, false)));
    }
    values(cell) { return cell.lanes; }
    label({ lanes }) {
        const count = lanes.length, first = lanes[0], last = lanes[count - 1];
        if (count < 3) return lanes.join();
        return last - first === count - 1 ? `${first}–${last}` : `${first} +${count - 1}`;
    }
    name({ word, lanes, elements }) {
        const held = this.model.names(elements), place = `byte ${word * 4n}, bank ${modulo(word, 32n)}`;
        if (!lanes.length) return `${place}: not touched`;
        return `${place}: ${lanes.length > 1 ? `lanes ${lanes.join(', ')} take` : `lane ${lanes[0]} takes`} ${listed(held)}`;
    }
    several(cell) { return cell.lanes.length > 1; }
}

// ---- A view as HTML. Cells come in the order of `view.panels`, those that are null left out. Small ones have no label; their side
// in pixels leaves room for two grids side by side where it can. It is one number, as sizes worked out cell by cell take seconds.
const longest = (texts) => texts.reduce((most, text) => Math.max(most, String(text).length), 0);
function view_html(view, scale, small, room) {
    let chars = 2, lines = 1;
    for (const { cells, columns } of view.panels) {
        for (const cell of cells) {
            if (!cell) continue;
            cell.label = small ? '' : view.label(cell);
            cell.several = !small && view.several(cell);
            const parts = cell.label.split('\n');
            lines = Math.max(lines, parts.length);
            chars = Math.max(chars, longest(parts));
        }
        chars = Math.max(chars, longest(columns));
    }
    const widest = Math.max(...view.panels.map((panel) => panel.columns.length));
    const fits = (width) => Math.min(12, Math.floor((width - 45) / widest)), half = fits((room - 30) / 2);
    const side = half < 6 ? Math.max(6, fits(room)) : half;
    const heads = longest(view.panels.map(({ title, row_name, column_name }) => `${title} ${row_name} ↓ ${column_name} → `));
    const panel_width = Math.ceil(Math.max(small ? widest * side + 45 : widest * (chars * 6.7 + 7) + 60, heads * 7.5 + 30));
    view.width = Math.max(280, Math.min(view.panels.length, 4) * panel_width);
    const size = small ? `--w:${side}px;--h:${side}px` : `--chars:${chars};--lines:${lines}`;
    return view.panels.map((panel) => panel_html(view, panel, scale, small, size)).join('');
}
// A grid in a box that scrolls by itself, with the number of each column and row.
function panel_html(view, panel, scale, small, size) {
    const { title, row_name, column_name, rows, columns, phases = [] } = panel;
    const spoken = [title, row_name && `rows ${row_name}`, column_name && `columns ${column_name}`].filter(Boolean).join(', ');
    const axes = [row_name && `${row_name} ↓`, column_name && `${column_name} →`].filter(Boolean).join(' ');
    const edge = Math.max(longest([rows[0], rows[rows.length - 1]]), phases.length ? 11 : 0);
    // Where cells are small, only every so many numbers fit along the edges.
    const step = small ? [8, 8, 16, 16, 32, 32][longest(columns)] ?? 64 : 1;
    const rise = small ? 8 : 1;
    const number = (role, n, i, every) => `<span role=${role} aria-label=${n}>${i % every === 0 ? n : ''}</span>`;
    return `<div class=panel><p class=head>${escaped(title)} <span class=axes aria-hidden=true>${escaped(axes)}</span></p>` +
        verdict_html(phases) +
        `<div class='scroll${small ? ' small' : ''}' ` +
        `style='--rows:${rows.length};--columns:${columns.length};--edge:${edge};${size}'>` +
        `<div role=grid aria-readonly=true aria-multiselectable=true aria-label='${escaped(spoken || 'one cell')}'>` +
        `<div role=row class=heads><span role=columnheader class=corner aria-label='${escaped(row_name) || 'row'}'></span>` +
        columns.map((n, i) => number('columnheader', n, i, step)).join('') + '</div>' +
        rows.map((n, r) =>
            `<div role=row>${number('rowheader', n, r, rise)}${row_html(view, panel, r, scale)}</div>`).join('') +
        phases.map(tally_html).join('') + '</div></div></div>';
}
function row_html(view, { columns, cells }, row, scale) {
    let html = '';
    for (let i = row * columns.length; i < (row + 1) * columns.length; i++) {
        const cell = cells[i];
        if (!cell) continue;
        const [value] = view.values(cell), kind = value === undefined ? view.none : scale.class_of(value);
        const corner = cell.several ? ' several' : '';
        html += `<i role=gridcell class='c ${kind}${corner}' aria-label='${view.name(cell)}'>${cell.label}</i>`;
    }
    return html;
}
// What a reader must know of the cells of a view that has been drawn.
function key_text(view, small) {
    const any = (has) => view.panels.some(({ cells }) => cells.some((cell) => cell && has(cell)));
    const sentences = [small ? 'Cells this small have no labels: point at one.' : `In each cell: ${view.key}.`];
    if (any((cell) => cell.several)) sentences.push(`The corner marks ${view.corner}.`);
    if (view.none === 'hole' && any((cell) => cell.elements.length === 0))
        sentences.push(small ? 'Nothing lives where there is no color.' : 'Nothing lives where it is hatched.');
    return sentences.join(' ');
}
// Below the grid of the banks: what one phase wants of each bank. The worst is underlined, not only bold.
function tally_html({ first, last, counts, degree }) {
    const kind = (n) => (n < 2 ? '' : n === degree ? 'worst' : 'many');
    return `<div role=row class=tally><span role=rowheader>lanes ${first}–${last}</span>` +
        counts.map((n) => `<span role=gridcell class='${kind(n)}'>${n || ''}</span>`).join('') + '</div>';
}
// Above it: how the access fares.
function verdict_html(phases) {
    if (!phases.length) return '';
    const worst = Math.max(...phases.map((phase) => phase.degree)), passes = phases.reduce((sum, phase) => sum + phase.degree, 0);
    const words = worst === 1 ? 'No conflicts' : `${worst}-way conflicts`;
    return `<p class=verdict><b>${words}</b>: ${plural(passes, 'pass', 'passes')} over memory ` +
        `for ${plural(phases.length, 'phase', 'phases')}.</p>`;
}
// Up to this many values have a button each; of more, the ends of the ramp are shown, and cells can be clicked.
const most_buttons = 128;
function legend_html(scale, name) {
    const { values } = scale, few = values.length <= most_buttons;
    const button = (value) => `<button type=button tabindex=-1 aria-pressed=false class=${scale.class_of(value)} ` +
        `data-value=${value}>${value}</button>`;
    const ramp = () => `linear-gradient(90deg,${scale.colors.filter((_, i) => i % 8 === 0).map(({ cell }) => cell).join()})`;
    return `<span class=name>${escaped(name)}</span>` + (few ?
        `<div role=toolbar aria-label='${escaped(name)}: highlight all it holds'>${values.map(button).join('')}</div>` :
        `<span>${values[0]}</span><span class=ramp style='background:${ramp()}'></span><span>${values[values.length - 1]}</span>`);
}

// ---- The maps of one cell: lists of a name and the texts that belong to it.
// L(x), step by step: index, digits, D(x), replicas, offset, swizzle, points.
function forward_map(model, x) {
    const coord = digits_of(model.extents, x), digits = digits_of(model.digits, x);
    const weights = coord.map((_, d) => model.extents.slice(d + 1).reduce((product, n) => product * n, 1));
    const sum = coord.map((n, d) => (weights[d] === 1 ? `${n}` : `${n}·${weights[d]}`)).join(' + ');
    const terms = model.shard.map((it, k) => `${digits[k]}·${it.stride}@${it.axis}`).join(' + ');
    const lines = [['coordinate', model.coordinates[x]], ['linear index', coord.length > 1 ? `${sum} = ${x}` : `${x}`],
        ['digits', `(${digits.join(',')}) of (${model.digits.join(',')})`],
        ['shard', `${terms || '0'} = ${model.print(model.moved_by(digits))}`]];
    if (model.replica.length)
        lines.push(['replicas', model.replica.map((it) => `+ {0 … ${it.extent - 1n}}·${it.stride}@${it.axis}`).join(' ')]);
    if (model.offset.length) lines.push(['offset', model.offset.map(({ axis, value }) => `+ ${value}@${axis}`).join(' ')]);
    if (model.swizzle.bits > 0n && model.memory >= 0) {
        const { width, axis } = model.swizzle, n = model.straight_points(x)[0][model.memory], to = swizzled(n, model.swizzle);
        lines.push(['swizzle', `${axis} ${n} → ${to}` + (width > 1n ? `, byte ${n * width} → ${to * width}` : '')]);
    }
    lines.push(['points', ...some(model.at[x].map((place) => place.text))]);
    return lines;
}
// { x : p ∈ L(x) }, and how p looks before the swizzle.
function backward_map(model, { point, text, elements }) {
    const lines = [['point', text]];
    if (model.swizzle.bits > 0n && model.memory >= 0)
        lines.push(['before the swizzle', model.print(model.swizzle_point(point))]); // the exclusive-or is its own inverse
    if (model.offset.length)
        lines.push(['offset', model.offset.map(({ axis, value }) => `${value}@${axis}`).join(' + ') + ' taken off']);
    lines.push(['coordinates', ...some(model.names(elements), 'none: nothing lives here')]);
    if (elements.length) lines.push(['linear index', ...some(elements)]);
    if (elements.length === 1 && model.at[elements[0]].length > 1)
        lines.push(['copies', ...some(model.at[elements[0]].map((place) => place.text))]);
    return lines;
}
function bank_map(model, { word, lanes, elements }) {
    return [['bank', `${modulo(word, 32n)}`], ['bytes', `${word * 4n} to ${word * 4n + 3n}`], ['lanes', ...some(lanes, 'none')],
        ['elements', ...some(model.names(elements), 'none')]];
}
)js";

} // namespace detail
} // namespace v0
} // namespace axe

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_MODEL_JS_HPP
#define AXE_PICTURE_EMBEDDED_MODEL_JS_HPP

// Made of include/axe/picture/web/model.js. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char model_js[] =
R"js(// ---- Points: lists of coordinates, one for each axis that occurs, the axes in alphabetical order.
function compare_points(a, b) {
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}
// The digits of an index over a list of extents, last fastest.
function digits_of(extents, index) {
    const digits = [];
    for (let k = extents.length - 1; k >= 0; k--) {
        digits[k] = index % extents[k];
        index = (index - digits[k]) / extents[k];
    }
    return digits;
}
// All sums of the replicas, each once, ascending. Sets that overlap too much to be listed are rejected as too large ones are.
function replica_sums(replica, axes) {
    let sums = [axes.map(() => 0n)], steps = 0;
    for (const it of replica) {
        if (it.extent === 1n || it.stride === 0n) continue;
        const found = new Map(), at = axes.indexOf(it.axis);
        for (const sum of sums)
            for (let i = 0n; i < it.extent; i++) {
                const moved = sum.slice();
                moved[at] += i * it.stride;
                found.set(moved.join(), moved);
                if (found.size > facts.points || ++steps > 8 * facts.points) point_limit();
            }
        sums = [...found.values()];
    }
    return sums.sort(compare_points);
}

function cell_limit(count) { if (count > facts.cells) refuse('capacity', -1, `a picture has at most ${facts.cells} cells`); }
function panel_limit(count) { if (count > facts.panels) refuse('capacity', -1, `a picture has at most ${facts.panels} panels`); }
function point_limit() { refuse('capacity', -1, `a picture places at most ${facts.points} points`); }

// The remainder that is never negative, and the quotient that goes with it.
const modulo = (n, m) => ((n % m) + m) % m;
const floor_divide = (n, m) => (n - modulo(n, m)) / m;

// ---- A layout on a shape. A place is {point, text, elements}, the elements being those that live there; `places` has them by the
// coordinates of the point, and `at[x]` lists those of element x.
class Model {
    constructor(layout, shape) {
        Object.assign(this, layout);
        const size = this.shard.reduce((product, it) => product * it.extent, 1n);
        if (shape.volume !== size) refuse('size_mismatch', -1, `the shape has ${counted(shape.volume, 'elements')}, the layout ${size}`);
        cell_limit(size);
        this.extents = shape.extents.map(Number);
        this.digits = this.shard.map((it) => Number(it.extent));
        this.size = Number(size);
        this.axes = [...new Set([...this.shard, ...this.replica, ...this.offset].map((it) => it.axis))].sort();
        this.owner = this.shard.map((it) => this.axes.indexOf(it.axis));
        this.memory = this.axes.indexOf(this.swizzle.axis);
        this.base = this.axes.map((axis) => this.offset.find((entry) => entry.axis === axis)?.value ?? 0n);
        this.copies = replica_sums(this.replica, this.axes);
        if (this.size * this.copies.length > facts.points) point_limit();
        // Texts of coordinates and points are made once: each is shown in several places.
        this.coordinates = Array.from({ length: this.size }, (_, x) => `(${digits_of(this.extents, x).join()})`);
        this.places = new Map();
        this.at = this.coordinates.map((_, x) => {
            const points = this.straight_points(x).map((point) => this.swizzle_point(point));
            if (this.swizzle.bits > 0n) points.sort(compare_points);
            return points.map((point) => {
                const key = point.join(), known = this.places.get(key);
                if (known) {
                    known.elements.push(x);
                    return known;
                }
                const place = { point, text: this.print(point), elements: [x] };
                this.places.set(key, place);
                return place;
            });
        });
    }
    // D(x), added to a point.
    moved_by(digits, point = this.axes.map(() => 0n)) {
        digits.forEach((digit, k) => { point[this.owner[k]] += BigInt(digit) * this.shard[k].stride; });
        return point;
    }
    // { D(x) + r + O }, without the swizzle.
    straight_points(x) {
        const first = this.moved_by(digits_of(this.digits, x), this.base.slice());
        return this.replica.length ? this.copies.map((copy) => first.map((n, a) => n + copy[a])) : [first];
    }
    // Its own inverse: it leads back as well.
    swizzle_point(point) {
        if (this.memory < 0 || this.swizzle.bits === 0n) return point;
        return point.map((n, a) => (a === this.memory ? swizzled(n, this.swizzle) : n));
    }
    names(elements) { return elements.map((x) => this.coordinates[x]); }
    print(point) {
        let text = '{';
        for (let a = 0; a < point.length; a++) text += `${a > 0 ? ', ' : ''}${this.axes[a]}:${point[a]}`;
        return text + '}';
    }

    // The axes on which it moves: owners first, then axes that no table lists, places inside an owner last.
    moving_axes() {
        const moving = [...this.shard, ...this.replica].filter((it) => it.extent > 1n && it.stride !== 0n).map((it) => it.axis);
        const found = [...new Set(moving)], { owners, places } = facts;
        const unknown = found.filter((axis) => !owners.includes(axis) && !places.includes(axis));
        return [...owners.filter((axis) => found.includes(axis)), ...unknown, ...places.filter((axis) => found.includes(axis))];
    }
    // The room on an axis, from the least to the greatest coordinate.
    span(axis) {
        return [...this.shard, ...this.replica].filter((it) => it.axis === axis)
            .reduce((span, it) => span + (it.extent - 1n) * (it.stride < 0n ? -it.stride : it.stride), 1n);
    }
    // What colors the cells, as a function of a point. `bank` is worked out where it is not an axis of the layout.
    value_of(axis) {
        const a = this.axes.indexOf(axis);
        if (a >= 0) return (point) => point[a];
        if (axis === 'bank' && this.memory >= 0) return (point) => bank_of(point[this.memory] * this.swizzle.width);
        return () => 0n;
    }
}

// ---- Grids: lists of panels {title, row_name, column_name, rows, columns, cells}, the cells row by row, null if none exists.
// The cells on a line where `count` of them in a row are wrapped: all up to 32, else about a square.
function line_length(count) {
    if (count <= 32) return count;
    let length = 32;
    while (length < Math.floor(count / length)) length *= 2;
    return length;
}
// Numbers from one on, as BigInt.
function range(from, count, step = 1n) { return Array.from({ length: count }, (_, i) => from + BigInt(i) * step); }

// The tensor: the last two dimensions are a grid, the others number the panels; one dimension is wrapped into lines.
function logical_grid(model) {
    const { extents } = model, rank = extents.length;
    const columns = rank < 2 ? line_length(model.size) : extents[rank - 1];
    const rows = rank < 2 ? Math.ceil(model.size / columns) : extents[rank - 2];
    const outer = extents.slice(0, Math.max(rank - 2, 0)), count = outer.reduce((product, n) => product * n, 1);
    panel_limit(count);
    return range(0n, count).map((_, p) => ({
        title: rank > 2 ? `(${digits_of(outer, p).join(',')},:,:)` : '',
        row_name: rank > 1 ? `dim ${rank - 2}` : '',
        column_name: rank > 0 ? `dim ${rank - 1}` : '',
        rows: range(0n, rows, rank < 2 ? BigInt(columns) : 1n),
        columns: range(0n, columns),
        cells: Array.from({ length: rows * columns }, (_, i) => {
            const x = p * rows * columns + i;
            return x < model.size ? { element: x, places: model.at[x] } : null;
        }),
    }));
}

// Rows and columns as asked for; else the first and the last axis that moves. The other axes that move number the panels.
function grid_axes(model, rows, columns) {
    const rest = model.moving_axes(), take = (axis) => {
        if (rest.includes(axis)) rest.splice(rest.indexOf(axis), 1);
        return axis;
    };
    const grid = { rows, columns, panels: rest };
    for (const axis of [rows, columns]) take(axis);
    if (!columns && rest.length) grid.columns = take(rest[rest.length - 1]);
    if (!rows && rest.length) {
        const tall = model.span(rest[0]), wide = model.span(grid.columns);
        if (columns || wide <= 32n || wide / 16n < tall) grid.rows = take(rest[0]);
    }
    return grid;
}
// From the least to the greatest coordinate on both axes; a place where nothing lives is a cell too, a hole. Without rows the
// columns are wrapped into lines.
function hardware_grid(model, rows, columns) {
    const axes = grid_axes(model, rows, columns), all = [...model.places.values()];
    const index = (axis) => model.axes.indexOf(axis);
    const r = index(axes.rows), c = index(axes.columns), others = axes.panels.map(index);
    // Of all places, so that the panels are of one size.
    const bounds = (a) => {
        if (a < 0) return { low: 0n, count: 1n };
        let [low, high] = [all[0].point[a], all[0].point[a]];
        for (const { point } of all) {
            if (point[a] < low) low = point[a];
            if (point[a] > high) high = point[a];
        }
        return { low, count: high - low + 1n };
    };
    const across = bounds(c), down = bounds(r), panels = new Map();
    for (const place of all) {
        const panel = others.map((a) => place.point[a]), key = panel.join();
        if (!panels.has(key)) panels.set(key, { panel, held: [] });
        panels.get(key).held.push(place);
    }
    panel_limit(panels.size);
    cell_limit(across.count);
    cell_limit(down.count);
    const count = Number(across.count), width = axes.rows ? count : line_length(count);
    const height = axes.rows ? Number(down.count) : Math.ceil(count / width);
    cell_limit(panels.size * width * height);
    // Where a place belongs: row by row, or straight on where there are no rows.
    const cell_at = (point) => Number((r < 0 ? 0n : (point[r] - down.low) * across.count) + (c < 0 ? 0n : point[c] - across.low));
    return [...panels.values()].sort((a, b) => compare_points(a.panel, b.panel)).map(({ panel, held }) => {
        const cells = Array(height * width).fill(null);
        for (const place of held) cells[cell_at(place.point)] = place;
        for (let i = 0; i < (axes.rows ? height * width : count); i++) {
            if (cells[i]) continue;
            const point = all[0].point.slice(); // the axes that do not move are the same everywhere
            others.forEach((a, k) => { point[a] = panel[k]; });
            if (r >= 0) point[r] = down.low + BigInt(Math.floor(i / width));
            if (c >= 0) point[c] = across.low + BigInt(axes.rows ? i % width : i);
            cells[i] = { point, text: model.print(point), elements: [] };
        }
        return {
            title: axes.panels.map((axis, k) => `${axis} ${panel[k]}`).join(', '),
            row_name: axes.rows, column_name: axes.columns, cells,
            rows: axes.rows ? range(down.low, height) : range(across.low, height, BigInt(width)),
            columns: range(axes.rows ? across.low : 0n, width),
        };
    });
}

// ---- Shared memory: 32 banks of 4 bytes.
function bank_of(byte) { return modulo(floor_divide(byte, 4n), 32n); }

// The lanes' addresses in a tile: lane i takes the elements access(i·vector) … access(i·vector + vector - 1), which must follow
// each other in memory from an address on that is a multiple of their bytes.
function warp_access(model, access, vector, with_swizzle) {
    const { width } = model.swizzle, size = access.shard.reduce((product, it) => product * it.extent, 1n);
    if (vector < 1n || size % vector !== 0n)
        refuse('size_mismatch', -1, `an access of ${size} elements is not a whole number of vectors of ${vector}`);
    if (size / vector > 64n) refuse('bad_argument', -1, `a warp has 1 to 64 lanes, got ${size / vector}`);
    const bytes = width * vector;
    if (bytes > 16n) refuse('bad_argument', -1, `a lane moves 1, 2, 4, 8 or 16 bytes, got ${vector} elements of ${width}`);
    if (![1n, 2n, 4n, 8n, 16n].includes(bytes)) refuse('bad_argument', -1, `a lane moves 1, 2, 4, 8 or 16 bytes, got ${bytes}`);
    const moves = (it) => it.extent > 1n && it.stride !== 0n;
    if (access.replica.some(moves))
        refuse('not_single_valued', -1, 'the access has replicas; each lane must take one element at a time');
    const elsewhere = [...access.shard.filter(moves), ...access.offset.filter((entry) => entry.value !== 0n)];
    if (elsewhere.some(({ axis }) => axis !== 'm'))
        refuse('bad_argument', -1, 'an access gives element numbers, so it moves on m only');
    if (model.replica.some((it) => it.axis === model.swizzle.axis && moves(it)))
        refuse('not_single_valued', -1, 'an element has copies in this memory; the access would not know which to take');
    const extents = access.shard.map((it) => Number(it.extent)), count = Number(vector);
    const address = (x) => {
        const point = with_swizzle ? model.at[x][0].point : model.straight_points(x)[0];
        return model.memory < 0 ? 0n : point[model.memory] * width;
    };
    const offset = access.offset.find((entry) => entry.axis === 'm')?.value ?? 0n;
    return range(0n, Number(size / vector)).map((_, lane) => {
        const elements = range(0n, count).map((_, part) => {
            const digits = digits_of(extents, lane * count + part);
            const x = access.shard.reduce((sum, it, k) => sum + BigInt(digits[k]) * it.stride, offset);
            if (x < 0n || x >= BigInt(model.size))
                refuse('out_of_domain', -1, `index ${x} is outside the domain [0, ${model.size})`);
            return Number(x);
        });
        const first = address(elements[0]);
        elements.forEach((x, part) => {
            if (address(x) - first !== BigInt(part) * width)
                refuse('bad_argument', -1,
                    `element ${part} of the vector of lane ${lane} is not next to the one before it in memory`);
        });
        if (modulo(first, bytes) !== 0n)
            refuse('bad_argument', -1, `lane ${lane} is at byte ${first}, which is not a multiple of its ${bytes} bytes`);
        return { lane, elements, address: first, bytes: Number(bytes) };
    });
}
// Lanes are served together up to 128 bytes; the banks work side by side, and a bank gives one word at a time. `counts` are the
// different words wanted of each bank, their greatest how often the phase goes to memory.
function bank_phases(lanes) {
    const { bytes } = lanes[0], together = bytes <= 4 ? 32 : bytes === 8 ? 16 : 8, phases = [];
    for (let first = 0; first < lanes.length; first += together) {
        const words = new Set(), counts = Array(32).fill(0);
        for (const { address } of lanes.slice(first, first + together))
            for (let byte = 0n; byte < bytes; byte += 4n) words.add(floor_divide(address + byte, 4n));
        for (const word of words) counts[Number(modulo(word, 32n))]++;
        phases.push({ first, last: Math.min(first + together, lanes.length) - 1, counts, degree: Math.max(...counts) });
    }
    return phases;
}
// The lines of 128 bytes that the access touches: in each word the lanes that want it, and the elements they take from it.
function bank_panel(model, lanes, title) {
    const words = new Map();
    for (const { lane, elements, address, bytes } of lanes) {
        const width = BigInt(bytes / elements.length), step = width < 4n ? width : 4n;
        // An element may share its word with others, or take several words.
        elements.forEach((x, part) => {
            const first = address + BigInt(part) * width;
            for (let byte = 0n; byte < width; byte += step) {
                const word = floor_divide(first + byte, 4n), held = words.get(word) ?? { lanes: [], elements: [] };
                words.set(word, held);
                if (!held.lanes.includes(lane)) held.lanes.push(lane);
)js"
R"js(                if (!held.elements.includes(x)) held.elements.push(x);
            }
        });
    }
    const lines = [...new Set([...words.keys()].map((word) => floor_divide(word, 32n)))].sort((a, b) => (a < b ? -1 : 1));
    const cell = (word) => ({ word, lanes: [], elements: [], ...words.get(word) });
    return {
        title, row_name: 'byte', column_name: 'bank', rows: lines.map((line) => line * 128n), columns: range(0n, 32),
        cells: lines.flatMap((line) => range(line * 32n, 32).map(cell)), phases: bank_phases(lanes),
    };
}
)js";

} // namespace detail
} // namespace v0
} // namespace axe

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_PAGE_JS_HPP
#define AXE_PICTURE_EMBEDDED_PAGE_JS_HPP

// Made of include/axe/picture/web/page.js. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char page_js[] =
R"js(const by_id = (id) => document.getElementById(id);
const fields = ['layout', 'shape', 'color', 'rows', 'columns', 'cells', 'access', 'vector', 'width'];
const start = by_id('start').dataset; // what the page was made of
const sections = { logical: by_id('logical'), hardware: by_id('hardware'), banks: by_id('banks') };

// The picture that is shown: the model, its views, their cells, and what is highlighted.
let shown = null;

// ---- From the fields to a picture. A mistake carries the field it was made in.
function in_field(name, read) {
    try {
        return read(by_id(name).value);
    } catch (mistake) {
        if (mistake instanceof Mistake) mistake.field ??= name;
        throw mistake;
    }
}
// A number and nothing else.
function whole_number(text) {
    const reader = new Reader(text), n = reader.integer('a number');
    reader.finish();
    return n;
}
// All fields, read and evaluated; nothing is drawn before all of them make sense.
function read_fields() {
    const layout = in_field('layout', read_swizzled), shape = in_field('shape', read_shape);
    if (layout.plain) in_field('width', (text) => {
        layout.swizzle.width = whole_number(text);
        check_swizzle(layout.swizzle, 0);
    });
    const access = by_id('access').value.trim() === '' ? null : in_field('access', (text) => {
        const reader = new Reader(text), read = read_layout(reader);
        reader.finish(`'+' or the end of the text`);
        check_layout(read);
        return read;
    });
    const vector = in_field('vector', (text) => (access ? whole_number(text) : 1n));
    return { model: in_field('shape', () => new Model(layout, shape)), access, vector };
}
// A choice among the axes of the layout; an axis that the layout no longer has counts as none.
function choose(name, axes, automatic) {
    const select = by_id(name), wanted = select.dataset.wanted ?? select.value;
    const chosen = axes.includes(wanted) ? wanted : '';
    select.innerHTML = ['', ...axes].map((axis) =>
        `<option value='${axis}'${axis === chosen ? ' selected' : ''}>${axis || `automatic (${automatic})`}</option>`).join('');
    delete select.dataset.wanted;
    return chosen;
}

// The picture follows the fields. With a mistake in one of them, it stays as it is.
function update() {
    let read;
    try {
        read = read_fields();
    } catch (mistake) {
        if (!(mistake instanceof Mistake)) throw mistake;
        complain(mistake);
        return;
    }
    complain(null);
    draw(read);
    keep_address();
}

// Views fail on their own: one that would be too large says so in its place, and the others are drawn.
function draw({ model, access, vector }) {
    const moving = model.moving_axes(), first = moving[0] ?? 'm';
    const no_bank = model.axes.includes('bank') || model.memory < 0;
    const color = choose('color', no_bank ? model.axes : [...model.axes, 'bank'], first) || first;
    const rows = choose('rows', model.axes, '…');
    let columns = choose('columns', model.axes, '…');
    if (rows === columns) by_id('columns').value = columns = '';
    const automatic = grid_axes(model, '', '');
    by_id('rows').options[0].text = `automatic (${automatic.rows || 'none'})`;
    by_id('columns').options[0].text = `automatic (${automatic.columns || 'none'})`;

    const value_of = model.value_of(color), scale = new Scale([...model.places.values()].map(({ point }) => value_of(point)), 'k');
    const views = {
        logical: attempt(() => new LogicalView(model, value_of, color)),
        hardware: attempt(() => new HardwareView(model, value_of, rows, columns)),
        banks: access ? attempt(() => new BankView(model, access, vector)) : null,
    };
    const lanes = new Scale((views.banks?.lanes ?? []).map(({ lane }) => lane), 'n');
    by_id('colors').textContent = scale.style() + lanes.style();
    const owners = { value: scale.values, lane: lanes.values.map(BigInt) };
    shown = { model, color, value_of, owners, views, cells: new Map(), places: new Map(), lit: null, marked: [] };
    sections.banks.hidden = !access;
    for (const [name, view] of Object.entries(views)) {
        const section = sections[name], body = section.querySelector('.body');
        section.querySelector('.key').textContent = '';
        if (!view) body.textContent = '';
        else if (view instanceof Mistake) body.innerHTML = `<p class=note>Not drawn: ${escaped(view.words)}.</p>`;
        else fill(body, name, view, name === 'banks' ? lanes : scale);
    }
    legend(by_id('legend'), scale, color);
    legend(by_id('lanes'), lanes, 'lane');
    by_id('lanes').hidden = lanes.values.length === 0;
    by_id('width').disabled = !model.plain;
    by_id('map').textContent = '';
    by_id('hint').hidden = false;
    title();
    select(null);
}
function attempt(make) {
    try {
        return make();
    } catch (mistake) {
        if (mistake instanceof Mistake) return mistake;
        throw mistake;
    }
}
// Fills a section; then finds each cell's record, so that an event leads from an element to what it shows.
function fill(body, name, view, scale) {
    const widest = Math.max(...view.panels.map((panel) => panel.columns.length));
    const count = view.panels.reduce((sum, panel) => sum + panel.cells.length, 0), wanted = by_id('cells').value;
    const small = wanted ? wanted === 'small' : widest > 32 || count > 4096;
    body.innerHTML = view_html(view, scale, small, body.closest('main').clientWidth);
    body.parentNode.querySelector('.key').textContent = key_text(view, small);
    body.parentNode.style.flexBasis = `min(100%, ${view.width}px)`;
    const elements = body.getElementsByClassName('c');
    let next = 0;
    view.panels.forEach((panel, p) => {
        panel.start = next;
        panel.cells.forEach((cell, i) => {
            if (!cell) return;
            const element = elements[next++];
            shown.cells.set(element, { name, view, panel, p, i, cell });
            const keys = name === 'hardware' ? [cell.text] : name === 'logical' ? [cell.element] : cell.elements;
            for (const key of keys) {
                const place = name + key, held = shown.places.get(place);
                if (held) held.push(element); else shown.places.set(place, [element]);
            }
        });
    });
    view.elements = [...elements];
    view.active = view.elements[0];
    view.active.tabIndex = 0;
}
// A row of buttons, the first of them the stop of the Tab key.
function legend(body, scale, name) {
    body.innerHTML = legend_html(scale, name);
    const button = body.querySelector('button');
    if (button) button.tabIndex = 0;
}
// The title given, as long as it is true; else the layout.
function title() {
    const { layout, shape } = start, edited = by_id('layout').value !== layout || by_id('shape').value !== shape;
    const text = !start.title ? by_id('layout').value : edited ? `${start.title} (edited)` : start.title;
    document.title = text;
    by_id('title').textContent = text;
    by_id('title').classList.toggle('text', !start.title);
}

// ---- The message: what is wrong, and a caret under the character, in a window of the text.
function complain(mistake) {
    for (const name of fields) by_id(name).removeAttribute('aria-invalid');
    by_id('message').hidden = !mistake;
    by_id('hello').hidden = Boolean(mistake);
    if (!mistake) {
        by_id('said').textContent = by_id('place').textContent = '';
        return;
    }
    const { field, at, words } = mistake, text = by_id(field).value.replace(/\s/g, ' ');
    const from = text.length > 80 ? Math.max(0, at - 40) : 0;
    const piece = (from > 0 ? '…' : '') + text.slice(from, from + 80) + (text.length > from + 80 ? '…' : '');
    by_id(field).setAttribute('aria-invalid', 'true');
    by_id('said').textContent = `${by_id(field).labels[0].textContent.split(',')[0]}: ${words}.` +
        (shown ? ' The picture is still the last one that could be drawn.' : '');
    by_id('place').textContent = at < 0 ? '' : `${piece}\n${' '.repeat(at - from + (from > 0 ? 1 : 0))}^`;
}

// ---- The address: the fields that are not as the page was made, and what is highlighted. Browsers take it amiss when it changes
// with every key.
let address_timer = 0;
function keep_address() {
    clearTimeout(address_timer);
    address_timer = setTimeout(write_address, 200);
}
function write_address() {
    const state = fields.map((name) => [name, by_id(name).value]).filter(([name, value]) => value !== (start[name] ?? ''));
    if (shown.lit) state.push([shown.lit.kind, String(shown.lit.value)]);
    const encoded = (value) => encodeURIComponent(value).replace(/%(3A|2C|40|2F)/g, decodeURIComponent);
    const text = state.map(([name, value]) => `${name}=${encoded(value)}`);
    try {
        history.replaceState(null, '', text.length ? `#${text.join('&')}` : location.pathname + location.search);
    } catch { /* a frame without an address of its own: nothing to keep */ }
}
function read_address() { read_state(new URLSearchParams(location.hash.slice(1))); }
// Fields that are not named are as the page was made.
function read_state(state) {
    for (const name of fields) {
        const value = state.get(name) ?? start[name] ?? '', field = by_id(name);
        // The choices among axes are only there once the layout is read.
        if (field.options && name !== 'cells') field.dataset.wanted = value;
        field.value = value;
    }
    update();
    if (!shown) return;
    for (const kind of ['value', 'lane'])
        if (state.has(kind) && /^-?[0-9]{1,19}$/.test(state.get(kind))) select({ kind, value: BigInt(state.get(kind)) });
}
)js";

} // namespace detail
} // namespace v0
} // namespace axe

#endif

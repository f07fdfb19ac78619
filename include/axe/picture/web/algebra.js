// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first part of the script of a page: reading the notation, and evaluating a layout forwards. It says of a text what
// `parse_swizzled` and `check` say of it, in the same words. All numbers are whole and exact (`BigInt`); only indices, digits and
// extents, which the limit of a picture keeps small, are ordinary numbers.

// ---- What is wrong with a text: `at` is the place of a character, -1 when it is not a character that is wrong.
class Mistake {
    constructor(code, at, words) { Object.assign(this, { code, at, words }); }
}
function refuse(code, at, words) { throw new Mistake(code, at, words); }
// `2 strides`, `1 stride`.
function counted(n, plural) { return `${n} ${String(n) === '1' ? plural.slice(0, -1) : plural}`; }

// The library's numbers have 64 bits; what leaves them there is rejected here.
const least = -(2n ** 63n), most = 2n ** 63n - 1n;
function fits(n) { return n >= least && n <= most; }

// ---- Tokens. Spaces are allowed between any two. What does not read throws a `Mistake` at its character.
class Reader {
    constructor(text) { this.text = text; this.at = 0; }
    peek() {
        while (this.at < this.text.length && ' \t\n\r'.includes(this.text[this.at])) this.at++;
        return this.text[this.at] || '';
    }
    accept(c) {
        if (this.peek() !== c) return false;
        this.at++;
        return true;
    }
    // What matches from here on; the pattern has the flag y.
    match(sticky) {
        sticky.lastIndex = this.at;
        return sticky.exec(this.text)?.[0];
    }
    expected(what) { refuse('bad_syntax', this.at, `expected ${what} at character ${this.at}`); }
    expect(c, what) { if (!this.accept(c)) this.expected(what); }
    integer(what) {
        this.peek();
        const at = this.at, digits = this.match(/-?[0-9]+/y);
        if (!digits) {
            this.accept('-');
            this.expected(what);
        }
        // A long text of digits is rejected before it becomes a number.
        const short = digits.replace(/^(-?)0+(?=[0-9])/, '$1'), n = short.length > 20 ? most + 1n : BigInt(short);
        if (!fits(n)) refuse('overflow', at, `the number at character ${at} overflows`);
        this.at += digits.length;
        return n;
    }
    axis(what = 'the name of an axis') {
        this.peek();
        this.at += this.match(/Axis\.(?=[A-Za-z])/y)?.length ?? 0; // as TVM prints an axis
        const at = this.at, name = this.match(/[A-Za-z][A-Za-z0-9_.]*/y);
        if (!name) this.expected(what);
        if (name.length > 15)
            refuse('bad_axis', at, `the axis at character ${at} has a name of ${name.length} characters; at most 15 fit`);
        this.at += name.length;
        return name;
    }
    // The text between brackets, the first of which has been read.
    list(close, where, item) {
        const items = [];
        if (this.accept(close)) return items;
        // `(8,)` is Python's list of one.
        do items.push(item()); while (this.accept(',') && !(close === ')' && items.length === 1 && this.peek() === close));
        this.expect(close, `',' or '${close}'${where}`);
        return items;
    }
    finish(what = 'the end of the text') { if (this.peek() !== '') this.expected(what); }
}

// ---- Iters {extent, stride, axis, at}, `at` being the place of the extent.
function read_stride(reader) {
    const stride = reader.integer('a stride');
    return { stride, axis: reader.accept('@') ? reader.axis() : 'm' };
}
function read_iter(reader, what = 'an extent') {
    reader.peek();
    const at = reader.at, extent = reader.integer(what);
    reader.expect(':', `':' after the extent`);
    return { extent, at, ...read_stride(reader) };
}
// `(extents):(strides)`, or one iter without parentheses.
function read_iters(reader) {
    if (!reader.accept('(')) return [read_iter(reader, `'(' or an extent`)];
    const extents = reader.list(')', ' in the extents', () => {
        reader.peek();
        return { at: reader.at, extent: reader.integer('an extent') };
    });
    reader.expect(':', `':' after the extents`);
    reader.expect('(', `'(' before the strides`);
    const start = reader.at, strides = reader.list(')', ' in the strides', () => read_stride(reader));
    if (extents.length !== strides.length)
        refuse('rank_mismatch', start, `${counted(extents.length, 'extents')}, but ${counted(strides.length, 'strides')} from character ${start} on`);
    return extents.map((extent, k) => ({ ...extent, ...strides[k] }));
}
// What follows `[`: iters one by one, or as TVM writes them, in two lists.
function read_replica(reader) {
    if (reader.peek() !== '(') return reader.list(']', ' in the replicas', () => read_iter(reader));
    const list = read_iters(reader);
    reader.expect(']', `']' after the replicas`);
    return list;
}

// ---- A layout {shard, replica, offset}; the offset is a list of {axis, value, at} in order of axis.
function read_layout(reader) {
    const layout = { shard: [], replica: [], offset: [] };
    if (reader.peek() === 'S') { // the spelling of TVM
        reader.at++;
        reader.expect('[', `'[' after S`);
        layout.shard = read_iters(reader);
        reader.expect(']', `']' after the shard`);
    } else {
        layout.shard = read_iters(reader);
    }
    for (let first = true; reader.accept('+'); first = false) {
        const next = reader.peek();
        if (first && (next === '[' || next === 'R')) {
            if (next === 'R') reader.at++;
            reader.expect('[', `'[' after R`);
            layout.replica = read_replica(reader);
            continue;
        }
        reader.peek();
        let at = reader.at, axis = 'm';
        const value = reader.integer(first ? 'replicas or an offset' : 'an offset');
        if (reader.accept('@')) {
            reader.peek();
            at = reader.at;
            axis = reader.axis();
        }
        if (layout.offset.some((entry) => entry.axis === axis))
            refuse('bad_axis', at, `the axis at character ${at} is already named`);
        if (layout.offset.length === 8)
            refuse('capacity', at, `the axis at character ${at} is one too many; at most 8 fit`);
        layout.offset.push({ axis, value, at });
    }
    layout.offset.sort((a, b) => (a.axis < b.axis ? -1 : 1));
    return layout;
}

// Is it a layout? Extents of at least 1, no more of anything than there is room for, and nothing beyond 64 bits.
function check_layout({ shard, replica, offset }) {
    if (shard.length > 16) refuse('capacity', -1, `a layout has at most 16 shard iters, this one has ${shard.length}`);
    if (replica.length > 8) refuse('capacity', -1, `a layout has at most 8 replica iters, this one has ${replica.length}`);
    let size = 1n;
    shard.forEach((it, i) => {
        if (it.extent < 1n) refuse('bad_extent', it.at, `the extent of iter ${i} is ${it.extent}; it must be at least 1`);
        size *= it.extent;
        if (!fits(size)) refuse('overflow', it.at, `the product of the extents overflows at iter ${i}`);
    });
    replica.forEach((it, i) => {
        if (it.extent < 1n) refuse('bad_extent', it.at, `the extent of replica iter ${i} is ${it.extent}; it must be at least 1`);
    });
    // An iter that moves nothing claims no axis.
    const moving = [...shard, ...replica].filter((it) => it.extent > 1n && it.stride !== 0n);
    if (new Set([...moving, ...offset].map((it) => it.axis)).size > 8) refuse('capacity', -1, 'a layout has at most 8 axes');
    // The least and the greatest coordinate, their negatives, and the room between them.
    const reach_fits = (axis) => {
        let low = offset.find((entry) => entry.axis === axis)?.value ?? 0n, high = low;
        for (const it of moving.filter((it) => it.axis === axis)) {
            const part = (it.extent - 1n) * it.stride;
            if (part < 0n) low += part; else high += part;
        }
        return fits(low) && fits(-low) && fits(high) && fits(-high) && fits(high - low + 1n);
    };
    const hold = (list, name) => list.forEach((it, i) => {
        if (!reach_fits(it.axis)) refuse('overflow', it.at, `the coordinates on the axis of ${name} ${i} overflow`);
    });
    hold(shard, 'iter');
    hold(replica, 'replica iter');
    hold(offset, 'offset');
}

// ---- A swizzle {bits, base, shift, axis, width} round a layout; a plain layout has one that moves no bits.
function read_swizzled(text) {
    const reader = new Reader(text), swizzle = { bits: 0n, base: 0n, shift: 0n, axis: 'm', width: 1n };
    const small = (what) => {
        reader.peek();
        const at = reader.at, n = reader.integer(what);
        if (BigInt.asIntN(32, n) !== n) refuse('overflow', at, `the number at character ${at} overflows`);
        return n;
    };
    let layout, at = -1;
    if (/^[A-RT-Za-z]/.test(reader.peek())) { // S begins the spelling of TVM
        at = reader.at;
        if (!reader.match(/swizzle(?![A-Za-z])/y)) reader.expected('a layout or swizzle<bits,base,shift>');
        reader.at += 'swizzle'.length;
        reader.expect('<', `'<' after swizzle`);
        swizzle.bits = small('the number of bits');
        reader.expect(',', `',' after the bits`);
        swizzle.base = small('the lowest bit');
        reader.expect(',', `',' after the lowest bit`);
        swizzle.shift = small('the shift');
        reader.expect('>', `'>' after the shift`);
        if (reader.accept('@')) swizzle.axis = reader.axis();
        if (reader.accept('/')) swizzle.width = reader.integer('the bytes of an element');
        reader.expect('(', `'(' before the layout`);
        layout = read_layout(reader);
        reader.expect(')', `'+' or ')' after the layout`);
        reader.finish();
    } else {
        layout = read_layout(reader);
        reader.finish(`'+' or the end of the text`);
    }
    check_layout(layout);
    check_swizzle(swizzle, at);
    return { ...layout, swizzle, plain: at < 0 };
}
// Are the bits that are read apart from those that are written, and elements whole?
function check_swizzle({ bits, base, shift, width }, at) {
    const apart = shift < 0n ? -shift : shift;
    if (bits < 0n || base < 0n || apart < bits || bits + base + apart > 61n)
        refuse('bad_argument', at,
            `swizzle<${bits},${base},${shift}> must have bits and base >= 0, |shift| >= bits, and end below bit 62`);
    if (width < 1n || (width & (width - 1n)) !== 0n || (bits > 0n && width > 1n << base))
        refuse('bad_argument', at, `a swizzle whose lowest bit is ${base} splits elements of ${counted(width, 'bytes')}`);
}
// The exclusive-or of address bits, as it acts on the number of an element. A negative number has bits set in front without end, as
// BigInt has it.
function swizzled(value, { bits, base, shift, width }) {
    if (bits === 0n) return value;
    const address = value * width, up = shift > 0n ? shift : 0n, down = shift > 0n ? 0n : -shift;
    return (address ^ (((address >> (base + up)) & ((1n << bits) - 1n)) << (base + down))) / width;
}

// ---- A shape or a coordinate, as numbers.
function read_shape(text) {
    const reader = new Reader(text), item = () => {
        reader.peek();
        return { at: reader.at, extent: reader.integer('an extent') };
    };
    let shape = [];
    if (reader.accept('(')) {
        shape = reader.list(')', '', item);
    } else { // `8`, `8,16` or `8x16`
        shape.push(item());
        const between = reader.peek() === 'x' ? 'x' : ',';
        while (reader.accept(between)) shape.push(item());
    }
    reader.finish();
    if (shape.length > 16) refuse('capacity', -1, `a shape has at most 16 dimensions, this one has ${shape.length}`);
    let volume = 1n;
    shape.forEach(({ extent, at }, d) => {
        if (extent < 1n) refuse('bad_extent', at, `dimension ${d} of the shape is ${extent}; it must be at least 1`);
        volume *= extent;
        if (!fits(volume)) refuse('overflow', at, `the product of the shape overflows at dimension ${d}`);
    });
    return { extents: shape.map((dim) => dim.extent), volume };
}

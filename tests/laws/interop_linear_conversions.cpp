// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/conversion.hpp>
#include <axe/machine/banks.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

/// Conversions between register layouts, by enumeration: what each thread has, who asks whom, and all ways through shared memory.
namespace {

using namespace axe::linear;
using Int = std::int64_t;
using Word = std::uint64_t;
using axe::errc;

/// A register layout of one block.
struct Threads {
    int registers, lanes, warps;
    LinearLayout layout;

    [[nodiscard]] Word at(Word r, Word l, Word w) const { return apply(layout, r | l << registers | w << (registers + lanes)); }
};

Threads threads(int d, const std::vector<Word>& r, const std::vector<Word>& l, const std::vector<Word>& w)
{
    Threads t{static_cast<int>(r.size()), static_cast<int>(l.size()), static_cast<int>(w.size()), {}};
    t.layout.in = {{"register", t.registers}, {"lane", t.lanes}, {"warp", t.warps}};
    t.layout.out = {{"dim0", d / 2}, {"dim1", d - d / 2}};
    for (const auto* list : {&r, &l, &w})
        for (const Word basis : *list) t.layout.bases.push_back(basis);
    REQUIRE(check(t.layout).ok());
    return t;
}

std::string text(const Threads& t)
{
    std::string out;
    for (int i = 0; i < t.layout.bases.size(); ++i)
        out += (i == t.registers || i == t.registers + t.lanes ? " | " : " ") + std::to_string(t.layout.bases[i]);
    return out;
}

int rank_of(std::vector<Word> words)
{
    int rank = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == 0) continue;
        ++rank;
        const Word low = words[i] & (~words[i] + 1);
        for (std::size_t k = i + 1; k < words.size(); ++k)
            if ((words[k] & low) != 0) words[k] ^= words[i];
    }
    return rank;
}

/// Random bases: mostly bits in some order; sums; zeros; repeated.
std::vector<Word> random_bases(int d, int count, laws::Random& random)
{
    std::vector<Word> bits;
    for (int i = 0; i < d; ++i) bits.push_back(Word{1} << i);
    for (std::size_t i = bits.size(); i > 1; --i)
        std::swap(bits[i - 1], bits[static_cast<std::size_t>(random.in(0, static_cast<Int>(i) - 1))]);
    std::vector<Word> out;
    for (int i = 0; i < count; ++i)
        out.push_back(i < d ? bits[static_cast<std::size_t>(i)] : random.in(0, 2) == 0 ? Word(random.in(0, (Int{1} << d) - 1)) : 0);
    for (Int k = random.in(0, 3) == 0 ? random.in(1, 6) : 0; k > 0 && count > 1; --k) { // sums keep the span
        const auto i = static_cast<std::size_t>(random.in(0, count - 1)), j = static_cast<std::size_t>(random.in(0, count - 1));
        if (i != j) out[i] ^= out[j];
    }
    for (std::size_t i = out.size(); i > 1 && random.in(0, 1) == 0; --i)
        std::swap(out[i - 1], out[static_cast<std::size_t>(random.in(0, static_cast<Int>(i) - 1))]);
    return out;
}

Threads random_threads(int d, int registers, int lanes, int warps, laws::Random& random)
{
    const auto all = random_bases(d, registers + lanes + warps, random);
    const auto r = all.begin() + registers, l = r + lanes;
    return threads(d, {all.begin(), r}, {r, l}, {l, all.end()});
}

/// Another over the same tensor and threads, often near to the first.
Threads another(const Threads& a, int d, laws::Random& random)
{
    std::vector<Word> all(a.layout.bases.begin(), a.layout.bases.end());
    const auto some = [&](int from, int count) { return static_cast<std::size_t>(from + random.in(0, count - 1)); };
    const int near = a.registers + (random.in(0, 1) == 0 ? a.lanes : 0);
    switch (random.in(0, 3)) {
    case 0: return random_threads(d, a.registers, a.lanes, a.warps, random);
    case 1: // within a warp, or a thread
        for (int k = 0; k < 4 && near > 0; ++k) std::swap(all[some(0, near)], all[some(0, near)]);
        break;
    case 2: // sums of what a warp has
        for (int k = 0; k < 6 && near > 0; ++k)
            if (const auto i = some(0, near), j = some(0, near); i != j) all[i] ^= all[j];
        break;
    default: // registers into anything
        for (int k = 0; k < 3 && a.registers > 0; ++k)
            if (const auto i = some(0, static_cast<int>(all.size())), j = some(0, a.registers); i != j) all[i] ^= all[j];
        if (a.registers > 1) std::swap(all[0], all[some(0, a.registers)]);
    }
    const auto r = all.begin() + a.registers, l = r + a.lanes;
    return threads(d, {all.begin(), r}, {r, l}, {l, all.end()});
}

std::set<Word> of_thread(const Threads& t, Word l, Word w)
{
    std::set<Word> out;
    for (Word r = 0; r < Word{1} << t.registers; ++r) out.insert(t.at(r, l, w));
    return out;
}

/// From the definition: no sequence of rounds has fewer shuffles. A lane takes one word of one lane a round; lanes with the same elements
/// are one class, and what a lane has itself costs nothing.
Int least_rounds(const Threads& a, const Threads& b, int per_word)
{
    Int most = 0;
    for (Word w = 0; w < Word{1} << b.warps; ++w) {
        std::map<Word, Word> holder; // element → the least element of a thread that has it
        for (Word l = 0; l < Word{1} << a.lanes; ++l) {
            const auto mine = of_thread(a, l, w);
            for (const Word x : mine) holder[x] = *mine.begin();
        }
        for (Word l = 0; l < Word{1} << b.lanes; ++l) {
            std::map<Word, Int> wanted;
            for (const Word x : of_thread(b, l, w)) ++wanted[holder.at(x)];
            wanted.erase(*of_thread(a, l, w).begin());
            Int sum = 0;
            for (const auto& [of, n] : wanted) sum += (n + per_word - 1) / per_word;
            most = std::max(most, sum);
        }
    }
    return most;
}

/// Plays the rounds. "" or what went wrong.
std::string play(const Threads& a, const Threads& b, const Shuffles& s)
{
    const auto& in = s.moves.in;
    std::vector<std::vector<int>> filled(std::size_t{1} << (b.lanes + b.warps), std::vector<int>(std::size_t{1} << b.registers));
    for (Word w = 0; w < Word{1} << b.warps; ++w)
        for (Word round = 0; round < static_cast<Word>(s.rounds); ++round) {
            std::map<Word, std::set<Word>> given; // lane → registers of its word
            std::map<Word, std::set<std::set<Word>>> words;
            for (Word l = 0; l < Word{1} << b.lanes; ++l) {
                std::set<Word> registers, lanes;
                for (Word e = 0; e < Word{1} << in[1].bits; ++e) {
                    const Word x =
                        round | e << in[0].bits | l << (in[0].bits + in[1].bits) | w << (in[0].bits + in[1].bits + in[2].bits);
                    const Word y = apply(s.moves, x), to = y & ((Word{1} << b.registers) - 1),
                               at = y >> b.registers & ((Word{1} << a.registers) - 1), lane = y >> (b.registers + a.registers);
                    if (b.at(to, l, w) != a.at(at, lane, w)) return "another element";
                    ++filled[l | w << b.lanes][to];
                    registers.insert(at);
                    lanes.insert(lane);
                }
                if (lanes.size() != 1) return "a word of several lanes";
                if (round < static_cast<Word>(s.own_rounds) && *lanes.begin() != l) return "a move from another lane";
                words[*lanes.begin()].insert(registers);
            }
            for (const auto& [lane, asked] : words)
                if (asked.size() != 1) return "one lane asked for several words";
        }
    for (const auto& registers : filled)
        for (const int times : registers)
            if (times != 1) return "a register is not filled once";
    return "";
}

} // namespace

TEST_CASE("register_permutation exists iff each thread has what it is to have, and gives it")
{
    laws::Random random(11);
    int yes = 0, no = 0, uniform = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const int d = static_cast<int>(random.in(2, 7)), lanes = static_cast<int>(random.in(0, 3)),
                  warps = static_cast<int>(random.in(0, 2));
        const Threads a = random_threads(d, static_cast<int>(random.in(0, 4)), lanes, warps, random), b = another(a, d, random);
        INFO(text(a) << " to " << text(b));
        bool has = true;
        for (Word l = 0; l < Word{1} << lanes; ++l)
            for (Word w = 0; w < Word{1} << warps; ++w) {
                const auto had = of_thread(a, l, w), wanted = of_thread(b, l, w);
                has = has && std::includes(had.begin(), had.end(), wanted.begin(), wanted.end());
            }
        const auto p = register_permutation(a.layout, b.layout);
        REQUIRE(p.has_value() == has);
        ++(has ? yes : no);
        if (!has) {
            CHECK(p.code() == errc::no_layout);
            continue;
        }
        REQUIRE(check(p->source).ok());
        std::set<Word> by_thread; // of register 0 and the others alike: does it depend on the thread?
        for (Word r = 0; r < Word{1} << b.registers; ++r)
            for (Word l = 0; l < Word{1} << lanes; ++l)
                for (Word w = 0; w < Word{1} << warps; ++w) {
                    const Word from = apply(p->source, r | l << b.registers | w << (b.registers + lanes));
                    REQUIRE(b.at(r, l, w) == a.at(from, l, w));
                    by_thread.insert(from ^ apply(p->source, r));
                }
        CHECK(p->uniform == (by_thread.size() == 1));
        uniform += p->uniform ? 1 : 0;
    }
    CHECK(yes > 400);
    CHECK(no > 400);
    CHECK(uniform > 100);
    CHECK(uniform < yes);
}

TEST_CASE("shuffles exist iff each warp has what it is to have, give it, and no other sequence is shorter")
{
    laws::Random random(12);
    int yes = 0, no = 0, own = 0, packed = 0, refused = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        const int d = static_cast<int>(random.in(2, 8)), lanes = static_cast<int>(random.in(0, 4)),
                  warps = static_cast<int>(random.in(0, 2));
        const Threads a = random_threads(d, static_cast<int>(random.in(0, 4)), lanes, warps, random);
        Threads b = another(a, d, random);
        const auto distinct = distinct_registers(b.layout);
        REQUIRE(distinct);
        b.layout = *distinct;
        b.registers = distinct->in[0].bits;
        INFO(text(a) << " to " << text(b));
        bool has = true;
        for (Word w = 0; w < Word{1} << warps; ++w) {
            std::set<Word> had, wanted;
            for (Word l = 0; l < Word{1} << lanes; ++l) {
                had.merge(of_thread(a, l, w));
                wanted.merge(of_thread(b, l, w));
            }
            has = has && std::includes(had.begin(), had.end(), wanted.begin(), wanted.end());
        }
        for (const int bytes : {1, 2, 4, 8, 16}) {
            const auto s = shuffles(a.layout, b.layout, bytes);
            if (!s) REQUIRE(s.code() == errc::no_layout);
            if (has && !s) { // a warp has more under `a` than under `b`: nothing else is refused
                ++refused;
                std::vector<Word> more(a.layout.bases.begin(), a.layout.bases.begin() + a.registers + a.lanes), less = more;
                less.erase(less.begin() + a.registers, less.end());
                less.insert(less.end(), b.layout.bases.begin(), b.layout.bases.begin() + b.registers + b.lanes);
                REQUIRE(rank_of(more) > rank_of(less));
                continue;
            }
            REQUIRE(s.has_value() == has);
            ++(has ? yes : no);
            if (!has) continue;
            REQUIRE(check(s->moves).ok());
            REQUIRE(play(a, b, *s) == "");
            const Int least = least_rounds(a, b, std::max(1, 4 / bytes));
            REQUIRE(s->rounds - s->own_rounds == least);
            CHECK(s->count() == least * std::max(1, bytes / 4));
            own += s->own_rounds > 0 && least > 0 ? 1 : 0;
            packed += s->moves.in[1].bits > 0 ? 1 : 0;
            CHECK((least == 0) == register_permutation(a.layout, b.layout).has_value());
        }
    }
    CHECK(yes > 2000);
    CHECK(no > 2000);
    CHECK(own > 200);
    CHECK(packed > 200);
    CHECK(refused > 5);
}

namespace {

/// Store or load by the rule of the banks, address by address.
SharedTraffic walked(const Threads& t, const LinearLayout& shared, int bytes, int vector_bits)
{
    SharedTraffic out;
    std::vector<Word> offset(std::size_t{1} << shared.bases.size());
    for (Word x = 0; x < offset.size(); ++x) offset[apply(shared, x)] = x;
    for (Word w = 0; w < Word{1} << t.warps; ++w) {
        // The vectors of lane 0, each by its first offset; the registers of another lane are those of lane 0 and a constant.
        std::set<Word> vectors;
        for (const Word x : of_thread(t, 0, w)) vectors.insert(offset[x] >> vector_bits << vector_bits);
        for (const Word v : vectors) {
            axe::WarpAccess access;
            access.lanes = 1 << t.lanes;
            access.bytes = bytes << vector_bits;
            for (Word l = 0; l < Word{1} << t.lanes; ++l) {
                const Word first = offset[apply(shared, v) ^ t.at(0, l, 0)] >> vector_bits << vector_bits;
                const auto mine = of_thread(t, l, w);
                for (Word i = 0; i < Word{1} << vector_bits; ++i) REQUIRE(mine.count(apply(shared, first + i)) == 1);
                access.address[l] = static_cast<Int>(first) * bytes;
            }
            const auto conflicts = axe::bank_conflicts(access);
            REQUIRE(conflicts);
            ++out.requests;
            out.phases += conflicts->phases;
            out.wavefronts += conflicts->passes();
        }
    }
    return out;
}

Threads random_whole(int d, int registers, int lanes, laws::Random& random)
{
    for (;;) {
        const int warps = std::max(0, d - registers - lanes) + (random.in(0, 5) == 0 ? 1 : 0);
        Threads t = random_threads(d, registers, lanes, warps, random);
        if (rank_of({t.layout.bases.begin(), t.layout.bases.end()}) == d) return t;
    }
}

/// Two over the whole tensor with the same threads.
bool random_pair(int d, int lanes, Threads& a, Threads& b, laws::Random& random)
{
    a = random_whole(d, static_cast<int>(random.in(0, std::max(0, d - lanes))), lanes, random);
    b = another(a, d, random);
    return rank_of({b.layout.bases.begin(), b.layout.bases.end()}) == d;
}

/// f(bases) for every subspace of dimension m of the n-bit words, once, by its reduced bases: the highest bit of each is in no other.
template <class F>
void each_subspace(int n, int m, const F& f, std::vector<Word> bases = {}, Word pivots = 0, int from = 0)
{
    if (m == 0) return f(bases);
    for (int p = from; p + m <= n; ++p) {
        const Word free = ((Word{1} << p) - 1) & ~pivots;
        bases.push_back(0);
        for (Word low = free;; low = (low - 1) & free) {
            bases.back() = Word{1} << p | low;
            each_subspace(n, m - 1, f, bases, pivots | Word{1} << p, p + 1);
            if (low == 0) break;
        }
        bases.pop_back();
    }
}

/// Words modulo some others, as words of the bits that are left.
std::vector<Word> modulo(std::vector<Word> words, std::vector<Word> others, int d)
{
    std::vector<Word> reduced; // each with a lowest bit that no other has
    for (Word o : others) {
        for (const Word r : reduced)
            if ((o & (r & (~r + 1))) != 0) o ^= r;
        if (o == 0) continue;
        for (Word& r : reduced)
            if ((r & (o & (~o + 1))) != 0) r ^= o;
        reduced.push_back(o);
    }
    Word gone = 0;
    for (const Word r : reduced) gone |= r & (~r + 1);
    for (Word& w : words) {
        for (const Word r : reduced)
            if ((w & (r & (~r + 1))) != 0) w ^= r;
        Word packed = 0;
        for (int i = 0, to = 0; i < d; ++i)
            if ((gone >> i & 1) == 0) packed |= (w >> i & 1) << to++;
        w = packed;
    }
    return words;
}

/// Which of the 2^n words are sums of some.
std::vector<bool> span(const std::vector<Word>& words, int n)
{
    std::vector<bool> in(std::size_t{1} << n);
    in[0] = true;
    for (const Word w : words)
        if (!in[w]) {
            std::vector<bool> more = in;
            for (Word x = 0; x < in.size(); ++x)
                if (in[x]) more[x ^ w] = true;
            in = more;
        }
    return in;
}

struct Search {
    Int least = -1;     ///< wavefronts of store and load together
    Int candidates = 0; ///< that were looked at
};

/// The least wavefronts over all bijections whose vectors of 2^v elements both sides have. Only these decide: the subspace W of the
/// first offsets, as many as a vector has or a word of 4 bytes if that is more, and the subspace beyond 128 bytes. All of both are tried;
/// wavefronts are counted as phases times the words of a phase that are one bank's.
Search exhaustive(const Threads& a, const Threads& b, int d, int e, int v)
{
    Search out;
    const Threads* sides[2] = {&a, &b};
    std::vector<Word> lanes[2], registers[2];
    Int phases[2];
    const int together = e + v <= 2 ? 5 : 7 - e - v;
    for (int s = 0; s < 2; ++s) {
        const auto& bases = sides[s]->layout.bases;
        registers[s] = {bases.begin(), bases.begin() + sides[s]->registers};
        lanes[s] = {bases.begin() + sides[s]->registers, bases.begin() + sides[s]->registers + std::min(sides[s]->lanes, together)};
        phases[s] = Int{1} << (sides[s]->warps + rank_of(registers[s]) - v + std::max(0, sides[s]->lanes - together));
    }
    std::vector<Word> common; // by trying all words
    const auto in_a = span(registers[0], d), in_b = span(registers[1], d);
    for (Word x = 1; x < Word{1} << d; ++x)
        if (in_a[x] && in_b[x] && !span(common, d)[x]) common.push_back(x);
    const int segment = std::max(0, d - (7 - e));
    const auto with = [&](const std::vector<Word>& low) {
        const int n = d - rank_of(low);
        const auto of_a = span(modulo(lanes[0], low, d), n), of_b = span(modulo(lanes[1], low, d), n);
        each_subspace(n, segment, [&](const std::vector<Word>& bases) {
            Int hit[2] = {0, 0};
            Word x = 0; // all sums, one base changed at a time
            for (Word k = 0;;) {
                hit[0] += of_a[x] ? 1 : 0;
                hit[1] += of_b[x] ? 1 : 0;
                if (++k == Word{1} << bases.size()) break;
                x ^= bases[static_cast<std::size_t>(__builtin_ctzll(k))];
            }
            const Int sum = phases[0] * hit[0] + phases[1] * hit[1];
            out.least = out.least < 0 ? sum : std::min(out.least, sum);
            ++out.candidates;
        });
    };
    each_subspace(static_cast<int>(common.size()), v, [&](const std::vector<Word>& which) {
        std::vector<Word> vector;
        for (const Word k : which) {
            vector.push_back(0);
            for (std::size_t i = 0; i < common.size(); ++i)
                if ((k >> i & 1) != 0) vector.back() ^= common[i];
        }
        if (v + e >= 2 || v == d) return with(vector);
        // Words hold more than a vector: all ways to fill one. A subspace modulo the vector, put back by unit words that are free.
        std::vector<Word> units; // words that stand for the bits that are left
        const auto of_vector = span(vector, d);
        for (int i = 0; i < d; ++i) units.push_back(Word{1} << i);
        const auto reduced = modulo(units, vector, d);
        const int n = d - v, more = std::min(2 - e - v, n);
        std::vector<Word> back(static_cast<std::size_t>(n));
        for (Word x = 0; x < Word{1} << d; ++x) {
            const Word r = modulo({x}, vector, d)[0];
            if (r != 0 && (r & (r - 1)) == 0) back[static_cast<std::size_t>(__builtin_ctzll(r))] = x;
        }
        each_subspace(n, more, [&](const std::vector<Word>& fill) {
            std::vector<Word> low = vector;
            for (const Word k : fill) {
                low.push_back(0);
                for (int i = 0; i < n; ++i)
                    if ((k >> i & 1) != 0) low.back() ^= back[static_cast<std::size_t>(i)];
            }
            with(low);
        });
    });
    return out;
}

int log2_of(int n) { return __builtin_ctz(static_cast<unsigned>(n)); }

} // namespace

TEST_CASE("shared_traffic is what the rule of the banks counts, address by address")
{
    laws::Random random(13);
    Int conflicts = 0, free = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const int d = static_cast<int>(random.in(1, 9)), lanes = static_cast<int>(random.in(0, 5));
        const Threads t = random_whole(d, static_cast<int>(random.in(0, 4)), lanes, random);
        LinearLayout shared;
        shared.in = {{"offset", d}};
        shared.out = t.layout.out;
        std::vector<Word> bases;
        do { // mostly with vectors that the threads have
            bases.clear();
            for (int i = 0; i < d; ++i)
                bases.push_back(i < 3 && t.registers > 0 && random.in(0, 2) > 0
                                    ? t.layout.bases[static_cast<int>(random.in(0, t.registers - 1))]
                                    : Word(random.in(1, (Int{1} << d) - 1)));
        } while (rank_of(bases) < d);
        for (const Word basis : bases) shared.bases.push_back(basis);
        INFO(text(t));
        for (const int bytes : {1, 2, 4, 8, 16}) {
            const auto most = vector_bits(t.layout, shared, bytes);
            REQUIRE(most);
            for (int v = 0; v <= *most; ++v) {
                const auto traffic = shared_traffic(t.layout, shared, bytes, v);
                REQUIRE(traffic);
                REQUIRE(*traffic == walked(t, shared, bytes, v));
                ++(traffic->wavefronts > traffic->phases ? conflicts : free);
            }
            CHECK(shared_traffic(t.layout, shared, bytes, *most + 1).code() == errc::bad_argument);
        }
    }
    CHECK(conflicts > 200);
    CHECK(free > 200);
}

TEST_CASE("optimal_swizzle is a bijection with the widest common vectors and no conflicts, address by address")
{
    laws::Random random(14);
    int wide = 0, narrow = 0, twisted = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const int d = static_cast<int>(random.in(0, 10)), lanes = static_cast<int>(random.in(0, std::min(d, 5)));
        Threads a, b;
        if (!random_pair(d, lanes, a, b, random)) continue;
        INFO(text(a) << " to " << text(b));
        for (const int bytes : {1, 2, 4, 8, 16}) {
            const auto s = optimal_swizzle(a.layout, b.layout, bytes);
            REQUIRE(s);
            REQUIRE(check(s->shared).ok());
            REQUIRE(rank_of({s->shared.bases.begin(), s->shared.bases.end()}) == d);
            // The widest: what both threads have in common, by counting it.
            int common = 0;
            const auto of_b = of_thread(b, 0, 0);
            for (const Word x : of_thread(a, 0, 0)) common += static_cast<int>(of_b.count(x));
            REQUIRE(s->vector == std::min(common, 16 / bytes));
            const int v = log2_of(s->vector);
            REQUIRE(s->store == walked(a, s->shared, bytes, v));
            REQUIRE(s->load == walked(b, s->shared, bytes, v));
            REQUIRE(s->store.wavefronts == s->store.phases);
            REQUIRE(s->load.wavefronts == s->load.phases);
            ++(s->vector > 1 ? wide : narrow);
            for (const Word basis : s->shared.bases) twisted += (basis & (basis - 1)) != 0 ? 1 : 0;
        }
    }
    CHECK(wide > 200);
    CHECK(narrow > 200);
    CHECK(twisted > 200);
}

TEST_CASE("optimal_swizzle equals the best of all 20160 bijections of 16 elements, address by address")
{
    // Elements of 16 bytes: 8 of them are all banks once, so that conflicts are to be had.
    laws::Random random(15);
    for (int trial = 0; trial < 4; ++trial)
        for (const int bytes : {16, 4}) {
            Threads a, b;
            while (!random_pair(4, 3, a, b, random)) {}
            INFO(text(a) << " to " << text(b));
            const auto got = optimal_swizzle(a.layout, b.layout, bytes);
            REQUIRE(got);
            Int most = 0, least = 0, worst = 0, bijections = 0;
            LinearLayout shared = got->shared;
            for (Word code = 0; code < 1 << 16; ++code) {
                std::vector<Word> bases;
                for (int i = 0; i < 4; ++i) bases.push_back(code >> 4 * i & 15);
                if (rank_of(bases) < 4) continue;
                ++bijections;
                for (int i = 0; i < 4; ++i) shared.bases[i] = bases[static_cast<std::size_t>(i)];
                const int v = std::min(*vector_bits(a.layout, shared, bytes), *vector_bits(b.layout, shared, bytes));
                if (v < most) continue;
                const Int sum = walked(a, shared, bytes, v).wavefronts + walked(b, shared, bytes, v).wavefronts;
                if (v > most || bijections == 1) least = worst = sum;
                most = std::max<Int>(most, v);
                least = std::min(least, sum);
                worst = std::max(worst, sum);
            }
            CHECK(bijections == 20160);
            CHECK(got->vector == 1 << most);
            CHECK(got->store.wavefronts + got->load.wavefronts == least);
            if (bytes == 16 && rank_of({a.layout.bases.begin() + a.registers, a.layout.bases.begin() + a.registers + 3}) == 3)
                CHECK(worst > least); // there was something to choose
        }
}

TEST_CASE("optimal_swizzle equals the least wavefronts over all choices of word and segment, up to 2^8 elements")
{
    laws::Random random(16);
    Int candidates = 0;
    int searched = 0;
    for (int trial = 0; trial < 120; ++trial) {
        const int d = static_cast<int>(random.in(1, 8)), lanes = static_cast<int>(random.in(0, std::min(d, 5)));
        Threads a, b;
        if (!random_pair(d, lanes, a, b, random)) continue;
        INFO(text(a) << " to " << text(b));
        for (const int bytes : {1, 2, 4, 8, 16}) {
            const auto got = optimal_swizzle(a.layout, b.layout, bytes);
            REQUIRE(got);
            const Search best = exhaustive(a, b, d, log2_of(bytes), log2_of(got->vector));
            REQUIRE(got->store.wavefronts + got->load.wavefronts == best.least);
            candidates += best.candidates;
            ++searched;
        }
    }
    CHECK(searched > 400);
    CHECK(candidates > 1'000'000);
}

TEST_CASE("optimal_swizzle of 2^10 floats with vectors: all segments modulo the vector")
{
    // Of the first layout's registers 0, 1, 2 the second has two, and one.
    for (const int shared : {2, 1}) {
        std::vector<Word> bits;
        for (int i = 0; i < 10; ++i) bits.push_back(Word{1} << i);
        const auto pick = [&](std::vector<int> which) {
            std::vector<Word> out;
            for (const int i : which) out.push_back(bits[static_cast<std::size_t>(i)]);
            return out;
        };
        const Threads a = threads(10, pick({0, 1, 2}), pick({3, 4, 5, 6, 7}), pick({8, 9}));
        const Threads b = shared == 2 ? threads(10, pick({0, 1, 9}), pick({8, 7, 2, 4, 3}), pick({6, 5}))
                                      : threads(10, pick({5, 0, 9}), pick({8, 7, 2, 4, 3}), pick({6, 1}));
        const auto got = optimal_swizzle(a.layout, b.layout, 4);
        REQUIRE(got);
        CHECK(got->vector == 1 << shared);
        const Search best = exhaustive(a, b, 10, 2, shared);
        CHECK(best.candidates == (shared == 2 ? 97'155 : 3'309'747));
        CHECK(got->store.wavefronts + got->load.wavefronts == best.least);
    }
}

TEST_CASE("optimal_swizzle of 2^10 floats without vectors: all 109221651 segments", "[.][long]")
{
    laws::Random random(18);
    Threads a, b;
    do
        while (!random_pair(10, 5, a, b, random)) {}
    while (optimal_swizzle(a.layout, b.layout, 4)->vector != 1);
    const auto got = optimal_swizzle(a.layout, b.layout, 4);
    const Search best = exhaustive(a, b, 10, 2, 0);
    CHECK(best.candidates == 109'221'651);
    CHECK(got->store.wavefronts + got->load.wavefronts == best.least);
}

TEST_CASE("reach_of is the nearest way")
{
    laws::Random random(19);
    std::map<Reach, int> seen;
    for (int trial = 0; trial < 3000; ++trial) {
        const int d = static_cast<int>(random.in(2, 7)), lanes = static_cast<int>(random.in(0, 3)),
                  warps = static_cast<int>(random.in(0, 2));
        const Threads a = random_threads(d, static_cast<int>(random.in(0, 4)), lanes, warps, random);
        const Threads b = trial % 10 == 0 ? a : another(a, d, random);
        const auto reach = reach_of(a.layout, b.layout);
        REQUIRE(reach);
        ++seen[*reach];
        const auto permutation = register_permutation(a.layout, b.layout);
        CHECK((*reach <= Reach::registers) == permutation.has_value());
        if (permutation && rank_of({a.layout.bases.begin(), a.layout.bases.begin() + a.registers}) == a.registers)
            CHECK((*reach == Reach::nowhere) == (a.layout == b.layout));
        if (*reach > Reach::registers)
            CHECK((*reach == Reach::lanes) == shuffles(a.layout, *distinct_registers(b.layout), 4).has_value());
    }
    CHECK(seen.size() == 4);
    for (const auto& [reach, times] : seen) CHECK(times > 50);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/tensor/npy.hpp>
#include <catch.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using axe::Array;
using axe::DType;
using axe::Shape;

std::string data(const std::string& name) { return AXE_TEST_DATA "/npy/" + name + ".npy"; }

/// A folder of its own, gone at the end.
class Folder {
  public:
    Folder() : path_(fs::temp_directory_path() / ("axe_npy_" + std::to_string(getpid())))
    {
        fs::remove_all(path_);
        fs::create_directory(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] int files() const { return static_cast<int>(std::distance(fs::directory_iterator(path_), {})); }

  private:
    fs::path path_;
};

std::string bytes_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// A .npy file of that header and those elements.
std::string npy(const std::string& dictionary, const std::string& elements = {})
{
    const std::string header = dictionary + "\n";
    return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size() % 256) + static_cast<char>(header.size() / 256) +
           header + elements;
}

/// Code and sentence, the path left out.
std::string refused(const std::string& path, std::optional<DType> as = {})
{
    const auto read = axe::read_npy(path, as);
    if (read) return "read";
    std::string text = read.error().text;
    if (const auto at = text.find(path); at != std::string::npos) text.replace(at, path.size(), "FILE");
    return std::string(axe::name(read.error().code)) + ": " + text;
}

std::vector<double> values(const Array& array)
{
    std::vector<double> out;
    for (std::int64_t i = 0; i < array.size(); ++i) out.push_back(array.at(i));
    return out;
}

bool equal(const Array& a, const Array& b)
{
    return a.shape() == b.shape() && a.dtype() == b.dtype() &&
           std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

constexpr DType all[] = {DType::f64,  DType::f32,  DType::tf32,  DType::f16,  DType::bf16, DType::dl16, DType::e4m3,
                         DType::e5m2, DType::e8m0, DType::ue4m3, DType::e3m2, DType::e2m3, DType::e2m1, DType::i32,
                         DType::i16,  DType::i8,   DType::u8,    DType::i4,   DType::b1};

} // namespace

TEST_CASE("npy: what NumPy writes is read, in either order of dimensions and of bytes, of every version")
{
    struct Row {
        const char* name;
        DType type;
        double factor, offset;
    };
    const Row rows[] = {
        {"f8", DType::f64, 0.125, 0},
        {"f4", DType::f32, 0.125, 0},
        {"f2", DType::f16, 0.125, 0},
        {"i4", DType::i32, 1, -12},
        {"i2", DType::i16, 1, -12},
        {"i1", DType::i8, 1, -12},
        {"u1", DType::u8, 10, 0},
        {"f8_big", DType::f64, 0.125, 0},
        {"f4_big_fortran", DType::f32, 0.125, 0},
        {"f2_big", DType::f16, 0.125, 0},
        {"i4_big", DType::i32, 1, -12},
        {"i2_fortran", DType::i16, 1, -12},
        {"f4_fortran", DType::f32, 0.125, 0},
        {"version2", DType::f32, 0.125, 0},
        {"version3", DType::f32, 0.125, 0},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const Array a = axe::read_npy(data(row.name)).value();
        CHECK(a.dtype() == row.type);
        CHECK(a.shape() == Shape{2, 3, 4});
        std::vector<double> want;
        for (int i = 0; i < 24; ++i) want.push_back(i * row.factor + row.offset);
        CHECK(values(a) == want);
    }
    const Array truth = axe::read_npy(data("b1")).value();
    CHECK(truth.dtype() == DType::b1);
    for (std::int64_t i = 0; i < 24; ++i) CHECK(truth.at(i) == (i % 3 == 0 ? 1 : 0));

    const Array scalar = axe::read_npy(data("scalar")).value();
    CHECK(scalar.rank() == 0);
    CHECK(scalar.at(0) == 2.5);
    CHECK(axe::read_npy(data("vector"))->shape() == Shape{3});
}

TEST_CASE("npy: wider integers become i32 when all fit")
{
    const Array labels = axe::read_npy(data("i8")).value();
    CHECK(labels.dtype() == DType::i32);
    CHECK(values(labels) == std::vector<double>{3, -1, 2147483647, -2147483648.0});
    CHECK(values(*axe::read_npy(data("u8"))) == std::vector<double>{0, 7, 2147483647});
    CHECK(values(*axe::read_npy(data("u4"))) == std::vector<double>{0, 70000});
    CHECK(values(*axe::read_npy(data("u2"))) == std::vector<double>{0, 65535, 0x3f80});
    CHECK(refused(data("i8_large")) == "out_of_domain: FILE: element 2 is 2147483648, which i32 does not have");
    CHECK(refused(data("u8_large")) == "out_of_domain: FILE: element 1 is 18446744073709551615, which i32 does not have");
    // Of another integer type when it is named.
    CHECK(axe::read_npy(data("i2"), DType::i8)->at(0) == -12);
    CHECK(refused(data("i8"), DType::i8) == "out_of_domain: FILE: element 2 is 2147483647, which i8 does not have");
    CHECK(refused(data("i2"), DType::u8) == "out_of_domain: FILE: element 0 is -12, which u8 does not have");
    CHECK(refused(data("i1"), DType::b1) == "out_of_domain: FILE: element 0 is -12, which b1 does not have");
}

TEST_CASE("npy: types of ml_dtypes are read when they are named")
{
    CHECK(values(*axe::read_npy(data("bf16"), DType::bf16)) == std::vector<double>{1, -2, 0.5});
    CHECK(values(*axe::read_npy(data("e4m3"), DType::e4m3)) == std::vector<double>{1, -2, 448});
    CHECK(values(*axe::read_npy(data("e5m2"), DType::e5m2)) == std::vector<double>{1, -2, 57344});
    CHECK(values(*axe::read_npy(data("e8m0"), DType::e8m0)) == std::vector<double>{1, 2, 0.25});
    CHECK(values(*axe::read_npy(data("int4"), DType::i4)) == std::vector<double>{-8, -1, 0, 7});
    CHECK(values(*axe::read_npy(data("e5m2"))) == std::vector<double>{1, -2, 57344});
    // As a view on integers.
    CHECK(values(*axe::read_npy(data("u2"), DType::bf16))[2] == 1);
    CHECK(axe::read_npy(data("u1"), DType::e4m3)->bits_at(5) == 50);

    CHECK(refused(data("bf16")) ==
          "bad_argument: FILE has elements of the type '<V2', bits without a meaning; name the type to read");
    CHECK(refused(data("e4m3"), DType::bf16) ==
          "bad_argument: FILE has elements of the type '<V1', which cannot be read as bf16 without conversion");
    CHECK(refused(data("f4"), DType::f16) ==
          "bad_argument: FILE has elements of the type '<f4', which cannot be read as f16 without conversion");
    CHECK(refused(data("f4"), DType::i32) ==
          "bad_argument: FILE has elements of the type '<f4', which cannot be read as i32 without conversion");
}

TEST_CASE("npy: an f4 is a tf32 when its low bits are zero")
{
    const Folder folder;
    CHECK(values(*axe::read_npy(data("f4"), DType::tf32)) == values(*axe::read_npy(data("f4"))));
    Array a = Array::make({2}, DType::f32).value();
    a.set(1, 1 + 0x1p-20);
    REQUIRE(axe::write_npy(folder / "fine.npy", a).ok());
    CHECK(refused(folder / "fine.npy", DType::tf32) == "out_of_domain: FILE: element 1 is 1065353224, which tf32 does not have");
}

TEST_CASE("npy: a byte that is no i4 and no truth value is refused")
{
    const Folder folder;
    put(folder / "i4.npy", npy("{'descr': '|V1', 'fortran_order': False, 'shape': (3,), }", std::string("\x0f\xff\x17", 3)));
    CHECK(refused(folder / "i4.npy", DType::i4) == "out_of_domain: FILE: element 2 is 23, which i4 does not have");
    put(folder / "b1.npy", npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", std::string("\1\2", 2)));
    CHECK(refused(folder / "b1.npy") == "out_of_domain: FILE: element 1 is 2, which b1 does not have");
}

TEST_CASE("npy: other types are named, with those that are read")
{
    const std::string read = "; supported are f8, f4, f2, i8, i4, i2, i1, u8, u4, u2, u1, b1, V2, V1, f1, in either byte order";
    CHECK(refused(data("text")) == "bad_argument: FILE has elements of the type '<U2'" + read);
    CHECK(refused(data("complex")) == "bad_argument: FILE has elements of the type '<c16'" + read);
    CHECK(refused(data("objects")) == "bad_argument: FILE has elements of the type '|O'" + read);
    CHECK(refused(data("records")).find("bad_argument: FILE: the elements are records, \"[('x', '<f4'), ('y', '<i4')]") == 0);
    CHECK(refused(data("empty")) == "bad_extent: FILE: dimension 1 of the shape is 0; it must be at least 1");
}

TEST_CASE("npy: what is no .npy file says what it is")
{
    const Folder folder;
    CHECK(refused(folder / "none.npy") == "bad_argument: FILE cannot be opened: No such file or directory");
    CHECK(refused(AXE_TEST_DATA) == "bad_argument: FILE is a folder, not a file");
    CHECK(refused(AXE_TEST_DATA "/npy/archive.npz") ==
          "bad_syntax: FILE is an archive (.npz), not a .npy file; unpack it and read its members");
    put(folder / "empty", "");
    CHECK(refused(folder / "empty") == "bad_syntax: FILE is empty; a .npy file starts with 93 4e 55 4d 50 59");
    put(folder / "text", "1, 2, 3\n");
    CHECK(refused(folder / "text") ==
          "bad_syntax: FILE is not a .npy file: it starts with 31 2c 20 32 2c 20, not with 93 4e 55 4d 50 59");
    put(folder / "later", std::string("\x93NUMPY\4\1", 8) + std::string(100, ' '));
    CHECK(refused(folder / "later") == "bad_syntax: FILE has version 4.1 of .npy; supported are 1.0, 2.0 and 3.0");
    put(folder / "long", std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12));
    CHECK(refused(folder / "long") == "bad_syntax: FILE has a header of 4294967295 bytes; at most 1048576 are read");
}

TEST_CASE("npy: a header that is not one is refused with its place")
{
    const Folder folder;
    const std::string path = folder / "header.npy";
    const auto says = [&](const std::string& dictionary) {
        put(path, npy(dictionary, std::string(8, '\0')));
        return refused(path);
    };
    const std::string no = "bad_syntax: FILE: the header is not a dictionary of .npy: character ";
    CHECK(says("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}") == "read");
    CHECK(says("  {\"shape\":(2L,),'fortran_order':True,\"descr\":\"=f4\"}  ") == "read");
    CHECK(says("") == no + "0 is not understood, in \"\"");
    CHECK(says("[1, 2]") == no + "0 is not understood, in \"[1, 2]\"");
    CHECK(says("{'descr': '<f4', 'fortran_order': False, 'shape': (2)}") == no + "52 is not understood, in \")}\"");
    CHECK(says("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}") == no + "34 is not understood, in \"0, 'shape': (2,)}\"");
    CHECK(says("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}") == no + "51 is not understood, in \"-2,)}\"");
    CHECK(says("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} 7") == no + "56 is not understood, in \"7\"");
    CHECK(says("{'descr': '<f4") == no + "10 is not understood, in \"'<f4\"");
    CHECK(says("{'descr': '<f4', 'shape': (2,)}") == "bad_syntax: FILE: the header lacks the key 'fortran_order'");
    CHECK(says("{}") == "bad_syntax: FILE: the header lacks the key 'descr'");
    CHECK(says("{'descr': '<f4', 'descr': '<f4'}") == "bad_syntax: FILE: the header has the key 'descr' twice");
    CHECK(says("{'type': '<f4'}") == "bad_syntax: FILE: the header has the key 'type', which .npy does not have");
    CHECK(says("{'descr': '<f4', 'fortran_order': False, 'shape': (1,99999999999999999999)}") ==
          "overflow: FILE: dimension 1 of the shape overflows 64 bits");
    CHECK(says("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296)}") ==
          "overflow: FILE: the elements of its shape take more bytes than 64 bits count");
    CHECK(says("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,1073741824)}") ==
          "overflow: FILE: the elements of its shape take more bytes than 64 bits count");
    CHECK(says("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}") ==
          "capacity: FILE: the shape has more than 16 dimensions");
}

TEST_CASE("npy: a file cut short or with something after it is refused with the numbers of bytes")
{
    const Folder folder;
    const std::string whole = bytes_of(data("f4")), path = folder / "cut.npy";
    REQUIRE(whole.size() == 128 + 96);
    int readable = 0;
    for (std::size_t n = 0; n < whole.size(); ++n) {
        put(path, whole.substr(0, n));
        const std::string text = refused(path);
        if (text == "read") ++readable;
        if (n >= 1 && n < 128)
            CHECK(text == "bad_syntax: FILE ends within its header, after " + std::to_string(n) + (n == 1 ? " byte" : " bytes"));
    }
    CHECK(readable == 0);
    CHECK(refused(path) == "size_mismatch: FILE: 24 elements of type '<f4' take 96 bytes after the 128 of the header, not 95");
    put(path, whole + "more");
    CHECK(refused(path) == "size_mismatch: FILE: 24 elements of type '<f4' take 96 bytes after the 128 of the header, not 100");
    // Refused before memory is asked for.
    put(path, npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"));
    CHECK(refused(path) ==
          "size_mismatch: FILE: 1000000000000 elements of type '<f8' take 8000000000000 bytes after the 78 of the header, not 0");
}

TEST_CASE("npy: whatever byte of a header is changed, it is read or refused")
{
    const Folder folder;
    const std::string path = folder / "flipped.npy";
    for (const char* name : {"f4_big_fortran", "version2"}) {
        const std::string whole = bytes_of(data(name));
        int read = 0, said = 0;
        for (std::size_t at = 0; at < 128; ++at)
            for (const int flip : {0x01, 0x10, 0x20, 0x80, 0xff}) {
                std::string changed = whole;
                changed[at] = static_cast<char>(changed[at] ^ flip);
                put(path, changed);
                const auto array = axe::read_npy(path);
                read += array.has_value() && array->size() == 24 ? 1 : 0;
                said += !array && array.error().text.find(path) != std::string::npos ? 1 : 0;
            }
        CHECK(read + said == 128 * 5);
        CHECK(read > 0); // another byte order, say
        CHECK(said > 300);
    }
}

TEST_CASE("npy: what is not a plain file is read to its end")
{
    const Folder folder;
    const std::string path = folder / "pipe";
    const auto through_pipe = [&](const std::string& bytes) {
        REQUIRE(std::system(("mkfifo '" + path + "'").c_str()) == 0);
        put(folder / "source", bytes);
        REQUIRE(std::system(("cat '" + (folder / "source") + "' > '" + path + "' &").c_str()) == 0);
        const std::string text = refused(path);
        fs::remove(path);
        return text;
    };
    const std::string whole = bytes_of(data("f4"));
    CHECK(through_pipe(whole) == "read");
    const std::string take = "size_mismatch: FILE: 24 elements of type '<f4' take 96 bytes after the 128 of the header, not ";
    CHECK(through_pipe(whole.substr(0, 200)) == take + "72");
    CHECK(through_pipe(whole + "x") == take + "97 or more");
}

TEST_CASE("npy: what is written is read again, of each type")
{
    const Folder folder;
    const std::string path = folder / "a.npy";
    for (const DType type : all) {
        INFO(axe::name(type));
        for (const Shape& shape : {Shape{}, Shape{5}, Shape{3, 7, 2}, Shape{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 300}}) {
            Array a = Array::make(shape, type).value();
            for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 7));
            REQUIRE(axe::write_npy(path, a).ok());
            CHECK(equal(axe::read_npy(path, type).value(), a));
            CHECK(fs::file_size(path) % 64 == static_cast<std::uintmax_t>(a.size_bytes() % 64));
        }
    }
    CHECK(folder.files() == 1);
}

TEST_CASE("npy: what NumPy wrote is written as NumPy wrote it, byte by byte")
{
    const Folder folder;
    for (const char* name : {"f8", "f4", "f2", "i4", "i2", "i1", "u1", "b1", "scalar", "vector"}) {
        const Array a = axe::read_npy(data(name)).value();
        REQUIRE(axe::write_npy(folder / name, a).ok());
        INFO(name);
        CHECK(bytes_of(folder / name) == bytes_of(data(name)));
    }
}

TEST_CASE("npy: a file that cannot be written says so, and leaves nothing")
{
    const Folder folder;
    const Array a = Array::make({1000}, DType::f64).value();
    const auto says = [&](const std::string& path) {
        std::string text = axe::write_npy(path, a).error().text;
        if (const auto at = text.find(path); at != std::string::npos) text.replace(at, path.size(), "FILE");
        return text;
    };
    CHECK(says(folder / "no/a.npy") == "FILE cannot be written: No such file or directory");
    CHECK(says(folder / "") == "FILE is a folder, not a file");
    put(folder / "plain", "x");
    CHECK(says(folder / "plain/a.npy") == "FILE cannot be written: Not a directory");
    CHECK(folder.files() == 1);
    if (fs::exists("/dev/full")) {
        CHECK(says("/dev/full") == "FILE cannot be written: No space left on device");
        CHECK(fs::is_character_file("/dev/full"));
    }
    if (geteuid() != 0) { // who may write anywhere
        fs::create_directory(folder / "locked");
        fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
        CHECK(says(folder / "locked/a.npy") == "FILE cannot be written: Permission denied");
    }
}

TEST_CASE("npy: when writing stops half-way, the file of before is whole and no other is there")
{
    const Folder folder;
    const std::string path = folder / "a.npy";
    Array a = Array::make({3}, DType::f32).value();
    a.set(2, 7);
    REQUIRE(axe::write_npy(path, a).ok());
    const std::string before = bytes_of(path);

    // No file may grow beyond 4 KiB.
    rlimit old{}, small{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    small = old;
    small.rlim_cur = 4096;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const auto problem = axe::write_npy(path, Array::make({100000}, DType::f64).value());
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);

    CHECK(problem.code() == axe::errc::bad_argument);
    CHECK(problem.error().text == path + " cannot be written: File too large");
    CHECK(bytes_of(path) == before);
    CHECK(folder.files() == 1);
}

TEST_CASE("npy: a link is followed, a file keeps its permissions, and others' parts are left alone")
{
    const Folder folder;
    const Array a = Array::make({3}, DType::f32).value();
    put(folder / "real", "old");
    fs::permissions(folder / "real", fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("real", folder / "link");
    put(folder / "real.part0", "another program's");
    REQUIRE(axe::write_npy(folder / "link", a).ok());
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(axe::read_npy(folder / "real")->shape() == Shape{3});
    CHECK(fs::status(folder / "real").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(bytes_of(folder / "real.part0") == "another program's");
    CHECK(folder.files() == 3);
}

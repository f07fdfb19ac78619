// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_SETTING_HPP
#define AXE_EXAMPLES_SETTING_HPP

#include <axe/sim/bindings.hpp>
#include <axe/target/machines.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

struct Example;

/// What a user may set: a number, or one of a few words.
struct Parameter {
    const char* name;
    const char* standard;  ///< the value unless another is set
    const char* what;      ///< in a message
    std::int64_t most = 0; ///< of a number; 0: it is a word
    std::vector<std::string> words{};
    std::int64_t least = 1; ///< of a number
};

/// Arrays from files, where the caller gives some: a folder with NAME.npy in it, or files by their names.
class Files {
  public:
    /// A folder, or a file NAME.npy. `errc::bad_argument` when there is neither.
    axe::Result<void, axe::Problem> add(const std::string& path);
    /// Where the array is; empty when no file is given for it.
    [[nodiscard]] std::string path(const std::string& name) const;
    /// The names of the files given one by one.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool has_folder() const noexcept { return !folder_.empty(); }
    /// The array of that name, which must be of the shape and type; what else it is stands in the problem.
    [[nodiscard]] axe::Result<axe::Array, axe::Problem> read(const std::string& name, const axe::Shape& shape,
                                                             axe::DType type) const;

  private:
    std::string folder_{};
    std::map<std::string, std::string> files_{};
};

/// Which machine, how many devices, what was set.
struct Setting {
    axe::Machine machine{}; ///< of all devices together
    int devices = 1;
    std::map<std::string, std::string, std::less<>> values{};
    std::vector<std::pair<std::string, std::string>> schedules{}; ///< of an operator, or of the statement with a number: a name
    bool only_fastest = false;                                    ///< no slower class of instructions than the machine's best
    Files files{};

    [[nodiscard]] std::int64_t number(std::string_view parameter) const { return std::stoll(values.find(parameter)->second); }
    [[nodiscard]] const std::string& word(std::string_view parameter) const { return values.find(parameter)->second; }
};

/// An example's setting with the defaults in; `machine` empty and `devices` 0 leave the choice to the example.
///
/// `errc::bad_argument` for a machine, a number of devices or a value that it does not take, with those that it does.
axe::Result<Setting, axe::Problem> setting(const Example& example, std::string_view machine = {}, int devices = 0,
                                           const std::vector<std::pair<std::string, std::string>>& values = {});

/// The inputs of a program, from the files of the setting or made: small numbers from a generator with a fixed seed, which sums of
/// floating-point numbers of half the width hold exactly.
axe::Result<axe::Bindings, axe::Problem> made_inputs(const Setting& setting, const axe::Program& program);

/// The folder with the data of an example: in the tree of its build, or where it is installed. Empty when there is none.
std::string data_folder(const std::string& example);

} // namespace examples

#endif

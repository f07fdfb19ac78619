// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_MOVEMENT_MODEL_HPP
#define AXE_PICTURE_MOVEMENT_MODEL_HPP

#include <axe/schedule/lowered.hpp>
#include <axe/sim/report/report.hpp>

#include <optional>

/// What a picture of a program's data movement shows, before any of it is drawn.
namespace axe {
inline namespace v0 {

/// A memory that the program uses: a column.
struct MovementMemory {
    std::string name{};
    std::string whose{}; ///< "each of 4 devices", "each cta", "each lane"
};

/// A tensor, once, in the column of its memory.
struct MovementTensor {
    int memory = -1; ///< place in `MovementPicture::memories`
    std::string name{};
    std::string type{};   ///< "f16[64,64]"
    std::string layout{}; ///< as lowering left it; "hint …" where it is not chosen yet
    Binding binding = Binding::local;
};

/// One end of an arrow.
struct MovementEnd {
    int tensor = -1;    ///< place in `MovementPicture::tensors`
    std::string view{}; ///< as `print` has it
    friend bool operator==(const MovementEnd&, const MovementEnd&) = default;
};

/// A statement: arrows from each source to the destination, or, without a destination, what is between (loops, grids, barriers).
struct MovementStep {
    int statement = -1;
    int depth = 0;
    std::string words{}; ///< "gemm", "map relu"; for what is between, the statement
    std::vector<MovementEnd> sources{};
    std::optional<MovementEnd> destination{};
    std::vector<std::string> instructions{}; ///< as spelled, with their issues where there is a report
    std::vector<std::string> bytes{};        ///< by memory, where there is a report: "smem 4,096 B read"
    std::int64_t link_bytes = 0;             ///< between devices, where there is a report
    bool across_devices = false;             ///< one of its instructions reaches for another device's memory
    bool faulty = false;                     ///< where the run's fault is
};

struct MovementPicture {
    std::string title{};
    std::string subtitle{};
    std::vector<MovementMemory> memories{}; ///< from where inputs are to where arithmetic is done
    std::vector<MovementTensor> tensors{};  ///< in the order in which statements name them
    std::vector<MovementStep> steps{};
};

/// The data movement of a program: memories, the tensors in them, and what each statement brings from where to where.
///
/// @param program the one with operators
/// @param lowered gives layouts and instructions; @param report gives issues, bytes and the fault
/// Cost: linear in the statements of both programs.
AXE_DECL MovementPicture movement(const Program& program, const Lowered* lowered = nullptr, const sim::Report* report = nullptr);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/movement_model.hpp>
#endif

#endif

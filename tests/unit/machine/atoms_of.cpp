// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/atoms_of.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>

#include <string>

TEST_CASE("atoms_of: words of architectures")
{
    STATIC_REQUIRE(axe::holds_on("sm80+", "sm80"));
    STATIC_REQUIRE(axe::holds_on("sm80+", "sm90"));
    STATIC_REQUIRE(axe::holds_on("sm90+", "sm100"));
    STATIC_REQUIRE_FALSE(axe::holds_on("sm90+", "sm80"));
    STATIC_REQUIRE_FALSE(axe::holds_on("sm100+", "sm90"));
    STATIC_REQUIRE(axe::holds_on("sm70", "sm70"));
    STATIC_REQUIRE_FALSE(axe::holds_on("sm70", "sm80"));
    STATIC_REQUIRE(axe::holds_on("sm90a", "sm90"));
    STATIC_REQUIRE_FALSE(axe::holds_on("sm90a", "sm100"));
    STATIC_REQUIRE_FALSE(axe::holds_on("sm90a", "sm80"));
    STATIC_REQUIRE(axe::holds_on("trn1/trn2", "trn1"));
    STATIC_REQUIRE(axe::holds_on("trn1/trn2", "trn2"));
    STATIC_REQUIRE_FALSE(axe::holds_on("trn1/trn2", "trn3"));
    STATIC_REQUIRE(axe::holds_on("trn2+", "trn3"));
    STATIC_REQUIRE_FALSE(axe::holds_on("trn2+", "trn1"));
    STATIC_REQUIRE_FALSE(axe::holds_on("trn2+", "sm90"));
    STATIC_REQUIRE(axe::holds_on("ascend910b", "ascend910b"));
    STATIC_REQUIRE_FALSE(axe::holds_on("ascend910b", "ascend910"));
    STATIC_REQUIRE_FALSE(axe::holds_on("tpu", "tpua"));
    STATIC_REQUIRE_FALSE(axe::holds_on("tpua", "tpu"));
    STATIC_REQUIRE_FALSE(axe::holds_on("sm80+", "sm90x"));
    STATIC_REQUIRE_FALSE(axe::holds_on("sm80+", "sm"));
}

TEST_CASE("atoms_of: how many atoms each machine has")
{
    STATIC_REQUIRE(axe::atoms_of(axe::machines::cpu).empty());
    STATIC_REQUIRE(axe::atoms_of(axe::machines::sm80).size() == 57);
    STATIC_REQUIRE(axe::atoms_of(axe::machines::sm90).size() == 179);
    STATIC_REQUIRE(axe::atoms_of(axe::machines::sm100).size() == 111);
    STATIC_REQUIRE(axe::atoms_of(axe::machines::trn1).size() == 4);
    STATIC_REQUIRE(axe::atoms_of(axe::machines::trn2).size() == 6);
    STATIC_REQUIRE(axe::atoms_of(axe::machines::spyre).size() == 1);
}

TEST_CASE("atoms_of: each atom is of an instruction or a memory that the machine has, and uses its axes")
{
    for (const axe::Machine* machine : axe::machines::all())
        for (const axe::Atom* atom : axe::atoms_of(*machine)) {
            INFO(machine->name << " " << atom->name << " " << atom->operand);
            std::string name = atom->name;
            if (name.rfind("nki.isa.", 0) == 0) name.erase(0, 8);
            const bool is_form_of_memory =
                name.rfind("smem_atom.", 0) == 0 || name.rfind("psum.", 0) == 0 || name.rfind("spyre.stick.", 0) == 0;
            CHECK((is_form_of_memory || axe::has_instruction(*machine, name.c_str())));
            // psum.full counts banks on an axis of their own; the machine has them along F.
            // Parts of a 32-bit column of tensor memory are no axis of it: a layout counts elements.
            const bool in_columns = name.find("tcgen05.mma.A_tmem") == 0 || name == "tcgen05.mma.scale_factor";
            if (name != "psum.full" && !in_columns) CHECK(axe::scope_of(*machine, atom->layout()).has_value());
        }
}

TEST_CASE("atoms_of: each form of mma.sync that a machine lists has its atoms")
{
    for (const axe::Machine* machine : {&axe::machines::sm80, &axe::machines::sm90}) {
        int forms = 0;
        for (const char* word : machine->instructions) {
            if (std::string(word).rfind("mma.sync.", 0) != 0) continue;
            ++forms;
            int operands = 0;
            for (const axe::Atom* atom : axe::atoms_of(*machine)) operands += std::string(atom->name) == word;
            INFO(machine->name << " " << word);
            CHECK(operands >= 3);
        }
        CHECK(forms == (machine == &axe::machines::sm80 ? 16 : 23));
    }
}

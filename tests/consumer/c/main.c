/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C interface from C11 and, as C++17, from a compiler that cannot read the headers of the algebra. Prints what is wrong.
 */
#include <axe/c.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                                                                  \
    do {                                                                                                                                  \
        if (!(condition)) {                                                                                                               \
            ++failures;                                                                                                                   \
            printf("line %d: %s\n", __LINE__, #condition);                                                                                \
        }                                                                                                                                 \
    } while (0)

static axe_layout* read(const char* text)
{
    axe_layout* layout = NULL;
    axe_error error;
    if (axe_parse(text, strlen(text), &layout, &error) != AXE_OK) printf("%s: %s\n", text, error.message);
    return layout;
}

static int prints(axe_layout* layout, const char* expected)
{
    char text[512] = "";
    const size_t length = axe_print(layout, text, sizeof text);
    const int same = strcmp(text, expected) == 0 && length == strlen(expected);
    if (!same) printf("printed: %s\n", text);
    axe_free(layout);
    return same;
}

int main(void)
{
    axe_error error;
    axe_layout* out = NULL;
    axe_layout* tile = read("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp");
    axe_layout* rows = read("(4,8):(8,1)");
    const int64_t shape[] = {4, 8}, low[] = {1, 0}, high[] = {3, 8}, two[] = {2, 1}, wrong[] = {4, 9};
    const char* const axes[] = {"lane", "reg", "warp"};
    const char* const memory[] = {"m"};
    int64_t size = 0, witness = 7, coordinates[6] = {0};
    int32_t same = -1;
    size_t points = 0;
    char small[5];

    CHECK(axe_version() == 100);
    CHECK(strcmp(axe_code_name(AXE_NO_LAYOUT), "no_layout") == 0);
    CHECK(strcmp(axe_code_name(AXE_NO_MEMORY), "no_memory") == 0);
    CHECK(strcmp(axe_code_name((axe_code)99), "?") == 0);

    CHECK(axe_parse("(4,8):(8", 8, &out, &error) == AXE_BAD_SYNTAX);
    CHECK(error.code == AXE_BAD_SYNTAX && error.position == 8 && strstr(error.message, "character 8") != NULL);
    CHECK(axe_parse("(4,8):(8", 8, &out, NULL) == AXE_BAD_SYNTAX && out == NULL);
    CHECK(axe_parse(NULL, 3, &out, &error) == AXE_BAD_ARGUMENT);
    CHECK(axe_parse("8:1", (size_t)1 << 31, &out, &error) == AXE_CAPACITY);

    CHECK(axe_print(rows, small, sizeof small) == 11 && strcmp(small, "(4,8") == 0);
    CHECK(axe_print(rows, NULL, 0) == 11);
    CHECK(axe_print(NULL, small, sizeof small) == 0);

    CHECK(axe_size(tile, &size, &error) == AXE_OK && size == 128);
    CHECK(axe_size(NULL, &size, &error) == AXE_BAD_ARGUMENT && strcmp(error.message, "an argument is null") == 0);
    CHECK(axe_canonicalize(rows, &out, &error) == AXE_OK && prints(out, "32:1"));

    {
        axe_layout* columns = read("(4,8):(1,4)");
        axe_layout* plain = read("32:1");
        axe_layout* few = read("8:1");
        CHECK(axe_equal(rows, plain, &same, &witness, &error) == AXE_OK && same == 1);
        CHECK(axe_equal(rows, columns, &same, &witness, &error) == AXE_OK && same == 0 && witness == 1);
        CHECK(axe_equal(rows, few, &same, &witness, NULL) == AXE_OK && same == 0 && witness == -1);
        same = -1;
        CHECK(axe_equal(rows, NULL, &same, &witness, &error) == AXE_BAD_ARGUMENT && same == -1);
        CHECK(axe_compose(columns, rows, &out, &error) == AXE_OK && prints(out, "(4,8):(1,4)"));
        CHECK(axe_inverse(columns, memory, 1, &out, &error) == AXE_OK && prints(out, "(8,4):(1,8)"));
        axe_free(columns);
        axe_free(plain);
        axe_free(few);
    }
    out = NULL;
    CHECK(axe_inverse(tile, axes, 3, &out, &error) == AXE_NO_LAYOUT && out == NULL);
    CHECK(axe_inverse(rows, NULL, 1, &out, &error) == AXE_BAD_ARGUMENT);
    CHECK(axe_inverse(rows, memory, -1, &out, &error) == AXE_BAD_ARGUMENT);

    CHECK(axe_slice(rows, shape, low, high, 2, &out, &error) == AXE_OK && prints(out, "16:1 + 8@m"));
    CHECK(axe_slice(rows, wrong, low, high, 2, &out, &error) == AXE_SIZE_MISMATCH);
    CHECK(axe_tile(rows, shape, rows, shape, 2, &out, &error) == AXE_OK);
    CHECK(axe_size(out, &size, &error) == AXE_OK && size == 1024);
    axe_free(out);
    CHECK(axe_tile(rows, two, rows, shape, 2, &out, &error) == AXE_SIZE_MISMATCH);

    CHECK(axe_evaluate(tile, 41, axes, 3, coordinates, 2, &points, &error) == AXE_OK && points == 2);
    CHECK(coordinates[0] == 8 && coordinates[1] == 1 && coordinates[2] == 6);
    CHECK(coordinates[3] == 8 && coordinates[4] == 1 && coordinates[5] == 10);
    points = 0;
    CHECK(axe_evaluate(tile, 41, axes, 3, NULL, 0, &points, &error) == AXE_CAPACITY && points == 2);
    CHECK(axe_evaluate(tile, 128, axes, 3, coordinates, 2, &points, &error) == AXE_OUT_OF_DOMAIN);
    {
        const char* const bad[] = {"9lane"};
        CHECK(axe_evaluate(tile, 0, bad, 1, coordinates, 2, &points, &error) != AXE_OK);
    }
    axe_free(tile);
    axe_free(rows);
    axe_free(NULL);
    return failures == 0 ? 0 : 1;
}

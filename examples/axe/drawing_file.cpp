// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "drawing_file.hpp"

#include <axe/tensor/file.hpp>

namespace axe_cli {

bool is_drawing_name(Reply& reply, int argument, std::string_view file, bool page)
{
    const std::string expected = "argument " + std::to_string(argument) + ": expected the name of a file ";
    const bool known = file.ends_with(".svg") || (page && file.ends_with(".html"));
    if (!known)
        reply.fail("bad_argument", expected + (page ? "that ends in .svg or .html" : "that ends in .svg"));
    else if (file.find_first_of("\r\n") != std::string_view::npos)
        reply.fail("bad_argument", expected + "in one line");
    return reply.status == Exit::ok;
}

void give_drawing(Reply& reply, std::string_view file, const std::string& content)
{
    const std::string path(file);
    if (const auto problem = axe::write_file(path, {content}); !problem.ok())
        return reply.fail("cannot_write", problem.error().text);
    reply.text = path;
    if (reply.json()) reply.fields.key("path").string(path).key("bytes").number(static_cast<std::int64_t>(content.size()));
}

} // namespace axe_cli

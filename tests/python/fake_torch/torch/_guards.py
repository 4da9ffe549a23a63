# SPDX-License-Identifier: MIT


class CompileContext:
    count = -1

    @classmethod
    def current_compile_id(cls):
        return f"{cls.count}/0"

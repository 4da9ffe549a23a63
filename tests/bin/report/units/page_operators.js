// SPDX-License-Identifier: MIT
const gemm = (size, end) => "void cutlass::Kernel2<cutlass_80_tensorop_f16_" +
	size + "_tn_align8>(cutlass_80_tensorop_f16_" + end + "::Params)";

equal("words", nameWords("void a::b<int, 4>(f_g*)"),
	["void", "a", "b", "int", "4", "f", "g"]);
equal("words of nothing", nameWords("<>"), []);
equal("short names do without", distinguish(["a", "b", "c"]), ["", "", ""]);
equal("none", distinguish([]), []);
const words = distinguish([gemm("128x64", "x"), gemm("64x64", "x"),
	gemm("256x128", "x"), gemm("32x32", "x")]);

equal("only the sizes differ", words, ["128x64", "64x64", "256x128", "32x32"]);
equal("equal names have no differences",
	distinguish([gemm("a", "b"), gemm("a", "b"), gemm("a", "b"),
		gemm("a", "b")]), ["", "", "", ""]);

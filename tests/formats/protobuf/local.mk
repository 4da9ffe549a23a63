# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_protobuf \
	%D%/test_protobuf_read

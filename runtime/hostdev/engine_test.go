package hostdev

import _ "offlink/runtime/hostdev/wazeroengine" // the tests are about compiled kernels too

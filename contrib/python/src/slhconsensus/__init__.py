# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""SLH-DSA-SHA2-128s signatures in Bitcoin scripts: keys, P2MR (P2TSH) outputs, spends, and their verification.

See README.md of the package for examples.
"""

from . import address, context, descriptor, errors, keys, opcodes, psbt, script, spend, text, transaction, tree, verify
from ._library import PACKAGE_VERSION, version
from .address import *
from .context import *
from .descriptor import *
from .errors import *
from .keys import *
from .opcodes import *
from .psbt import *
from .script import *
from .spend import *
from .text import *
from .transaction import *
from .tree import *
from .verify import *

__version__ = PACKAGE_VERSION

__all__ = ["version"]
__all__ += address.__all__
__all__ += context.__all__
__all__ += descriptor.__all__
__all__ += errors.__all__
__all__ += keys.__all__
__all__ += opcodes.__all__
__all__ += psbt.__all__
__all__ += script.__all__
__all__ += spend.__all__
__all__ += text.__all__
__all__ += transaction.__all__
__all__ += tree.__all__
__all__ += verify.__all__

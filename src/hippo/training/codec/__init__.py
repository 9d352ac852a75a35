"""Training states at rest: copied, hashed, compared, written and read."""

from hippo.training.codec.decoding import decode
from hippo.training.codec.encoding import EncodedState, encode
from hippo.training.codec.files import read_state, write_state
from hippo.training.codec.hashing import PICKLED, difference, state_hash

__all__ = ["PICKLED", "EncodedState", "decode", "difference", "encode", "read_state", "state_hash", "write_state"]

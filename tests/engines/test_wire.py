"""Messages survive any way of being cut into pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hippo.engines.wire import Inbox, pack

messages = st.lists(st.one_of(st.integers(), st.text(), st.binary(max_size=300), st.lists(st.integers())))


@given(messages, st.lists(st.integers(1, 50), min_size=1))
def test_messages_arrive_whole_and_in_order_however_their_bytes_are_cut(sent, sizes):
    data = b"".join(map(pack, sent))
    inbox, received, position = Inbox(), [], 0
    for number in range(len(data)):
        portion = data[position : position + sizes[number % len(sizes)]]
        received += inbox.feed(portion)
        position += len(portion)
    assert received == sent


def test_a_message_that_is_half_there_waits_for_the_rest():
    inbox, data = Inbox(), pack("all of it")
    assert list(inbox.feed(data[:-1])) == []
    assert list(inbox.feed(data[-1:])) == ["all of it"]

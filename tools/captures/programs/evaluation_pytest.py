"""One test of each outcome."""

import pytest


@pytest.mark.parametrize("lang", ["it", "de"])
def test_refund(lang):
    assert lang == "it"


class TestOrders:
    def test_where(self):
        pass

    @pytest.mark.skip(reason="later")
    def test_later(self):
        pass

    @pytest.mark.xfail
    def test_known(self):
        assert False

    @pytest.mark.xfail
    def test_known_passes(self):
        pass


@pytest.fixture
def broken():
    raise RuntimeError("x</testcase>")


def test_setup(broken):
    pass

import os
import signal
import threading

import pytest

from assay.cli.interrupt import Interrupt


def ask():
    os.kill(os.getpid(), signal.SIGINT)


def test_a_piece_that_is_in_use_is_finished(capsys):
    done = []
    with Interrupt() as interrupt:
        for piece in interrupt.until(range(5)):
            if piece == 2:
                ask()
            done.append(piece)
    assert done == [0, 1, 2]
    assert interrupt.signal == signal.SIGINT
    assert capsys.readouterr().err.startswith("assay: finishing with what was learned")


def test_waiting_is_given_up_at_once():
    def pieces():
        yield 1
        ask()
        raise AssertionError("nobody waits any longer")
        yield 2

    with Interrupt() as interrupt:
        assert list(interrupt.until(pieces())) == [1]
    assert interrupt.signal == signal.SIGINT


def test_asking_twice_stops_at_once():
    def use(pieces):
        for _ in pieces:
            ask()
            ask()

    with Interrupt() as interrupt, pytest.raises(KeyboardInterrupt):
        use(interrupt.until(range(5)))


def test_refusals_pass_through_and_handlers_come_back():
    before = signal.getsignal(signal.SIGINT)

    def pieces():
        yield 1
        raise ValueError("bad row")

    with Interrupt() as interrupt, pytest.raises(ValueError, match="bad row"):
        list(interrupt.until(pieces()))
    assert signal.getsignal(signal.SIGINT) is before


def test_beside_the_main_thread_it_does_nothing():
    found = []

    def work():
        with Interrupt() as interrupt:
            found.extend(interrupt.until(range(3)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [0, 1, 2]

"""Answers for a slow reader: bounded, from any thread, the newest kept."""

from __future__ import annotations

import asyncio
import threading

from needlescope.explorer.live.outbox import MOST_WAITING, Outbox


def drained(put, most=MOST_WAITING):
    """Put answers in, and take out all that is left."""

    async def run():
        outbox = Outbox(most)
        await asyncio.to_thread(put, outbox)
        left = []
        while True:
            try:
                left.append(await asyncio.wait_for(outbox.get(), 0.05))
            except TimeoutError:
                return left, outbox.dropped

    return asyncio.run(run())


def line(number, precision="coarse"):
    return {"type": "line", "id": number, "precision": precision}


def test_coarse_lines_go_first_and_the_newest_stay():
    def put(outbox):
        outbox.put({"type": "plan", "id": 0})
        outbox.put(line(1, "fine"))
        for number in range(2, 100):
            outbox.put(line(number))
        outbox.put({"type": "done", "id": 99})

    left, dropped = drained(put, most=5)
    assert [item["type"] for item in left] == ["plan", "line", "line", "line", "done"]
    assert [item["id"] for item in left] == [0, 1, 98, 99, 99] and dropped == 96


def test_then_what_passes_and_then_the_oldest():
    def put(outbox):
        for kind in ("done", "progress", "dot", "plan"):
            outbox.put({"type": kind, "id": 1})
        for _ in range(3):
            outbox.put({"type": "done", "id": 2})

    left, _ = drained(put, most=4)
    assert [(item["type"], item["id"]) for item in left] == [("plan", 1), *[("done", 2)] * 3]


def test_many_threads_lose_nothing_below_the_limit():
    def put(outbox):
        def some(first):
            for number in range(first, first + 50):
                outbox.put({"type": "done", "id": number})

        threads = [threading.Thread(target=some, args=(50 * k,)) for k in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    left, dropped = drained(put)
    assert sorted(item["id"] for item in left) == list(range(250)) and dropped == 0


def test_a_reader_that_waits_is_woken():
    async def run():
        outbox = Outbox()
        reading = asyncio.create_task(outbox.get())
        await asyncio.sleep(0.01)
        threading.Thread(target=outbox.put, args=({"type": "done", "id": 7},)).start()
        return await asyncio.wait_for(reading, 5)

    assert asyncio.run(run())["id"] == 7


def test_an_answer_after_the_end_of_the_loop_is_no_error():
    async def make():
        return Outbox()

    asyncio.run(make()).put({"type": "done", "id": 1})

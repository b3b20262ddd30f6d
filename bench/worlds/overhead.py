"""What Python adds: overhead.py MODEL [WORLDS]

Moves the same worlds through the same actions twice, 10 steps with each, inputs written and joints read every time: once by the loop of the
library in C (Batch.rollout, one call), once by a loop in Python as of learning. Both in turn, nine times; processor time, the best of each.
"""

import sys
import time

import numpy as np
import polhode

EVERY, ACTIONS, ROUNDS = 10, 20, 9


def timed(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def main():
    model = polhode.Model.from_file(sys.argv[1])
    worlds = int(sys.argv[2]) if len(sys.argv) > 2 else 256
    batch = polhode.Batch(model, worlds, threads=1)
    actions = np.zeros((worlds, batch.inputs.shape[1]))

    def in_c():
        batch.rollout(np.zeros((worlds, ACTIONS, actions.shape[1])), every=EVERY)

    def in_python():
        for _ in range(ACTIONS):
            batch.inputs[:] = actions
            batch.step(EVERY)
            batch.joints()

    batch.step(100)
    times = [[timed(work) for work in (in_c, in_python)] for _ in range(ROUNDS)]
    once, many = (1e6 * min(column) / (worlds * EVERY * ACTIONS) for column in zip(*times))
    assert not batch.failed.any()
    print(f"Python, {sys.argv[1].rsplit('/', 1)[-1]}: {worlds} worlds, {once:.2f} us a world-step by the loop in C, {many:.2f} us by the loop in Python: "
          f"overhead {100 * (many / once - 1):.1f} %")


if __name__ == "__main__":
    main()

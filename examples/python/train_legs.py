"""A quadruped learns to trot, or a biped with six closed loops to keep its balance when it is pushed: minutes on two cores.

    pip install polhode[gym]
    python train_legs.py --task Trot  [--generations 200] [--out trot.npz]
    python train_legs.py --task Biped --generations 75 --out biped.npz
    python train_legs.py --task Biped --test biped.npz [--draw curve.svg]     # how good it is, and how it came to it

The policy is linear in what is seen, each number of it scaled by how much it varies. Its weights are found by evolution strategies
(Salimans et al. 2017; Mania, Guy and Recht 2018): pairs of policies to both sides of the present one, all of them side by side in one
vector environment, and a step along the better sides. Every generation sees new starts; the weights, the scales and the curve of returns
go to `--out`.
"""

import argparse
import time

import numpy as np
import polhode.gym


class Scales:
    """Mean and spread of all that was seen so far."""

    def __init__(self, size):
        self.count, self.sum, self.squares = 1e-3, np.zeros(size), np.full(size, 1e-3)

    def note(self, seen):
        self.count += len(seen)
        self.sum += seen.sum(axis=0)
        self.squares += (seen**2).sum(axis=0)

    def apply(self, seen):
        mean = self.sum / self.count
        spread = np.sqrt(np.maximum(self.squares / self.count - mean**2, 1e-4))
        return np.clip((seen - mean) / spread, -5.0, 5.0)


def act(weights, seen):
    """One linear policy for each world: weights (worlds, actions, numbers + 1)."""
    return np.tanh(np.einsum("waj,wj->wa", weights[:, :, :-1], seen) + weights[:, :, -1])


def returns(envs, weights, scales, length, seed):
    """Sum of rewards of each world until its episode ends, and how long that was."""
    raw, _ = envs.reset(seed=seed)
    total, alive, lasted = np.zeros(envs.num_envs), np.ones(envs.num_envs, dtype=bool), np.zeros(envs.num_envs)
    kept = []
    for _ in range(length):
        kept.append(raw[alive])
        raw, reward, ended, _, _ = envs.step(act(weights, scales.apply(raw)))
        total += alive * reward
        lasted += alive
        alive &= ~ended
        if not alive.any():
            break
    for seen in kept:
        scales.note(seen)
    return total, lasted


def improve(weights, tried, score, pace, memory):
    """A step along the better sides: ranks in place of returns, with momentum."""
    rank = np.argsort(np.argsort(score)) / (len(score) - 1) - 0.5
    half = len(tried) // 2
    slope = np.einsum("k,kaj->aj", rank[:half] - rank[half:], tried[:half]) / half
    memory[:] = 0.8 * memory + slope
    return weights + pace * memory


def draw(path, curve, limit):
    """Returns and falls against time."""
    seconds, mean, best, lasted = np.asarray(curve).T
    polhode.figure([polhode.Panel([polhode.Series(seconds, mean, "mean of a generation"), polhode.Series(seconds, best, "its best")],
                                  y_label=f"return in {limit} actions"),
                    polhode.Panel([polhode.Series(seconds, lasted)], x_label="s", y_label="episodes without a fall")]).save(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="Trot", choices=list(polhode.gym.TASKS))
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=32)
    parser.add_argument("--spread", type=float, default=0.05, help="how far the policies of a generation lie apart")
    parser.add_argument("--pace", type=float, default=0.1)
    parser.add_argument("--out", default="policy.npz")
    parser.add_argument("--test", help="only try the policy of this file")
    parser.add_argument("--draw", help="the curve of returns, as SVG")
    args = parser.parse_args()
    envs = polhode.gym.VectorEnv(args.task, 2 * args.pairs)
    size, actions, length = envs.single_observation_space.shape[0], envs.single_action_space.shape[0], envs.task.limit
    random, scales = np.random.default_rng(1), Scales(size)
    weights, memory = np.zeros((actions, size + 1)), np.zeros((actions, size + 1))

    def test(seed):
        total, lasted = returns(envs, np.broadcast_to(weights, (envs.num_envs, *weights.shape)), scales, length, seed)
        return total.mean(), (lasted == length).mean()

    start, curve, best, best_mean = time.perf_counter(), [], weights, -np.inf
    print("before: return %.1f, to the end %.2f" % test(10**6), flush=True)
    if args.test:
        kept = np.load(args.test)
        weights, scales.sum, scales.squares, scales.count = (kept[k] for k in ("weights", "sum", "squares", "count"))
        print("after: return %.1f, to the end %.2f" % test(10**6 + 1))
        if args.draw:
            draw(args.draw, kept["curve"], length)
        return
    for generation in range(args.generations):
        steps = random.standard_normal((args.pairs, *weights.shape))
        tried = args.spread * np.concatenate([steps, -steps])
        score, lasted = returns(envs, weights + tried, scales, length, seed=generation)
        if score.mean() > best_mean:
            best, best_mean = weights, score.mean()
        weights = improve(weights, tried / args.spread, score, args.pace / (1.0 + generation / 40.0), memory)
        curve.append((time.perf_counter() - start, score.mean(), score.max(), (lasted == length).mean()))
        if generation % 5 == 4:
            print("generation %4d, %4.0f s: mean %6.1f, best %6.1f, to the end %.2f" % (generation + 1, *curve[-1]), flush=True)
            np.savez(args.out, weights=best, sum=scales.sum, squares=scales.squares, count=scales.count, curve=np.array(curve))
    weights = best
    print("after: return %.1f, to the end %.2f" % test(10**6 + 1))
    if args.draw:
        draw(args.draw, curve, length)


if __name__ == "__main__":
    main()

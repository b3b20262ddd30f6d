"""A policy that swings up and balances a pole, learnt by evolution strategies in a few minutes on two cores.

    pip install polhode[gym] cma
    python train_swing_up.py [--task CartPole] [--generations 150] [--out policy.npz]

Each generation tries `--population` policies in `--starts` worlds each, all side by side in one vector environment; the library `cma`
(covariance matrix adaptation) makes the next ones from the best. The policy is a small network with tanh; its weights go to `--out`, the
curve of returns beside it.
"""

import argparse
import time

import cma
import numpy as np
import polhode.gym

HIDDEN = 12


def act(weights, seen, actions):
    """One network for each world: weights (worlds, n), seen (worlds, inputs)."""
    inputs = seen.shape[1]
    a, b, c, d = np.split(weights, np.cumsum([HIDDEN * inputs, HIDDEN, actions * HIDDEN]), axis=1)
    h = np.tanh(np.einsum("wij,wj->wi", a.reshape(-1, HIDDEN, inputs), seen) + b)
    return np.tanh(np.einsum("wij,wj->wi", c.reshape(-1, actions, HIDDEN), h) + d)


def returns(envs, weights, length, seed):
    """Sum of rewards of each world until its episode ends."""
    seen, _ = envs.reset(seed=seed)
    total, alive = np.zeros(envs.num_envs), np.ones(envs.num_envs)
    for _ in range(length):
        seen, reward, ended, _, _ = envs.step(act(weights, seen, envs.single_action_space.shape[0]))
        total += alive * reward
        alive *= ~ended
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="CartPole", choices=list(polhode.gym.TASKS))
    parser.add_argument("--generations", type=int, default=150)
    parser.add_argument("--population", type=int, default=32)
    parser.add_argument("--starts", type=int, default=4)
    parser.add_argument("--length", type=int, default=300, help="actions in an episode")
    parser.add_argument("--out", default="policy.npz")
    args = parser.parse_args()
    envs = polhode.gym.VectorEnv(args.task, args.population * args.starts)
    size, actions = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    count = HIDDEN * size + HIDDEN + actions * HIDDEN + actions
    search = cma.CMAEvolutionStrategy(count * [0.0], 0.5, {"popsize": args.population, "seed": 1, "verbose": -9})
    curve, start = [], time.perf_counter()
    for generation in range(args.generations):
        tried = np.array(search.ask())
        score = returns(envs, np.repeat(tried, args.starts, axis=0), args.length, seed=generation)
        score = score.reshape(args.population, args.starts).mean(axis=1)
        search.tell(list(tried), list(-score))
        curve.append((score.mean(), score.max()))
        if generation % 10 == 9:
            print(f"generation {generation + 1:4d}: mean {score.mean():7.1f}, best {score.max():7.1f} of {args.length}, "
                  f"{time.perf_counter() - start:.0f} s", flush=True)
    final = returns(envs, np.repeat(search.mean[None], envs.num_envs, axis=0), args.length, seed=10**6)
    print(f"mean policy in {envs.num_envs} new worlds: {final.mean():.1f} +- {final.std():.1f}")
    np.savez(args.out, weights=search.mean, curve=np.array(curve))


if __name__ == "__main__":
    main()

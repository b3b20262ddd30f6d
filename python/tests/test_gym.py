"""Environments: what Gymnasium expects of them, and that one alone and many together are the same."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
import polhode.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

NAMES = list(polhode.gym.TASKS)


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_finds_nothing_wrong(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space.*")
        check_env(gymnasium.make(f"polhode/{name}-v0", disable_env_checker=True).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", NAMES)
def test_vectors_do_not_depend_on_threads(name):
    seen = []
    for threads in (1, 3):
        envs = gymnasium.make_vec(f"polhode/{name}-v0", num_envs=7, threads=threads)
        observation, _ = envs.reset(seed=5)
        assert envs.observation_space.contains(observation)
        rng = np.random.default_rng(0)
        for _ in range(30):
            observation, reward, ended, late, _ = envs.step(rng.uniform(-1, 1, envs.action_space.shape).astype(np.float32))
            assert np.isfinite(observation).all() and np.isfinite(reward).all()
        seen.append(observation)
        envs.close()
    assert np.array_equal(seen[0], seen[1])


def test_the_first_of_many_is_one_alone():
    env = gymnasium.make("polhode/CartPole-v0").unwrapped
    envs = gymnasium.make_vec("polhode/CartPole-v0", num_envs=3)
    one, _ = env.reset(seed=11)
    many, _ = envs.reset(seed=11)
    for k in range(20):
        assert np.array_equal(one, many[0])
        one, reward, *_ = env.step(np.array([np.sin(k)], np.float32))
        many, rewards, *_ = envs.step(np.full((3, 1), np.sin(k), np.float32))
        assert reward == rewards[0]


def test_episodes_start_again():
    envs = gymnasium.make_vec("polhode/CartPole-v0", num_envs=2)
    envs.reset(seed=0)
    ended = np.zeros(2, dtype=bool)
    for _ in range(200):
        _, _, ended, late, _ = envs.step(np.array([[1.0], [0.0]], np.float32))  # the first runs off its rail
        if ended.any():
            break
    assert ended.tolist() == [True, False]
    observation, reward, ended, late, _ = envs.step(np.zeros((2, 1), np.float32))
    assert not ended.any() and reward[0] == 0.0 and abs(observation[0, 0]) <= 0.1 and envs.unwrapped.worlds.steps[0] == 0


def test_unknown_tasks_are_refused():
    with pytest.raises(ValueError, match="Quadruped"):
        polhode.gym.Env("Hexapod")


def test_the_biped_is_the_one_of_the_examples():
    root = __import__("pathlib").Path(__file__).resolve().parents[2]
    assert (root / "python/polhode/gym/biped.yaml").read_bytes() == (root / "examples/robots/linkage_biped.yaml").read_bytes()
    model = polhode.gym.TASKS["Biped"].load()
    coordinates = sum(j.coordinates for j in model.joints.values())
    assert (len(model.joints), len(model.bodies)) == (36, 32) and coordinates > model.freedoms - 6 > 0  # the floor is a body; six loops


def test_episodes_draw_parameters():
    ranges = {"kp": (60.0, 100.0), "l": (0.2, 0.22)}
    envs = gymnasium.make_vec("polhode/Quadruped-v0", num_envs=5, threads=2, randomise=ranges)
    env = gymnasium.make("polhode/Quadruped-v0", randomise=ranges).unwrapped
    many, _ = envs.reset(seed=3)
    one, _ = env.reset(seed=3)
    drawn = {name: values.copy() for name, values in envs.unwrapped.worlds.drawn.items()}
    assert all(((low <= drawn[name]) & (drawn[name] < high)).all() and len(set(drawn[name])) == 5 for name, (low, high) in ranges.items())
    for _ in range(5):
        assert np.array_equal(one, many[0])
        one, *_ = env.step(np.full(env.action_space.shape, 0.1, np.float32))
        many, *_ = envs.step(np.full(envs.action_space.shape, 0.1, np.float32))
    envs.unwrapped.worlds.reset(np.array([False, True, False, False, False]))
    again = envs.unwrapped.worlds.drawn["kp"]
    assert again[1] != drawn["kp"][1] and np.array_equal(np.delete(again, 1), np.delete(drawn["kp"], 1))

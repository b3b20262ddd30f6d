// Keys and gestures, as the help of the page lists them.

export const HELP: [string, string][] = [
    ["Space", "play or pause"], ["← →", "one frame back or forward; with Shift ten"], ["Home End", "first or last frame"],
    ["− +", "slower or faster"], ["L", "loop on or off"], ["F", "fit everything into the view"],
    ["W A S D, Q E", "turn the view, come nearer or go away"], ["1 2 3 K", "joints, frames, contacts, tracks of rolling contact"], ["C", "next colouring"], ["H I U", "hide the selected body, show it alone, show everything"],
    ["V", "results one over the other or side by side"], ["M P", "model panel, plots panel"], ["T", "light or dark"], ["R", "start again (live)"],
    ["Esc", "select nothing"], ["Mouse", "drag turns, right drag or Shift moves, wheel comes nearer, click selects"],
    ["Plots", "click or drag sets the time, Shift and drag zooms, double click shows all"], ["Live", "Alt and drag pulls at a body"], ["[ ] , . 0", "live: less or more of an input, another input, back to its start"],
];

// Controls that stick out of the window or of the box that holds them, or lie over each other, and texts that are cut or broken.
export const cutOff = () => {
    const wrong = [];
    const inside = (e) => {
        const b = e.getBoundingClientRect();
        return b.left >= -1 && b.top >= -1 && b.right <= innerWidth + 1 && b.bottom <= innerHeight + 1;
    };
    const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 0 && !e.closest(".visually-hidden");
    const scrolls = (e) => e.closest("#tree, #details, #panels, #side, dialog");
    for (const e of document.querySelectorAll("button, select, input, output, #compass, #legend, #live, h1")) {
        if (!shown(e) || scrolls(e)) continue;
        if (!inside(e)) wrong.push(`${e.id || e.outerHTML.slice(0, 60)} is outside of the window`);
        if (/BUTTON|OUTPUT/.test(e.tagName) && e.scrollWidth > e.clientWidth + 1) wrong.push(`${e.id} is cut: "${e.textContent}"`);
    }
    for (const e of document.querySelectorAll("button")) {
        const words = document.createRange();
        words.selectNodeContents(e);
        if (shown(e) && e.children.length === 0 && new Set([...words.getClientRects()].map((r) => Math.round(r.top))).size > 1) wrong.push(`"${e.textContent}" is broken into lines`);
    }
    for (const e of document.querySelectorAll(".slider label")) if (shown(e) && e.scrollWidth > e.clientWidth + 1) wrong.push(`"${e.textContent}" is cut`);
    const boxes = [...document.querySelectorAll("#transport > *, #top > button")].filter(shown).map((e) => [e, e.getBoundingClientRect()]);
    for (const [a, p] of boxes) for (const [b, q] of boxes) {
        if (a !== b && p.left < q.right - 2 && q.left < p.right - 2 && p.top < q.bottom - 2 && q.top < p.bottom - 2) wrong.push(`${a.id} lies over ${b.id}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is wider than the window");
    return [...new Set(wrong)];
};

// Walks through paths: everything that it points at is on the page already.
"use strict";
document.documentElement.classList.add("scripted");
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const traces = [...document.querySelectorAll(".trace")].map((root) => {
  const last = Number(root.dataset.steps) - 1;
  const loop = root.dataset.loop === undefined ? null : Number(root.dataset.loop);
  const output = root.querySelector("output");
  const play = root.querySelector("[data-do=play]");
  const loopButton = root.querySelector("[data-do=loop]");
  loopButton.disabled = loop === null;
  let at = 0;
  let timer = null;
  const show = (step) => {
    at = Math.max(0, Math.min(last, step));
    for (const element of root.querySelectorAll(".here")) element.classList.remove("here");
    for (const element of root.querySelectorAll(`[data-step="${at}"]`)) element.classList.add("here");
    const inLoop = loop !== null && at >= loop;
    output.textContent = `step ${at} of ${last}${inLoop ? ", in the loop" : ""}`;
    const scroll = root.querySelector(".scroll");
    const row = root.querySelector(`svg [data-step="${at}"] .row`);
    if (scroll && row) scroll.scrollTop = Number(row.getAttribute("y")) - scroll.clientHeight / 2;
  };
  // After the last step a loop goes on with its first one.
  const next = () => (at < last ? show(at + 1) : loop !== null ? show(loop) : stop());
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  const toggle = () => {
    if (timer !== null) return stop();
    timer = setInterval(next, still ? 2000 : 900);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
  };
  const deeds = {
    first: () => show(0),
    back: () => show(at - 1),
    next,
    play: toggle,
    loop: () => loop !== null && show(loop),
    last: () => show(last),
  };
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) deeds[button.dataset.do]();
  });
  show(0);
  return { root, deeds };
});
const keys = { ArrowRight: "next", ArrowLeft: "back", " ": "play", l: "loop", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  const deed = keys[event.key];
  if (!deed || event.ctrlKey || event.metaKey || event.altKey) return;
  // A button that has the focus takes the space bar itself.
  if (event.key === " " && event.target.closest("button, summary, a")) return;
  // The path that is nearest to the middle of the window.
  const middle = innerHeight / 2;
  const distance = ({ root }) => {
    const { top, bottom } = root.getBoundingClientRect();
    return top > middle ? top - middle : bottom < middle ? middle - bottom : 0;
  };
  const [nearest] = [...traces].sort((a, b) => distance(a) - distance(b));
  if (!nearest) return;
  event.preventDefault();
  nearest.deeds[deed]();
});

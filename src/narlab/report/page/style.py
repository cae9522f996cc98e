"""How the page looks: one column of text, light or dark as the reader likes it, on any width."""

STYLE = """
:root {
  color-scheme: light dark;
  --back: #fcfcfa; --card: #ffffff; --ink: #1d2227; --muted: #5b6670; --line: #dfe3e6; --soft: #f1f3f4;
  --link: #005a8d; --near: #00714f; --far: #b04a00; --val: #0072b2; --test: #d55e00; --loss: #009e73;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14181b; --card: #1b2024; --ink: #e4e8ea; --muted: #9aa5ad; --line: #333b41; --soft: #22282d;
    --link: #7cc4f0; --near: #4fcfa3; --far: #ff9b57; --val: #56b4e9; --test: #f5a623; --loss: #3fc79a;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--back); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
header, main { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.4rem; line-height: 1.3; margin: 3rem 0 .6rem; padding-top: .9rem; border-top: 2px solid var(--line); }
main > section:first-child h2 { border: 0; margin-top: 1.2rem; padding: 0; }
h2 small { font-size: .85rem; font-weight: 400; color: var(--muted); margin-left: .4rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .5rem; overflow-wrap: anywhere; }
p { margin: .4rem 0; max-width: 52rem; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code { font: .85em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
nav { position: sticky; top: 0; z-index: 5; background: var(--back); border-bottom: 1px solid var(--line); }
nav ul {
  display: flex; gap: 1.1rem; max-width: 76rem; margin: 0 auto; padding: .7rem 1.25rem; list-style: none;
  overflow-x: auto; white-space: nowrap; font-size: .9rem;
}
nav small { color: var(--muted); }
.lead, .note { color: var(--muted); }
.note { font-size: .88rem; }
.complaints { border-left: 4px solid var(--far); background: var(--soft); padding: .6rem 1rem; border-radius: 4px; }
.complaints li { overflow-wrap: anywhere; }

.scroll {
  position: relative; overflow-x: auto; width: fit-content; max-width: 100%; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px;
}
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .4rem; }
th, td { padding: .4rem .8rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child > * { border-bottom: 0; }
th[scope=row], .corner { text-align: left; font-weight: 500; position: sticky; left: 0; background: var(--card); }
thead th { font-weight: 600; background: var(--soft); vertical-align: bottom; }
thead .corner, .scroll thead th:first-child { background: var(--soft); text-align: left; }
.scores th, .scores td { padding: .35rem .6rem; }
.scores td { white-space: nowrap; }
.scores tbody tr:hover > * { background: var(--soft); }
.ours { display: block; font-weight: 600; }
.paper, .diff { font-size: .78rem; color: var(--muted); }
.diff { margin-left: .5rem; }
.near { color: var(--near); }
.far { color: var(--far); font-weight: 600; }

figure { margin: .5rem 0; }
.picture img {
  display: block; max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line);
  border-radius: 8px; padding: .5rem;
}
figcaption { font-size: .88rem; color: var(--muted); margin-top: .3rem; }

#find { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: center; margin: .8rem 0; }
#find[hidden] { display: none; }
input, select {
  font: inherit; color: inherit; background: var(--card); border: 1px solid var(--muted); border-radius: 6px;
  padding: .3rem .6rem;
}
input { width: 18rem; max-width: 100%; }
output { color: var(--muted); font-size: .9rem; }
.head, summary {
  display: grid; gap: 0 1rem; padding: .4rem .8rem .4rem 1.8rem; font-size: .88rem; align-items: baseline;
  grid-template-columns: 2.4fr 1.1fr 1.3fr 1.2fr .5fr 1.1fr .7fr .7fr .9fr; font-variant-numeric: tabular-nums;
}
.head { font-weight: 600; color: var(--muted); }
.head > :nth-child(n+5):nth-child(-n+8), .c4, .c5, .c6, .c7 { text-align: right; }
.run {
  background: var(--card); border: 1px solid var(--line); border-bottom-width: 0;
  content-visibility: auto; contain-intrinsic-size: auto 2.2rem;
}
.run:last-child { border-bottom-width: 1px; }
summary { cursor: pointer; position: relative; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; position: absolute; left: .7rem; top: .5rem; color: var(--muted); }
[open] > summary::before { content: "▾"; }
summary:hover, [open] > summary { background: var(--soft); }
.c0, .c7 { font-weight: 600; }
.c8 { color: var(--near); }
.unfinished .c8, .not-begun .c8 { color: var(--far); }
.folder { grid-column: 1 / -1; color: var(--muted); font-size: .78rem; font-weight: 400; }
.needs-script { display: none; }
.scripted .needs-script { display: inline; margin-left: 1rem; }
.name input { width: auto; }
#overlay {
  position: sticky; bottom: 0; z-index: 4; background: var(--card); border: 1px solid var(--line); padding: .6rem 1rem;
  max-height: 50vh; overflow-y: auto;
}
#overlay[hidden] { display: none; }
#overlay svg { display: block; width: 100%; max-width: 44rem; height: auto; }
#overlay ul {
  display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .3rem 0 0; padding: 0; list-style: none; font-size: .8rem;
}
#overlay text { font-size: 11px; fill: var(--muted); }
#overlay .axis { stroke: var(--muted); stroke-width: 1; }
#overlay polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.name { margin: .6rem 1rem 0; color: var(--muted); max-width: none; }
.body { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 1rem 2rem; padding: .6rem 1rem 1.2rem; }
.facts { display: flex; flex-direction: column; gap: 1rem; }
.facts th, .facts td { padding: .15rem .6rem; font-size: .84rem; }
.facts td { overflow-wrap: anywhere; }
.evaluations { overflow-x: auto; padding: 0 1rem 1.2rem; }
.evaluations th, .evaluations td { padding: .15rem .6rem; font-size: .84rem; white-space: nowrap; }

.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); gap: .5rem 1.2rem; }
.chart { max-width: 32rem; min-width: 0; }
.chart > svg { display: block; width: 100%; height: auto; }
.chart figcaption { display: flex; flex-wrap: wrap; gap: .1rem .9rem; color: var(--ink); margin: 0 0 .2rem; }
.key { white-space: nowrap; color: var(--muted); }
.key svg { width: 26px; height: 10px; margin-right: .3rem; }
.chart text { font-size: 11px; fill: var(--muted); font-variant-numeric: tabular-nums; }
.chart polyline, .chart path { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .axis { stroke: var(--muted); stroke-width: 1; }
.chart .chosen { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 1 3; }
.val-line { stroke: var(--val); }
.test-line { stroke: var(--test); }
.loss-line { stroke: var(--loss); }
.chart .dashed { stroke-dasharray: 5 3; }
.chart .dots { stroke-width: 5; stroke-linecap: round; stroke-dasharray: none; }

@media (max-width: 52rem) {
  header, main, nav ul { padding-left: .9rem; padding-right: .9rem; }
  .head { display: none; }
  summary { grid-template-columns: repeat(3, 1fr); padding: .55rem .8rem .55rem 1.8rem; }
  summary > span { text-align: left !important; }
  .c0 { grid-column: 1 / -1; font-size: 1rem; }
  summary .label {
    position: static; display: block; width: auto; height: auto; clip-path: none;
    color: var(--muted); font-weight: 400; font-size: .75rem;
  }
  .c0 .label { display: none; }
  .body { grid-template-columns: minmax(0, 1fr); }
  summary { font-size: .82rem; gap: 0 .6rem; }
  th, td, .scores th, .scores td { padding: .35rem .5rem; }
  .scores .diff { display: block; margin: 0; }
  #overlay { padding: .5rem .6rem; }
  #overlay text { font-size: 18px; }
}
@media print {
  nav, #find { display: none; }
  .run { break-inside: avoid; }
}
"""

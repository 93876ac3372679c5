"""How the page looks: one column on a phone, words beside numbers where there is room."""

STYLE = """
:root { --good: #1b7837; --bad: #b2182b; --none: #6b7280; --ink: #1f2933; --rule: #d9dee3; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
       background: #fff; margin: 0 auto; max-width: 1080px; padding: 0 1rem 3rem; }
body { border-top: 8px solid var(--good); } body.bad { border-top-color: var(--bad); }
h1 { font-size: 1.6rem; margin: 1.2rem 0 .8rem; }
h2 { font-size: 1.2rem; margin: 0 0 .8rem; line-height: 1.3; }
a { color: #2166ac; }
sub { line-height: 0; }
.small { font-size: .85rem; color: #52606d; }
.good { --colour: var(--good); } .bad { --colour: var(--bad); } .none { --colour: var(--none); }
.banner { background: var(--colour, var(--good)); color: #fff; font-size: 1.1rem; font-weight: 600;
          padding: .7rem 1rem; border-radius: .4rem; margin: 0 0 1rem; }
nav { display: grid; gap: .4rem; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); }
nav a { color: inherit; text-decoration: none; border: 1px solid var(--rule); line-height: 1.3;
        border-left: 5px solid var(--colour); border-radius: .3rem; padding: .35rem .6rem; }
nav a:hover { background: #f5f7fa; }
nav em { display: block; font-style: normal; font-size: .85rem; color: var(--colour); }
section { border-top: 1px solid var(--rule); padding: 1.6rem 0 .6rem; margin-top: 1.4rem; }
section.bad { border-top: 5px solid var(--bad); }
.verdict { background: var(--colour); color: #fff; border-radius: .3rem; padding: .1rem .55rem;
           font-size: .85rem; font-weight: 600; white-space: nowrap; vertical-align: .1em; }
img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.errors { color: var(--bad); font-size: .9rem; margin: 0 0 .8rem; padding-left: 1.2rem;
          overflow-wrap: anywhere; }
.words { display: grid; gap: 0 2rem; margin: .8rem 0; }
.words p { margin: 0 0 .8rem; }
@media (min-width: 860px) { .words { grid-template-columns: 11fr 10fr; } }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
td, th { padding: .18rem .6rem; border-bottom: 1px solid #edf0f3; vertical-align: top; }
.parameters { width: 100%; align-self: start; }
.parameters td, .parameters th { text-align: left; }
.parameters th { font-weight: 600; white-space: nowrap; }
.parameters tr:first-child th { color: #52606d; font-weight: 400; }
.scores td, .scores th { text-align: right; white-space: nowrap; }
.scores td:first-child, .scores th:first-child { text-align: left; }
u { color: #2166ac; text-underline-offset: .15em; }
.wide { overflow-x: auto; margin-top: .5rem; }
.far { color: var(--bad); font-weight: 600; }
summary { cursor: pointer; display: flex; flex-wrap: wrap; align-items: center; gap: .2rem 1rem;
          font-size: .9rem; }
.strip { width: 17rem; max-width: 100%; }
.strip rect { fill: #e8edf2; }
.strip path { stroke: var(--ink); stroke-opacity: .45; stroke-width: .7; }
.strip path.far { stroke: var(--bad); stroke-opacity: 1; stroke-width: 1.2; }
.strip text { font-size: 6.5px; text-anchor: middle; fill: #52606d; }
"""

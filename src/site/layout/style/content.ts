/** What stands in `main`: headings, prose, tables, entries, code. */
export const contentStyle = `
h1, h2, h3 { line-height: 1.2; letter-spacing: -.015em; text-wrap: balance; }
h1 { margin: 0; font-size: clamp(1.9rem, 1.4rem + 2vw, 2.75rem); }
main h2 { margin: 0 0 1rem; font-size: clamp(1.4rem, 1.2rem + .8vw, 1.75rem); }
h3 { margin: 0 0 .75rem; font-size: 1.1875rem; }
.lead { margin: .75rem 0 0; max-width: 44rem; color: var(--soft); font-size: 1.1875rem; line-height: 1.55; text-wrap: pretty; }
.intro > :not(h1, .lead) { max-width: 44rem; }
.facts { margin: 1.75rem 0 0; }
.facts > div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .1rem 1rem; padding: .6rem 0; border-top: 1px solid var(--line); font-size: .9375rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
@media (max-width: 29.99rem) { .facts > div { grid-template-columns: minmax(0, 1fr); } }
.intro > .cards, .intro > .note { margin-top: 1.75rem; }
main > section { margin-top: 3rem; padding-top: 2.75rem; border-top: 1px solid var(--line); }
section section { margin-top: 2.75rem; }
.text { max-width: 44rem; min-width: 0; }
.text p, .text ul, .text ol { margin: 0 0 1rem; text-wrap: pretty; }
.alone > .text { max-width: 64rem; }
.alone > .text > :not(table, .cards) { max-width: 44rem; }
.text > :last-child { margin-bottom: 0; }
.text ul, .text ol { padding-left: 1.35rem; }
.text li { margin: .4rem 0; }
.text li::marker { color: var(--soft); }
.examples { min-width: 0; max-width: 44rem; margin-top: 1.5rem; display: grid; gap: 1.25rem; align-content: start; grid-template-columns: minmax(0, 1fr); }
.anchor {
  margin-left: .4rem; padding: 0 .2rem; color: var(--soft); font-weight: 400; text-decoration: none; opacity: 0;
}
:is(h1, h2, h3, dt):hover > .anchor, .anchor:focus-visible { opacity: 1; }
@media (hover: none) { .anchor { opacity: .7; } }
:is(h1, h2, h3, .entry):target { scroll-margin-top: calc(var(--header) + 1.25rem); }
.entry:target { background: var(--accent-ground); box-shadow: -.75rem 0 var(--accent-ground), .75rem 0 var(--accent-ground); }

code { font: .9em/1.5 var(--mono); font-variant-ligatures: none; }
:not(pre) > code {
  padding: .1em .35em; border-radius: 4px; overflow-wrap: anywhere;
  background: var(--raised); box-shadow: inset 0 0 0 1px var(--line);
}
a > code { color: inherit; }

table { width: 100%; margin: 0 0 1rem; border-collapse: collapse; font-size: .9375rem; line-height: 1.5; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th { padding: .5rem 1rem .5rem 0; text-align: left; font-size: .8125rem; color: var(--soft); font-weight: 600; }
td { padding: .65rem 1rem .65rem 0; vertical-align: top; border-top: 1px solid var(--line); }
td:last-child, th:last-child { padding-right: 0; }
@media (min-width: 40rem) { td > span > code:only-child, td > span > a:only-child > code { white-space: nowrap; } }
@media (max-width: 39.99rem) {
  table, tbody, tr, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: .75rem 0; border-top: 1px solid var(--line); }
  td { padding: .15rem 0; border: 0; }
  td:not(:first-child) { display: grid; grid-template-columns: 5.25rem minmax(0, 1fr); gap: .75rem; }
  td:not(:first-child)::before { content: attr(data-label); color: var(--soft); font-size: .8125rem; line-height: 1.85; }
}

.entries { margin: 0 0 1rem; }
.entry { padding: .9rem 0; border-top: 1px solid var(--line); }
.entry dt { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .6rem; }
.entry dt code { font-size: .9375rem; font-weight: 650; padding: 0; background: none; box-shadow: none; }
.entry dt .anchor { margin-left: -.2rem; }
.entry dd { margin: .3rem 0 0; color: var(--soft); }
.entry dd code { color: var(--ink); }
.tag { color: var(--soft); font-size: .8125rem; line-height: 1.6; }
.tag-required { color: var(--warn); font-weight: 600; }

.note { margin: 0 0 1rem; padding: .85rem 1.1rem; border: 1px solid var(--warn-line); border-radius: 8px; background: var(--warn-ground); font-size: .9375rem; }
.note p { margin: 0; }
.note strong { color: var(--warn); }
.note code { background: none !important; box-shadow: none !important; padding: 0 !important; }
blockquote { margin: 0 0 1rem; padding: .25rem 0 .25rem 1.25rem; border-left: 3px solid var(--accent); font-size: 1.0625rem; }
blockquote p { margin: 0 !important; }

main .cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); list-style: none; padding: 0; margin: 0; }
.cards li { position: relative; margin: 0; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); }
.cards li:hover { border-color: var(--accent); }
.cards a { font-weight: 650; text-decoration: none; }
.cards a::after { content: ''; position: absolute; inset: 0; border-radius: 10px; }
.cards a:focus-visible { outline: none; }
.cards a:focus-visible::after { outline: 2px solid var(--accent); outline-offset: 2px; }
.cards p { margin: .3rem 0 0; color: var(--soft); font-size: .9375rem; }

figure { margin: 0; }
.code, .choice details { border: 1px solid var(--code-line); border-radius: 10px; background: var(--code-ground); color: var(--code-ink); overflow: hidden; }
figcaption, summary { padding: .55rem 1.1rem; font-size: .8125rem; font-weight: 600; line-height: 1.5; color: #a9c4be; }
figcaption { border-bottom: 1px solid var(--code-line); }
.choice { display: grid; gap: .5rem; grid-template-columns: minmax(0, 1fr); }
summary { cursor: pointer; }
summary:hover { color: #fff; }
details[open] > summary { color: #fff; border-bottom: 1px solid var(--code-line); }
.code :focus-visible, .choice :focus-visible { outline-color: #5fd3bd; outline-offset: -3px; border-radius: 8px; }
pre { margin: 0; padding: .95rem 1.1rem; overflow-x: auto; font-size: .84375rem; line-height: 1.6; tab-size: 2; scrollbar-width: thin; scrollbar-color: #3c5e57 transparent; }
pre code { font-size: 1em; line-height: inherit; user-select: text; }
.hl-key { color: #8fd9ff; }
.hl-string { color: #b5e8a0; }
.hl-word { color: #ffc27a; }
.hl-number { color: #f5b8d5; }
.hl-comment { color: #9fb3ae; font-style: italic; }
@media (max-width: 39.99rem) { pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8125rem; padding-inline: .9rem; } figcaption, summary { padding-inline: .9rem; } }

@media (min-width: 86rem) {
  .beside { display: grid; grid-template-columns: minmax(0, 44rem) minmax(0, 36rem); justify-content: space-between; gap: 0 clamp(2rem, 3vw, 4rem); }
  .beside > .examples { max-width: none; margin-top: .25rem; position: sticky; top: calc(var(--header) + 1.25rem); align-self: start; }
}
`

/** Colours, type and the frame of a page: header, contents, footer. Light and dark; every pair of colours meets AA. */
export const baseStyle = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #101418);
  --raised: light-dark(#f6f8f8, #171d22);
  --line: light-dark(#dde3e3, #2b343b);
  --ink: light-dark(#16211f, #e6ecea);
  --soft: light-dark(#4c5a57, #a3b1ae);
  --accent: light-dark(#0a6657, #5fd3bd);
  --accent-ground: light-dark(#e7f3f0, #15302c);
  --warn: light-dark(#7a4a00, #f2c078);
  --warn-ground: light-dark(#fff6e5, #2c2415);
  --warn-line: light-dark(#e9c98f, #5c4a24);
  --code-ground: #11201e;
  --code-ink: #e3eeeb;
  --code-line: #24403b;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'Liberation Mono', monospace;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif;
  --header: 3.75rem;
  --gutter: clamp(1rem, 4vw, 2.5rem);
}
*, ::before, ::after { box-sizing: border-box; }
html {
  -webkit-text-size-adjust: 100%;
  scroll-padding-top: calc(var(--header) + 1.25rem);
}
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.65 var(--sans);
  overflow-wrap: break-word;
}
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .2em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.skip { position: absolute; inset: -10rem auto auto 1rem; padding: .5rem 1rem; background: var(--ground); z-index: 3; }
.skip:focus { inset: .5rem auto auto 1rem; }

header.site {
  position: sticky; top: 0; z-index: 2;
  display: flex; align-items: center; gap: .25rem 2rem;
  min-height: var(--header);
  padding: 0 var(--gutter);
  background: color-mix(in srgb, var(--ground) 94%, transparent);
  backdrop-filter: blur(8px);
  border-bottom: 1px solid var(--line);
}
header.site nav { margin-left: auto; }
header.site ul, footer.site ul { list-style: none; margin: 0; padding: 0; }
header.site ul { display: flex; gap: .25rem; }
header.site li a {
  display: block; padding: .4rem .7rem; border-radius: 6px;
  color: var(--soft); font-size: .9375rem; text-decoration: none; white-space: nowrap;
}
header.site li a:hover { color: var(--ink); background: var(--raised); }
header.site li a[aria-current] { color: var(--accent); background: var(--accent-ground); font-weight: 600; }
.brand { display: flex; align-items: center; gap: .65rem; min-width: 0; color: var(--ink); font-weight: 650; line-height: 1.25; text-decoration: none; }
.brand img { flex: none; }
.brand .product { color: var(--soft); font-weight: 400; margin-left: .35rem; white-space: nowrap; }

.layout { max-width: 104rem; margin: 0 auto; padding: 0 var(--gutter); }
main { min-width: 0; padding: 2rem 0 5rem; }
.toc { padding: 1.5rem 0 0; font-size: .9375rem; }
.toc h2 { margin: 0 0 .5rem; font-size: .75rem; letter-spacing: .08em; text-transform: uppercase; color: var(--soft); }
.toc ul { list-style: none; margin: 0; padding: 0; }
.toc > ul { columns: 2; column-gap: 1.5rem; }
.toc ul ul { display: none; }
.toc a { display: block; padding: .2rem 0; color: var(--soft); text-decoration: none; line-height: 1.4; break-inside: avoid; }
.toc a:hover { color: var(--accent); text-decoration: underline; }

footer.site {
  display: grid; gap: 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr));
  padding: 2.5rem var(--gutter) 3rem;
  background: var(--raised); border-top: 1px solid var(--line);
  color: var(--soft); font-size: .9375rem;
}
footer.site p { margin: 0 0 .35rem; }
footer.site strong { color: var(--ink); }
footer.site h2 { margin: 0 0 .5rem; font-size: .9375rem; color: var(--ink); }
footer.site li { padding: .15rem 0; }

@media (max-width: 47.99rem) {
  header.site { position: static; flex-wrap: wrap; padding-block: .75rem .25rem; }
  header.site nav { margin: 0 -.5rem; }
  header.site li a { padding: .35rem .5rem; font-size: .875rem; }
  .brand .product { display: block; margin: 0; font-size: .875rem; }
  header.site ul { flex-wrap: wrap; gap: 0; }
  html { --header: 0rem; }
}
@media (max-width: 29.99rem) {
  header.site nav { margin: 0 -.35rem; }
  header.site li a { padding-inline: .35rem; }
}
@media (min-width: 64rem) {
  .layout { display: grid; grid-template-columns: 14.5rem minmax(0, 1fr); gap: 0 clamp(2rem, 4vw, 4rem); }
  main { padding-top: 3rem; }
  .toc {
    position: sticky; top: var(--header); align-self: start;
    max-height: calc(100vh - var(--header)); overflow-y: auto;
    padding: 3.25rem 1rem 2rem 0; scrollbar-width: thin;
  }
  .toc > ul { columns: auto; }
  .toc ul ul { display: block; padding-left: .85rem; border-left: 1px solid var(--line); margin: .1rem 0 .4rem; font-size: .875rem; }
}
@media print {
  header.site nav, .toc, footer.site nav, .anchor, .skip { display: none; }
  header.site { position: static; }
}
`

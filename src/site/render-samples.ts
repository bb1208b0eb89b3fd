import type { Tokens } from 'marked'
import { highlight } from './highlight.ts'
import { type Html, html } from './html.ts'

/** Programming languages, whose samples are alternatives. The others are answers and data. */
const programming = ['sh', 'ts', 'python', 'php']

/** Renders the samples of a section. `id` distinguishes them from other samples on the page. */
export function renderSamples(samples: readonly Tokens.Code[], id: string): Html {
  const groups: Tokens.Code[][] = []
  for (const sample of samples) {
    const before = groups.at(-1)
    const joins = before?.[0] && [before[0], sample].every((one) => programming.includes(languageOf(one)))
    if (joins) before.push(sample)
    else groups.push([sample])
  }
  return html`${groups.map((group) => (group.length > 1 ? renderTabs(group, `${id}-language`) : renderFigure(group[0] as Tokens.Code)))}`
}

const languageOf = ({ lang }: Tokens.Code) => lang?.split(' ', 1)[0] ?? ''
const labelOf = (sample: Tokens.Code) => sample.lang?.slice(languageOf(sample).length + 1) ?? ''
const renderCode = (sample: Tokens.Code) => html`<pre><code>${highlight(sample.text, languageOf(sample))}</code></pre>`

function renderFigure(sample: Tokens.Code): Html {
  return html`<figure class="code"><figcaption>${labelOf(sample)}</figcaption>${renderCode(sample)}</figure>\n`
}

/** Tabs without scripts: the checked radio button shows the sample after it. */
function renderTabs(samples: readonly Tokens.Code[], name: string): Html {
  const tab = (sample: Tokens.Code, index: number) => html`
<label><input type="radio" name="${name}"${index === 0 ? html` checked` : undefined}><span>${labelOf(sample)}</span></label>
<div class="tab">${renderCode(sample)}</div>`
  return html`<fieldset class="code tabs"><legend>Language</legend>${samples.map(tab)}</fieldset>\n`
}

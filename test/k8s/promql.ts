import { parser } from '@prometheus-io/lezer-promql'

/** What a PromQL expression uses. */
export interface Reading {
  /** The metric of each selector, and the labels that it matches with their values. */
  selectors: { metric: string; labels: { name: string; value: string }[] }[]
  /** The labels that it groups by. */
  groupedBy: string[]
}

/** Parses an expression with Prometheus's own grammar. Throws when it is invalid. */
export function readExpression(expression: string): Reading {
  const reading: Reading = { selectors: [], groupedBy: [] }
  parser.parse(expression).iterate({
    enter({ name, from, to, node, type }) {
      const text = expression.slice(from, to)
      if (type.isError) throw new SyntaxError(`not PromQL at ${from}: ${expression}`)
      if (name === 'VectorSelector') reading.selectors.push({ metric: '', labels: [] })
      const selector = reading.selectors.at(-1)
      if (name === 'Identifier' && selector) selector.metric = text
      if (name !== 'LabelName') return
      if (node.parent?.name === 'GroupingLabels') reading.groupedBy.push(text)
      else selector?.labels.push({ name: text, value: JSON.parse(expression.slice(to).match(/".*?"/)?.[0] ?? '""') })
    },
  })
  return reading
}

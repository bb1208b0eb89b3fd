/**
 * The number of insertions, deletions, replacements and swaps of neighboring letters between two texts (optimal string
 * alignment), in code units. Takes time proportional to the product of the lengths, so use it for short texts only.
 */
export function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
        swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  }
  return at(from.length, to.length)
}

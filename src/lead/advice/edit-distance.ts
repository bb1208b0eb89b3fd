/** Whether one insertion, deletion, replacement or swap of neighboring letters turns one text into the other. */
export function isOneEdit(from: string, to: string): boolean {
  let start = 0
  while (start < from.length && from[start] === to[start]) start++
  const [left, right] = [from.slice(start), to.slice(start)]
  const isSwap = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2)
  const isReplaced = left.slice(1) === right.slice(1)
  return left !== right && (isReplaced || left.slice(1) === right || left === right.slice(1) || isSwap)
}

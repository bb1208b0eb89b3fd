/**
 * Caches one object per combination of labels (a metric's child, a log's child), so that the hot path allocates nothing
 * and joins no keys. Nothing is ever evicted, so use it only for a small set of labels.
 */
export function createChildren<C>(make: (...labels: string[]) => C): (...labels: string[]) => C {
  interface Branch {
    child?: C
    branches: Map<string, Branch>
  }
  const root: Branch = { branches: new Map() }
  return (...labels) => {
    let branch = root
    for (const label of labels) {
      let next = branch.branches.get(label)
      if (next === undefined) {
        next = { branches: new Map() }
        branch.branches.set(label, next)
      }
      branch = next
    }
    branch.child ??= make(...labels)
    return branch.child
  }
}

import type { Kind } from './fields.ts'

/** The names of the drafts whose forms are in the page now. */
const takenNames = new Set<string>()

/**
 * Where the tab keeps what was typed until it is sent: browsers do not restore the fields of a shadow tree. The name is
 * kind and path alone, so that a form that is made anew finds it. While that form is there, another has its own. `own`
 * is the name that this form had before, which it keeps on the same path unless another form has taken it.
 */
export function claimDraft(kind: Kind, own = '') {
  const prefix = `lead-form ${kind} `
  let name = prefix + location.pathname
  if (own.split(' +')[0] === name && !takenNames.has(own)) name = own
  while (takenNames.has(name)) name += ' +'
  takenNames.add(name)
  return {
    name,
    release: () => takenNames.delete(name),
    read: (): Record<string, string> => attempt(() => JSON.parse(sessionStorage.getItem(name) ?? '{}')) ?? {},
    write: (values: Record<string, string>) => attempt(() => sessionStorage.setItem(name, JSON.stringify(values))),
    clear: () =>
      attempt(() => {
        for (const one of Object.keys(sessionStorage)) if (one.startsWith(prefix)) sessionStorage.removeItem(one)
      }),
  }
}

/** Storage may be missing (in a sandboxed frame), full or switched off. */
function attempt<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}

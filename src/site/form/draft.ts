/**
 * What a customer has typed, kept for this tab until it is sent: browsers do not restore fields of a shadow tree when
 * the customer comes back to a page. The tick of the consent is not kept.
 */
export function createDraft(name: string) {
  const key = `lead-form ${name} ${location.pathname}${location.search}`
  return {
    read(): Record<string, string> {
      return attempt(() => JSON.parse(sessionStorage.getItem(key) ?? '{}')) ?? {}
    },
    save: (values: Record<string, string>) => attempt(() => sessionStorage.setItem(key, JSON.stringify(values))),
    forget: () => attempt(() => sessionStorage.removeItem(key)),
  }
}

/** A sandboxed frame has no storage, and storage can be full or switched off. */
function attempt<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}

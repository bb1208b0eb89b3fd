/** A validated quote request, as specified by the API. */
export interface Quote {
  name: string
  phone: string
  email: string
  bedrooms: string
  bathrooms: string
  service: string
  notes: string
  communicationsConsent: true
  consentTimestamp?: string | undefined
  pageUrl?: string | undefined
}

/** The patterns of the structured fields, from the service's proto file. */
export const patterns = {
  phone: /^(?:\+?1)?[0-9]{10}$/,
  email: /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9-]{1,63}(?:\.[a-zA-Z0-9-]{1,63})+$/,
  count: /^[1-9]?[0-9](?:\.5)?\+?$/,
  utcDateTime: /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:[Zz]|[+-]00:00)$/,
  url: /^https?:\/\/[^\s]+$/,
}

/** The maximum size of a body, in bytes. */
export const bodyMaxBytes = 20_000

/** The requests per client and window, and the window's length. */
export const policy = { limit: 10, windowSeconds: 60 }

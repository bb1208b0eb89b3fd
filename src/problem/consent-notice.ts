import type { ConsentTexts } from '../lead/wording.ts'

/** The consent wording as callers get it: from `GET /api/v1`, and with every problem about consent. */
export interface ConsentNotice {
  version: string
  wording: string
  /** Where the wording is published. */
  url: string
}

export function createConsentNotice(baseUrl: string, { wording }: ConsentTexts): ConsentNotice {
  return { version: wording.version, wording: wording.text, url: `${baseUrl}/terms#consent` }
}

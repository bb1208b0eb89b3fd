// What made-up evidence names.

import { createTextWriter } from '../../src/consent/evidence-texts.ts'
import { createConsentTexts } from '../../src/consent/wording.ts'
import type { SubmissionOrigin } from '../../src/lead/submission.ts'

export const business = {
  ...{ name: 'Example & Sons Cleaning', postalAddress: '1 Main Street, Springfield' },
  ...{ phone: '(202) 555-0100', email: 'office@example.com' },
}

/** The texts in force for a made-up business. */
export const consent = createConsentTexts(business)

export const createTexts = createTextWriter(consent)

export const origin: SubmissionOrigin = {
  requestId: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a11',
  submissionPath: 'rest-v1',
  keyScope: '192.0.2.7',
  clientAddress: '192.0.2.7',
  userAgent: 'test/1',
}

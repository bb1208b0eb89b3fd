import { sendHints } from '../words/faults.ts'
import type { Fault } from './error.ts'
import { faultOf } from './rules.ts'
import type { LeadContent } from './submission.ts'

/** RFC 2606 §2 and §3, RFC 6761 §6. */
const reservedDomain = /@(?:.*\.)?(?:example\.(?:com|net|org)|test|invalid|localhost|example)$/

/** Numbers that the North American Numbering Plan reserves for fiction, in any area code. */
const fictionalPhone = /^[0-9]{3}55501[0-9]{2}$/

/**
 * NXX-NXX-XXXX: N is 2 to 9, and neither the area code nor the exchange is N11. No area code is N9X or 555. Toll-free
 * numbers are not bound by this: 800-411-XXXX is in use.
 */
const assignablePhone = /^(?:8(?:00|33|44|55|66|77|88)[0-9]{7}|(?![2-9]11|555)[2-9][0-8][0-9](?![2-9]11)[2-9][0-9]{6})$/

/** The placeholders in our samples (`src/site/content/samples/`) that would pass the rules of a free-text field. */
const sampleText =
  /^(?:YOUR CUSTOMER'S (?:NAME|MESSAGE)|KIND OF CLEANING|WHAT THE CUSTOMER SAID ABOUT THE HOME|TOPIC, SUCH AS Window cleaning)$/

/** A whole name that says that the lead is a test. Test is a surname too. */
const testName = /^(?:(?:qa|api|zapier) )?test(?: test)*(?: (?:user|lead|customer))?$/i

/** An address that only fills a box: it says that there is none, that it is a test, or whose it should be. */
const fillerAddress =
  /^(?:(?:no[._-]?(?:e?-?mail)?|none|na|null|nil|unknown)@(?:no[._-]?(?:e?-?mail)?|none|na|null|nil|unknown)|(test|e-?mail|fake|asdf)@\1|your[._-]?(?:e?-?mail|name)?@(?:your[._-]?)?(?:e?-?mail|domain|company))\.(?:com|net|org|co)$/i

/** Finds reserved and unassignable contacts, test names, and our samples' placeholders (docs/specification.md §4). */
export function findTestData(content: LeadContent): Fault[] {
  const faults: Fault[] = []
  const { name, email = '', phone } = content
  if (testName.test(String(name).replace(/\s+/g, ' '))) faults.push(faultOf('name', 'placeholder'))
  if (fictionalPhone.test(String(phone))) faults.push(faultOf('phone', 'reserved_phone'))
  else if (phone !== undefined && !assignablePhone.test(String(phone)))
    faults.push(faultOf('phone', 'unassignable_phone'))
  if (fillerAddress.test(String(email))) faults.push(faultOf('email', 'placeholder', { hint: sendHints.email }))
  if (reservedDomain.test(String(email))) faults.push(faultOf('email', 'reserved_domain'))
  for (const [field, value] of Object.entries(content)) {
    if (sampleText.test(String(value))) faults.push(faultOf(field, 'placeholder'))
  }
  return faults
}

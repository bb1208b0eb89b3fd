/**
 * What the forms say to customers. The attribute `texts` replaces any of them. After a field's name, `.help` is shown
 * below the field, `.ask` if it is empty, `.wrong` if the service cannot take its value.
 */
export const english = {
  'quote.title': 'Ask for a quote',
  'quote.send': 'Ask for a quote',
  'quote.thanks': 'Thank you. We have your request.',
  'support.title': 'Write to us',
  'support.send': 'Send',
  'support.thanks': 'Thank you. We have your message.',
  number: 'If you ask about it, please give us this number:',
  required: 'Fields with * are required.',
  name: 'Name',
  'name.ask': 'What is your name?',
  'name.wrong': 'Please write your name with letters only.',
  phone: 'Phone',
  'phone.ask': 'What is your phone number? Ten digits, starting with the area code.',
  'phone.wrong':
    'Please check the number. We can call U.S. numbers and others with +1: ten digits. Put an extension into “%last%”. If you have no such number, please %contact%.',
  email: 'E-mail',
  'email.ask': 'What is your e-mail address? For example, name@example.com',
  'email.wrong': 'Please check the address. It should look like name@example.com',
  bedrooms: 'Bedrooms',
  'bedrooms.help': 'For example, 3 or 5+. A studio is 0.',
  'bedrooms.ask': 'How many bedrooms? For example, 3',
  'bedrooms.wrong': 'How many bedrooms? Please write a number, for example 3',
  bathrooms: 'Bathrooms',
  'bathrooms.help': 'For example, 2 or 2.5',
  'bathrooms.ask': 'How many bathrooms? For example, 2.5',
  'bathrooms.wrong': 'How many bathrooms? Please write whole or half numbers, for example 2.5',
  service: 'Kind of cleaning',
  'service.choose': 'Please choose',
  'service.ask': 'What kind of cleaning? Please choose one.',
  notes: 'About your home',
  'notes.help': 'Pets, parking, anything we should know. Please leave out door and alarm codes.',
  'notes.ask': 'Please tell us about your home, or write “No further details”.',
  'communicationsConsent.ask':
    'We need your yes to this before we can contact you. If you would rather not, please %contact%.',
  helpWith: 'What is it about?',
  'helpWith.ask': 'What is it about? For example, window cleaning',
  message: 'Message',
  'message.ask': 'What would you like to tell us?',
  small: 'For adults only. Read our %terms% and %privacy%.',
  terms: 'terms',
  privacy: 'how we use your data',
  contact: 'call %phone% or write to %email%',
  rather: 'You can also call %phone% or write to %email%. %agents%',
  agents: 'For AI agents',
  sending: 'Sending …',
  marked: 'Please look at the fields that are marked above.',
  refused: 'Your request could not be sent. Please %contact%.',
  away: 'We could not be reached. Please check your connection and press the button again. If that does not help, please %contact%.',
  wait: 'We cannot take your request yet. What you wrote stays here. Please press the button again when the countdown ends.',
  countdown: 'Again in %left%',
  again: 'You can press “%send%” again.',
  length: 'This has %length% characters, but only %most% fit. Please shorten it.',
  // By the code of a fault.
  too_long: 'This is too long. Please shorten it.',
  payment_card: 'Please leave out card numbers. We never need one here.',
  placeholder: 'This is an example. Please write your own.',
  reserved_phone: 'This is an example. Please write your own.',
  reserved_domain: 'This is an example. Please write your own.',
  unassignable_phone:
    'Please check the number: no one in the U.S. or Canada can have this one. If yours is from elsewhere, please %contact%.',
} as const

export type TextName = keyof typeof english
type Translated = Partial<Record<TextName | 'consent' | 'consent-version', string>>

/** A hint for the owner of the website, in the console. */
export const warn = (...parts: unknown[]) => console.warn('lead-form:', ...parts)

/** Reads the attribute `texts`. A text that is missing is English. */
export function readTexts(json: string | null) {
  let own: Translated = {}
  try {
    own = JSON.parse(json ?? '{}')
  } catch (error) {
    warn('the attribute "texts" is not JSON, so the form is in English.', error)
  }
  return { ...english, ...own } as Record<TextName, string> & Translated
}

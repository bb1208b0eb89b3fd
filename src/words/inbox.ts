/** What callers of the inbox read about an invalid field, as in `faults`: what it must be, and what to send. */
export const inboxFaults = {
  id: { detail: 'must be the id of a lead: a UUID', hint: 'Send the id from a receipt or from ListLeads.' },
  kind: { detail: 'must be LEAD_KIND_QUOTE, LEAD_KIND_SUPPORT or unspecified', hint: 'Leave kind out for both kinds.' },
  page_size: { detail: 'must be 1 to 500', hint: 'Request at most 500 leads per page.' },
  page_token: {
    detail: 'is not a page token of this database for this call',
    hint: 'Send the token of the previous page, unchanged, with the same filters, or start again without it.',
  },
  time: {
    detail: 'must be a time that exists, in the years 1 to 9999',
    hint: 'Send a valid google.protobuf.Timestamp.',
  },
  received_before: {
    detail: 'must be later than receivedAfter',
    hint: 'Send the later of the two times as receivedBefore.',
  },
  consumer: {
    detail: 'must be 1 to 50 letters, digits, dots, dashes or underscores',
    hint: 'Send a name such as "crm", the same in every call of this consumer.',
  },
  cursor: { detail: 'is not a cursor of this service', hint: 'Send the cursor of a message, unchanged.' },
  start: {
    detail: 'cannot be sent together with {{other}}',
    hint: 'Send one of cursor, startTime and startNow, or none of them to start with the oldest lead.',
  },
  contact: {
    detail: 'must be an e-mail address, or a ten-digit number in the U.S., Canada or another +1 country',
    hint: 'Send one address such as "pat@example.com", or ten digits such as "2025550123".',
  },
  person: { detail: 'must have at most 200 characters', hint: 'Send the name alone, or leave it out.' },
  channels: {
    detail: 'must each be CHANNEL_PHONE, CHANNEL_TEXT or CHANNEL_EMAIL',
    hint: 'Leave channels out for all of them.',
  },
  channels_of_contact: {
    detail: 'must be channels that the contact has',
    hint: 'Send CHANNEL_PHONE or CHANNEL_TEXT with a number, CHANNEL_EMAIL with an address; leave channels out for all.',
  },
  said_at: {
    detail: 'must not be in the future',
    hint: 'Send the time when the person said so; leave it out if that is now.',
  },
  how: { detail: 'must be a known OptOutHow', hint: 'For any other way, send OPT_OUT_HOW_OTHER.' },
} as const

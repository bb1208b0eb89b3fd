import { readFileSync } from 'node:fs'

/** The settings of this program, from the environment. */
export interface Settings {
  inboxUrl: string
  /** The PEM files for an inbox that demands certificates, as they are now: they are renewed while the program runs. */
  readTls: () => { ca?: Buffer; cert?: Buffer; key?: Buffer }
  smtpUrl: string
  from: string
  to: string
  stateFile: string
  /** Where the recipients read what to heed before they call or write. */
  rulesUrl?: string | undefined
  /** Whether the first start skips the leads that already exist. */
  startNow: boolean
  /** How long the stream may be silent. The service sends a message at least every 15 seconds. */
  silenceMs: number
}

/** One plain address, without a display name or characters that could end a header. */
export const mailAddress = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9.-]+$/

/** Reads the settings. Throws one error that names every missing or invalid setting, but no secret. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const faults: string[] = []
  const need = (name: string, fits: (text: string) => boolean, expected: string) => {
    const text = env[name] ?? ''
    if (!fits(text)) faults.push(`${name}: expected ${expected}`)
    return text
  }
  const read = (name: string) => {
    const path = env[name]
    if (!path) return undefined
    try {
      return readFileSync(path)
    } catch {
      faults.push(`${name}: expected the path of a readable file`)
      return undefined
    }
  }
  const smtpUrl = read('SMTP_URL_FILE')?.toString().trim() ?? env.SMTP_URL ?? ''
  if (!/^smtps?:\/\/./.test(smtpUrl) || !URL.canParse(smtpUrl))
    faults.push('SMTP_URL: expected smtp://USER:PASSWORD@HOST:PORT or smtps://…')
  const readTls = () => ({ ca: read('INBOX_CA_FILE'), cert: read('INBOX_CERT_FILE'), key: read('INBOX_KEY_FILE') })
  readTls()
  const settings: Settings = {
    inboxUrl: env.INBOX_URL || 'http://localhost:9090',
    readTls,
    smtpUrl,
    from: need('MAIL_FROM', (text) => mailAddress.test(text), 'one e-mail address'),
    // A mail server may refuse one of several, who would never get the lead.
    to: need('MAIL_TO', (text) => mailAddress.test(text), 'one e-mail address, that of a group if several people read'),
    stateFile: env.STATE_FILE || 'data/mail.db',
    rulesUrl: env.RULES_URL || undefined,
    startNow: env.START === 'now',
    silenceMs: Number(env.SILENCE_SECONDS || 45) * 1_000,
  }
  if (faults.length > 0) throw new TypeError(faults.join('\n'))
  return settings
}

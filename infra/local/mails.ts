import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Mail } from '#shared/core/aws/send-mail.ts'
import { PermanentRefusal } from './api/open-server.ts'
import { writeAtomically } from './files/data-dir.ts'
import { messageOf, StartupError } from './files/fault.ts'

/** Returns a function that writes mails to files and prints their paths. Only the files' owner can read them. */
export function mailFolder(dir: string, print: (line: string) => void): (mail: Mail) => Promise<void> {
  const folder = join(dir, 'mails')
  let count = 0
  return async ({ from, to, subject, text }) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const at = new Date()
    const file = join(folder, `${at.toISOString().replaceAll(':', '')}-${++count}.txt`)
    const headers = [`Date: ${at.toUTCString()}`, `From: ${from}`, `To: ${to}`, `Subject: ${subject}`]
    writeAtomically(file, [...headers, '', text].join('\n'))
    print(`A mail was saved to ${file}\n`)
  }
}

/** Returns an error message that is safe to log. An SMTP reply is reduced to its codes, because its text may contain personal data. */
function toSafeText(error: unknown): string {
  const { code, response } = error as { code?: unknown; response?: unknown }
  if (typeof response !== 'string') return messageOf(error)
  const [status] = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response) ?? []
  return [status, code].filter(Boolean).join(' ')
}

/**
 * Returns a function that sends mails through an SMTP server.
 * @throws StartupError for an invalid URL
 */
export function smtpServer(url: string): (mail: Mail) => Promise<void> {
  if (!URL.canParse(url) || !/^smtps?:$/.test(new URL(url).protocol)) {
    throw new StartupError('SMTP_URL must be an address like smtp://user:password@mail.example.com:587.')
  }
  const timeouts = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 8_000 }
  return async (mail) => {
    // Loads the package with the first mail, because most local services send none.
    const { createTransport } = await import('nodemailer')
    try {
      await createTransport({ ...timeouts, url }).sendMail(mail)
    } catch (error) {
      const status = Number((error as { responseCode?: unknown }).responseCode)
      const isPermanent = status >= 500 && status < 600
      const message = `mail: ${new URL(url).host} ${isPermanent ? 'permanently refused a mail' : 'did not accept a mail'}: ${toSafeText(error)}`
      throw isPermanent ? new PermanentRefusal(message) : new StartupError(message)
    }
  }
}

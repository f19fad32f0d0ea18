import { servicePlace } from './service-host.ts'
import { signedFetch } from './signed-fetch.ts'

export type Mail = { from: string; to: string; subject: string; text: string }

/** A subject is a header, which has one line: names of things may have more. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/** Hands a mail to Amazon SES, or to what stands for it on one machine. @throws Error when it was not taken */
export async function sendMail({ from, to, subject, text }: Mail): Promise<void> {
  const content = (Data: string) => ({ Data, Charset: 'UTF-8' })
  await signedFetch(
    {
      service: 'ses',
      method: 'POST',
      ...servicePlace('email', 'SESV2'),
      path: '/v2/email/outbound-emails',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: { Simple: { Subject: content(oneLine(subject)), Body: { Text: content(text) } } },
      }),
    },
    10_000,
  )
}

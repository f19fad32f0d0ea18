import { servicePlace } from './aws/service-host.ts'
import { signedFetch } from './aws/signed-fetch.ts'

export type Mail = { from: string; to: string; subject: string; text: string }

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
        Content: { Simple: { Subject: content(subject), Body: { Text: content(text) } } },
      }),
    },
    10_000,
  )
}

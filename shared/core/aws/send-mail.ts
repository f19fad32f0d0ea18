import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { awsClient } from './clients.ts'

export type Mail = { from: string; to: string; subject: string; text: string }

/** Replaces line breaks: a subject is a mail header of one line, but object names may have several. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/** Sends a mail by Amazon SES, or by SMTP on a single machine. @throws Error when it is rejected */
export async function sendMail({ from, to, subject, text }: Mail): Promise<void> {
  const content = (Data: string) => ({ Data, Charset: 'UTF-8' })
  await awsClient(SESv2Client).send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: content(oneLine(subject)), Body: { Text: content(text) } } },
    }),
    { requestTimeout: 10_000 },
  )
}

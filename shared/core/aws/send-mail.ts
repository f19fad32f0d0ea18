import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { awsClient } from './clients.ts'

export type Mail = { from: string; to: string; subject: string; text: string }

/** Replaces line breaks with spaces. Object names may contain them, but a mail subject must be a single line. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/** Sends a mail through Amazon SES, or through SMTP on a single machine. @throws Error when the mail is rejected */
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

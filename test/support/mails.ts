import { randomUUID } from 'node:crypto'
import { vi } from 'vitest'
import { handler as mailPasscode } from '#functions/tasks/mail-passcode.ts'
import { openAwsServices } from '#infra/local/aws-services.ts'
import { clock } from '#shared/core/clock.ts'
import { hashPassword, passwordCost } from '#shared/core/password-hash.ts'
import type { Mail } from '#shared/core/send-mail.ts'
import { passcodeKey } from '#shared/domain/passcodes/passcode.ts'
import { passcodeProvider } from '#shared/sign-in/passcode-provider.ts'
import { table, tableName } from '#shared/table/client.ts'
import { PutCommand } from '#shared/table/commands.ts'
import { insertProvider } from './portal-sessions.ts'
import { insertActor } from './rows.ts'

/** Passcodes are mailed from here on, and kept here, until the mocks are restored and `stop` is called. */
export async function catchMails(deliver: (mail: Mail) => Promise<void> = async () => {}) {
  const mails: Mail[] = []
  const running = new Set<Promise<unknown>>()
  const services = await openAwsServices({
    invoke(_name, event) {
      const run = mailPasscode(event as Parameters<typeof mailPasscode>[0])
      const done: Promise<void> = run.then(
        () => void running.delete(done),
        () => void running.delete(done),
      )
      running.add(done)
      return run
    },
    async deliver(mail) {
      await deliver(mail)
      mails.push(mail)
    },
    pausesMs: [1, 1],
  })
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', services.endpoint)
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', services.endpoint)
  vi.stubEnv('MAIL_SENDER', 'access@example.net')
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
  return {
    mails,
    /** Resolves when nothing is under way any more. */
    async settled() {
      while (running.size > 0) {
        await Promise.all(running)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    stop: services.stop,
  }
}

/** The passcode in a mail. */
export const passcodeIn = (mail: Mail | undefined): string => /^ {4}(\w{6})$/m.exec(mail?.text ?? '')?.[1] ?? ''

let known: Promise<string> | undefined

/** Somebody who was mailed a passcode, without the mail; hashing takes long, so all have the same one. */
export async function mailedPasscode(accountId: string) {
  const passcode = 'ABC234'
  known ??= hashPassword(passcode, Date.now() + 60_000)
  const hash = await known
  if (!(await passcodeProvider(accountId))) await insertProvider(accountId, 'email_otp')
  const email = `${randomUUID()}@example.com`
  const actor = await insertActor(accountId, {
    type: 'account_user',
    name: 'Grace',
    email,
    allow_email_otp_sign_in: true,
  })
  const Item = {
    ...passcodeKey(accountId, actor.id),
    kind: 'passcode',
    id: randomUUID(),
    email,
    hash,
    attempts: 0,
    expires_at: clock.now() + 900_000_000,
  }
  await table().send(new PutCommand({ TableName: tableName(), Item }))
  return { actor, email, passcode }
}

/** Passcodes take next to no time here: what their hashes cost is for the long tier. */
export function hashQuickly(): void {
  passwordCost.ln = 4
}

import { randomUUID } from 'node:crypto'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { SESv2Client } from '@aws-sdk/client-sesv2'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { vi } from 'vitest'
import { handler as mailPasscode } from '#functions/tasks/mail-passcode.ts'
import { openAwsServices } from '#infra/local/aws-services.ts'
import { awsClient } from '#shared/core/aws/clients.ts'
import type { Mail } from '#shared/core/aws/send-mail.ts'
import { clock } from '#shared/core/clock.ts'
import { hashPassword, hashQueue, passwordCost } from '#shared/core/secrets/password-hash.ts'
import { passcodeKey } from '#shared/domain/passcodes/passcode.ts'
import { passcodeProvider, useText } from '#shared/sign-in/passcodes/passcode-text.ts'
import { table, tableName } from '#shared/table/table.ts'
import { insertProvider } from '../accounts/portal-sessions.ts'
import { insertActor } from '../accounts/rows.ts'
import { pointAt } from '../service/sdk-by-fetch.ts'

/** Captures passcode emails instead of sending them, until the mocks are restored and `stop` is called. */
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
  vi.stubEnv('MAIL_SENDER', 'access@example.net')
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    vi.stubEnv(name, process.env[name] ?? 'local')
  pointAt(awsClient(LambdaClient), services.endpoint)
  pointAt(awsClient(SESv2Client), services.endpoint)
  return {
    mails,
    /** Resolves when all invocations of the passcode function have finished. */
    async settled() {
      while (running.size > 0) {
        await Promise.all(running)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    stop: services.stop,
  }
}

export const passcodeIn = (mail: Mail | undefined): string => /^ {4}(\w{6})$/m.exec(mail?.text ?? '')?.[1] ?? ''

/**
 * Cached hashes by cost parameter. Tests with a low cost must not use expensive hashes, because verifying a hash takes as long as computing
 * it.
 */
const hashesByCost = new Map<number, Promise<string>>()

/** Creates an actor with a stored passcode, as if the passcode had been emailed. All actors share one passcode, because hashing is slow. */
export async function mailedPasscode(accountId: string, context: 'client' | 'portal' = 'client') {
  const passcode = 'ABC234'
  const hashing = hashesByCost.get(passwordCost.ln) ?? hashPassword(passcode, Date.now() + 60_000)
  hashesByCost.set(passwordCost.ln, hashing)
  const hash = await hashing
  const { id: providerId } = (await passcodeProvider(accountId)) ?? (await insertProvider(accountId, 'email_otp'))
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
    use: useText({ purpose: 'sign_in', providerId, context }),
    hash,
    attempts: 0,
    expires_at: clock.now() + 900_000_000,
  }
  await table().send(new PutCommand({ TableName: tableName(), Item }))
  return { actor, email, passcode }
}

/** Lowers the cost of passcode hashes. Tests that need the real cost belong to the long tier. */
export function useCheapHashes(): void {
  passwordCost.ln = 4
}

/** Counts slow hashes until the mocks are restored. The returned function returns the number of hashes since its previous call. */
export function countHashes(): () => number {
  const queued = vi.spyOn(hashQueue, 'run')
  return () => {
    const { length } = queued.mock.calls
    queued.mockClear()
    return length
  }
}

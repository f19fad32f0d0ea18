import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { handler as sendPasscode } from '#functions/sign-in/passcodes/send-passcode.ts'
import { handler as verifyPasscode } from '#functions/sign-in/passcodes/verify-passcode.ts'
import { passwordCost } from '#shared/core/secrets/password-hash.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { catchMails, mailedPasscode } from '#test/support/sign-in/mails.ts'

const { ln } = passwordCost
afterEach(() => {
  passwordCost.ln = ln
  vi.unstubAllEnvs()
})

const medianOf = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

async function timed(handler: Handler, slug: string, sign_in: object, sourceIp: string): Promise<number> {
  const startedAt = performance.now()
  await call(handler, {
    method: 'POST',
    params: { slug },
    body: { sign_in: { context: 'client', ...sign_in } },
    sourceIp,
  })
  return performance.now() - startedAt
}

/** Measures existing and unknown emails alternately, so that a slow machine affects both equally. */
async function mediansOf(handler: Handler, rounds: number) {
  const account = await newAccount()
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let i = 0; i < rounds; i++) {
    const { email } = await mailedPasscode(account.id)
    const wrong = { passcode: 'ZZZZZZ' }
    const known = { email, ...wrong }
    const unknown = { email: `${randomUUID()}@example.com`, ...wrong }
    for (const kind of i % 2 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      const source = `203.0.113.${(2 * i) % 250}`
      times[kind].push(await timed(handler, account.slug, { known, unknown }[kind], source))
    }
  }
  return { known: medianOf(times.known), unknown: medianOf(times.unknown) }
}

it('takes equally long for an unknown address and for a wrong passcode', async () => {
  const { known, unknown } = await mediansOf(verifyPasscode, 15)
  expect(Math.abs(known - unknown) / known, JSON.stringify({ known, unknown })).toBeLessThan(0.2)
})

it('takes equally long for known and unknown addresses under concurrent passcode requests', async () => {
  const post = await catchMails()
  passwordCost.ln = 13
  const account = await newAccount()
  const stranger = { email: `${randomUUID()}@example.com`, passcode: 'ZZZZZZ' }
  const people = await Promise.all(Array.from({ length: 5 }, () => mailedPasscode(account.id)))
  const emails = {
    known: () => people.map(({ email }) => email),
    unknown: () => people.map(() => `${randomUUID()}@example.com`),
  }
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let i = 0; i < 16; i++) {
    const kind = i % 2 ? 'known' : 'unknown'
    const source = `198.18.${i}.1`
    await Promise.all(emails[kind]().map((email) => timed(sendPasscode, account.slug, { email }, source)))
    times[kind].push(await timed(verifyPasscode, account.slug, stranger, source))
    await post.settled()
  }
  await post.stop()
  const [known, unknown] = [medianOf(times.known), medianOf(times.unknown)]
  expect(Math.abs(known - unknown) / known, JSON.stringify(times)).toBeLessThan(0.35)
})

it('takes equally long to request a passcode for an unknown address', async () => {
  const { known, unknown } = await mediansOf(sendPasscode, 60)
  expect(Math.abs(known - unknown) / known, JSON.stringify({ known, unknown })).toBeLessThan(0.35)
})

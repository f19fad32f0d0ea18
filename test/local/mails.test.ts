import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { SESv2Client } from '@aws-sdk/client-sesv2'
import { SMTPServer } from 'smtp-server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openAwsServices } from '#infra/local/aws-services.ts'
import { mailFolder, smtpServer } from '#infra/local/mails.ts'
import { awsClient } from '#shared/core/aws/clients.ts'
import { invokeLater } from '#shared/core/aws/lambda.ts'
import { type Mail, sendMail } from '#shared/core/aws/send-mail.ts'
import { pointAt } from '#test/support/service/sdk-by-fetch.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'

const mail: Mail = {
  from: 'access@example.net',
  to: 'grace@example.com',
  subject: 'Your passcode for Müller & Söhne',
  text: 'The passcode is\n\n    ABC234\n\n.\nIt counts once.\n',
}
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Points the functions' AWS clients to local replacements for SES and Lambda. `deliver` receives each mail. */
async function through(deliver: (mail: Mail) => Promise<void>, invoke = () => undefined as Promise<void> | undefined) {
  const services = await openAwsServices({ deliver, invoke, pausesMs: [1, 1] })
  ends.push(() => services.stop())
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', services.endpoint)
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
  pointAt(awsClient(SESv2Client), services.endpoint)
  pointAt(awsClient(LambdaClient), services.endpoint)
}

type Received = { from: string; to: string[]; content: string; user?: string }

async function startSmtp(options: { refuse?: { code: number; at: 'recipient' | 'data' } } = {}) {
  const { refuse } = options
  const refusal = () => Object.assign(new Error(`5.7.1 No ABC234 for ${mail.to} here.`), { responseCode: refuse?.code })
  let tries = 0
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username = '' }, _session, done) => done(null, { user: username }),
    onRcptTo(_address, _session, done) {
      tries++
      done(refuse?.at === 'recipient' ? refusal() : null)
    },
    onData(stream, session, done) {
      void text(stream).then((content) => {
        if (refuse) return done(refusal())
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        received.push({ from, to: rcptTo.map(({ address }) => address), content, user: String(session.user ?? '') })
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { received, port: (server.server.address() as AddressInfo).port, tries: () => tries }
}

describe('mails of a local service', () => {
  it('are stored as files that only the owner can read, and reported on the terminal', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'mails-'))
    ends.push(() => rmSync(dir, { recursive: true }))
    const printed: string[] = []
    await through(mailFolder(dir, (line) => void printed.push(line)))
    await Promise.all([sendMail(mail), sendMail({ ...mail, to: 'alan@example.com' })])
    const files = readdirSync(join(dir, 'mails')).map((name) => join(dir, 'mails', name))
    expect(files).toHaveLength(2)
    expect(printed.toSorted()).toEqual(files.toSorted().map((file) => `A mail was saved to ${file}\n`))
    const texts = files.map((file) => readFileSync(file, 'utf8'))
    expect(texts.filter((content) => content.includes(`To: ${mail.to}\n`))).toHaveLength(1)
    for (const content of texts) {
      expect(content).toContain(`Subject: ${mail.subject}\n\n${mail.text}`)
      expect(content).toContain(`From: ${mail.from}\n`)
    }
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const line of printed) expect(line).not.toContain('ABC234')
  })

  it('are sent completely and to their recipients by an SMTP server', async () => {
    const { received, port } = await startSmtp()
    await through(smtpServer(`smtp://postman:secret@127.0.0.1:${port}`))
    await sendMail(mail)
    expect(received).toMatchObject([{ from: mail.from, to: [mail.to], user: 'postman' }])
    const content = received[0]?.content ?? ''
    expect(content).toMatch(/^Subject: =\?UTF-8\?/im)
    expect(content).toContain('    ABC234')
    expect(content).toMatch(/^Content-Type: text\/plain/im)
  })

  const linesOf = (write: { mock: { calls: unknown[][] } }) => write.mock.calls.map(([line]) => String(line))

  it.each([
    ['recipient', 550],
    ['data', 554],
    ['recipient', 535],
  ] as const)('are tried once where their server refuses them for good (%s, %d)', async (at, code) => {
    countWaiting()
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { received, port, tries } = await startSmtp({ refuse: { code, at } })
    await through(smtpServer(`smtp://postman:secret@127.0.0.1:${port}`))
    await expect(sendMail(mail)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } })
    expect([received, tries()]).toEqual([[], 1])
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`
    const pattern = `^${time} ERROR mail: 127\\.0\\.0\\.1:${port} permanently refused a mail: ${code} 5\\.7\\.1 `
    expect(linesOf(write)).toEqual([expect.stringMatching(new RegExp(pattern))])
    for (const line of linesOf(write)) expect(line).not.toMatch(/ABC234|grace|secret/)
  })

  it('are retried after a temporary refusal', async () => {
    countWaiting()
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { port, tries } = await startSmtp({ refuse: { code: 451, at: 'data' } })
    await through(smtpServer(`smtp://127.0.0.1:${port}`))
    await expect(sendMail(mail)).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } })
    expect(tries()).toBeGreaterThan(1)
    expect(linesOf(write)[0]).toContain('did not accept a mail: 451 5.7.1')
  })

  it('are retried while the server is unreachable', async () => {
    countWaiting()
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await through(smtpServer('smtp://127.0.0.1:1'))
    await expect(sendMail(mail)).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } })
    expect(linesOf(write)[0]).toMatch(/Z ERROR mail: 127\.0\.0\.1:1 did not accept a mail: .*ECONNREFUSED/)
  })

  it.each(['mail.example.com', 'https://mail.example.com', ''])('refuse an invalid SMTP_URL: %j', (url) => {
    expect(() => smtpServer(url)).toThrow('SMTP_URL must be an address like')
  })
})

describe('a function that is invoked asynchronously', () => {
  it('runs after the response, and at most three times', async () => {
    let runs = 0
    await through(
      async () => {},
      () => {
        runs++
        return Promise.reject(new Error('It fails.'))
      },
    )
    await invokeLater('mail-passcode', {})
    await vi.waitFor(() => expect(runs).toBe(3))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(runs).toBe(3)
  })

  it('can be invoked only at its address, which contains a secret', async () => {
    const invocations: unknown[] = []
    const invoke = () => Promise.resolve(void invocations.push('invoked'))
    await through(async (one) => void invocations.push(one), invoke)
    const { origin, pathname } = new URL(String(process.env.AWS_ENDPOINT_URL_LAMBDA))
    const path = '2015-03-31/functions/mail-passcode/invocations'
    const ask = async (to: string, init: RequestInit = {}) =>
      (await fetch(to, { method: 'POST', body: '{}', headers: { 'x-amz-invocation-type': 'Event' }, ...init })).status
    const guessed = `${pathname.slice(0, -1)}${pathname.endsWith('A') ? 'Q' : 'A'}`
    for (const prefix of ['', guessed, pathname.slice(0, -1), `${pathname}A`, pathname.toLowerCase(), '/%'])
      expect(await ask(`${origin}${prefix}/${path}`)).toBe(403)
    expect(await ask(`${origin}/v2/email/outbound-emails`)).toBe(403)
    expect(await ask(`${origin}${pathname}/${path}`, { headers: {} })).toBe(404)
    expect(invocations).toEqual([])
    expect(await ask(`${origin}${pathname}/${path}`)).toBe(202)
    expect(invocations).toEqual(['invoked'])
  })

  it('must be there', async () => {
    await through(async () => {})
    await expect(invokeLater('nothing', {})).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } })
  })
})

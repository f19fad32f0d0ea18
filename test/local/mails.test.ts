import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openAwsServices } from '#infra/local/aws-services.ts'
import { mailFolder, smtpServer } from '#infra/local/mails.ts'
import { invokeLater } from '#shared/core/aws/invoke-later.ts'
import { type Mail, sendMail } from '#shared/core/aws/send-mail.ts'
import { roleCredentials, type SignedRequest, signedHeaders } from '#shared/core/aws/signed-fetch.ts'
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

/** The functions' own way of sending, up to what stands for SES here. */
async function through(deliver: (mail: Mail) => Promise<void>, invoke = () => undefined as Promise<void> | undefined) {
  const services = await openAwsServices({ deliver, invoke, pausesMs: [1, 1] })
  ends.push(() => services.stop())
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', services.endpoint)
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', services.endpoint)
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
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

type Sent = SignedRequest & { body: string }

const signedBy = (credentials: ReturnType<typeof roleCredentials>, request: Sent, at = Date.now()) => ({
  signed: signedHeaders(request, credentials, new Date(at)),
})

/** Sends a request with the headers given, also with another `Host` than where it goes, as a resolved name would. */
function send(to: string, { method, path, query, body, signed }: Sent & { signed: Record<string, string> }) {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const target = `http://${to}${path}?${new URLSearchParams(query)}`
  const headers = { ...signed, 'content-length': Buffer.byteLength(body) }
  const asking = request(target, { method, headers }, (answer) => resolve(answer.resume().statusCode ?? 0))
  asking.once('error', reject)
  asking.end(body)
  return promise
}

describe('mails on one machine', () => {
  it('are files of the data directory, one each, for its owner alone, and told to the terminal', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'mails-'))
    ends.push(() => rmSync(dir, { recursive: true }))
    const told: string[] = []
    await through(mailFolder(dir, (line) => void told.push(line)))
    await Promise.all([sendMail(mail), sendMail({ ...mail, to: 'alan@example.com' })])
    const files = readdirSync(join(dir, 'mails')).map((name) => join(dir, 'mails', name))
    expect(files).toHaveLength(2)
    expect(told.toSorted()).toEqual(files.toSorted().map((file) => `A mail lies in ${file}\n`))
    const texts = files.map((file) => readFileSync(file, 'utf8'))
    expect(texts.filter((content) => content.includes(`To: ${mail.to}\n`))).toHaveLength(1)
    for (const content of texts) {
      expect(content).toContain(`Subject: ${mail.subject}\n\n${mail.text}`)
      expect(content).toContain(`From: ${mail.from}\n`)
    }
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const line of told) expect(line).not.toContain('ABC234')
  })

  it('go out by an SMTP server, whole and to whom they are for', async () => {
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
    await expect(sendMail(mail)).rejects.toThrow('answered 400')
    expect([received, tries()]).toEqual([[], 1])
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`
    const told = `^${time} ERROR mail: 127\\.0\\.0\\.1:${port} permanently refused a mail: ${code} 5\\.7\\.1 `
    expect(linesOf(write)).toEqual([expect.stringMatching(new RegExp(told))])
    for (const line of linesOf(write)) expect(line).not.toMatch(/ABC234|grace|secret/)
  })

  it('are sent again where their server cannot take them now', async () => {
    countWaiting()
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { port, tries } = await startSmtp({ refuse: { code: 451, at: 'data' } })
    await through(smtpServer(`smtp://127.0.0.1:${port}`))
    await expect(sendMail(mail)).rejects.toThrow('answered 500')
    expect(tries()).toBeGreaterThan(1)
    expect(linesOf(write)[0]).toContain('did not accept a mail: 451 5.7.1')
  })

  it('wait for a server that is not there', async () => {
    countWaiting()
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await through(smtpServer('smtp://127.0.0.1:1'))
    await expect(sendMail(mail)).rejects.toThrow('answered 500')
    expect(linesOf(write)[0]).toMatch(/Z ERROR mail: 127\.0\.0\.1:1 did not accept a mail: .*ECONNREFUSED/)
  })

  it.each(['mail.example.com', 'https://mail.example.com', ''])('need an address of a server: %j', (url) => {
    expect(() => smtpServer(url)).toThrow('SMTP_URL must be an address like')
  })
})

describe('a function that is handed events for later', () => {
  it('runs after the answer, and three times at most', async () => {
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

  it('takes what is signed with the credentials of this process alone, and no more than it needs', async () => {
    const taken: unknown[] = []
    await through(
      async (one) => void taken.push(one),
      () => Promise.resolve(void taken.push('invoked')),
    )
    const { host } = new URL(String(process.env.AWS_ENDPOINT_URL_LAMBDA))
    const good: Sent = {
      service: 'lambda',
      method: 'POST',
      host,
      path: '/2015-03-31/functions/mail-passcode/invocations',
      query: { Qualifier: 'live' },
      headers: { 'x-amz-invocation-type': 'Event' },
      body: '{"purpose":"sign_in"}',
    }
    const mailing: Sent = {
      ...good,
      service: 'ses',
      path: '/v2/email/outbound-emails',
      query: {},
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        FromEmailAddress: mail.from,
        Destination: { ToAddresses: [mail.to] },
        Content: { Simple: { Subject: { Data: 'x' }, Body: { Text: { Data: 'x' } } } },
      }),
    }
    const own = roleCredentials()
    const plain = { 'content-type': 'text/plain', origin: 'https://hostile.example.com' }
    const hostile: Record<string, () => Promise<number>> = {
      'no signature': () => send(host, { ...good, signed: good.headers ?? {} }),
      'a mail without one': () => send(host, { ...mailing, signed: mailing.headers ?? {} }),
      'a simple request of a page': () => send(host, { ...mailing, signed: plain }),
      'a page whose name leads here': () =>
        send(host, {
          ...mailing,
          signed: { ...plain, host: 'hostile.example.com', origin: 'http://hostile.example.com' },
        }),
      'a signature for a name that leads here': () =>
        send(host, { ...good, ...signedBy(own, { ...good, host: 'hostile.example.com' }) }),
      'a name that leads here, signed for this host': () =>
        send(host, { ...good, signed: { ...signedBy(own, good).signed, host: 'hostile.example.com' } }),
      'a guessed secret': () => send(host, { ...good, ...signedBy({ ...own, secretAccessKey: 'guessed' }, good) }),
      'another key': () => send(host, { ...good, ...signedBy({ ...own, accessKeyId: 'other' }, good) }),
      'another body': () => send(host, { ...good, ...signedBy(own, good), body: '{"purpose":"proof"}' }),
      'another function': () =>
        send(host, { ...good, ...signedBy(own, good), path: '/2015-03-31/functions/provision-account/invocations' }),
      'another query': () => send(host, { ...good, ...signedBy(own, good), query: { Qualifier: 'other' } }),
      'another method': () => send(host, { ...good, ...signedBy(own, good), method: 'PUT' }),
      'a header that was signed otherwise': () =>
        send(host, { ...good, signed: { ...signedBy(own, good).signed, 'x-amz-invocation-type': 'RequestResponse' } }),
      'a signature of before': () => send(host, { ...good, ...signedBy(own, good, Date.now() - 301_000) }),
      // Further ahead than a request takes on a busy machine.
      'a signature for later': () => send(host, { ...good, ...signedBy(own, good, Date.now() + 360_000) }),
      'a time that is none': () => send(host, { ...good, signed: { ...signedBy(own, good).signed, 'x-amz-date': '' } }),
    }
    const statuses = await Promise.all(Object.entries(hostile).map(async ([name, run]) => [name, await run()]))
    expect(statuses).toEqual(Object.keys(hostile).map((name) => [name, 403]))
    const large = { ...mailing, body: 'x'.repeat(1_048_577) }
    expect(await send(host, { ...large, ...signedBy(own, large) })).toBe(413)
    expect(taken).toEqual([])
    expect(await send(host, { ...good, ...signedBy(own, good) })).toBe(202)
    expect(await send(host, { ...mailing, ...signedBy(own, mailing) })).toBe(200)
    expect(taken).toHaveLength(2)
  })

  it('must be there', async () => {
    await through(async () => {})
    await expect(invokeLater('nothing', {})).rejects.toThrow('answered 404')
  })
})

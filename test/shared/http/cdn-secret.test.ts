import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { stubSecrets } from '#test/support/service/stub-secrets.ts'

const arn = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:cdn-AbCdEf'
let secrets: Awaited<ReturnType<typeof stubSecrets>>
const holds = (text?: string) => secrets.setSecret(text)
const countRequests = () => secrets.requestCount()
const minutesLater = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000)

let isFromCdn: (proof: string | undefined) => Promise<boolean | null>
beforeAll(async () => {
  secrets = await stubSecrets()
})
afterAll(() => secrets.end())
beforeEach(async () => {
  secrets.use()
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.stubEnv('CDN_SECRET_ARN', arn)
  vi.resetModules()
  ;({ isFromCdn } = await import('#shared/http/origin.ts'))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('the secret of the CDN (P8.2)', () => {
  it('is absent if the deployment configures none', async () => {
    vi.stubEnv('CDN_SECRET_ARN', '')
    expect(await isFromCdn('anything')).toBeNull()
    expect(countRequests()).toBe(0)
  })

  it('is read from Secrets Manager once in five minutes', async () => {
    holds('first')
    expect([await isFromCdn('first'), await isFromCdn('other'), await isFromCdn(undefined)]).toEqual([
      true,
      false,
      false,
    ])
    expect(countRequests()).toBe(1)
    holds('second')
    minutesLater(4)
    expect(await isFromCdn('first')).toBe(true)
    minutesLater(2)
    expect([await isFromCdn('first'), await isFromCdn('second')]).toEqual([false, true])
    expect(countRequests()).toBe(2)
  })

  it('can have several words, to rotate without rejected requests', async () => {
    holds(' old\nnew ')
    for (const [proof, expected] of [
      ['old', true],
      ['new', true],
      ['old\nnew', false],
      ['', false],
      [' ', false],
    ] as const) {
      expect(await isFromCdn(proof)).toBe(expected)
    }
  })

  it('refuses every request while it is unknown or empty', async () => {
    secrets.fails('denied')
    await expect(isFromCdn('')).rejects.toThrow('denied')
    for (const empty of [undefined, '', ' \n']) {
      holds(empty)
      await expect(isFromCdn('')).rejects.toThrow(`The secret ${arn} is empty.`)
    }
  })

  it('stays valid if it cannot be read again, and is never logged', async () => {
    const log = catchLog()
    holds('first')
    await isFromCdn('first')
    secrets.fails('first is not to be seen')
    minutesLater(6)
    expect([await isFromCdn('first'), await isFromCdn('second')]).toEqual([true, false])
    expect(log.lines()).toMatchObject([{ event: 'cdn_secret_not_read' }])
    expect(log.text()).not.toMatch(/first/)
  })
})

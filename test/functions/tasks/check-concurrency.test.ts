import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler } from '#functions/tasks/check-concurrency.ts'
import type { CustomResourceEvent } from '#shared/core/custom-resource.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'

const event = (RequestType: CustomResourceEvent['RequestType'], Reserved = '150'): CustomResourceEvent => ({
  RequestType,
  ResponseURL: 'https://answers.example/?signature=s',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'Check',
  ResourceProperties: { Reserved, RequestsPerSecond: '3000' },
})
const limits = (limit: number, unreserved: number) =>
  Response.json({ AccountLimit: { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } })

const fetched = vi.fn<typeof fetch>()
const account = vi.fn<() => Response>()
const answers = () =>
  fetched.mock.calls.filter(([url]) => String(url).startsWith('https://answers')).map(([, init]) => init)
const answer = () => JSON.parse(String(answers()[0]?.body))

beforeEach(() => {
  sdkByFetch()
  vi.stubGlobal('fetch', fetched)
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'key')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  fetched.mockImplementation(async (url) => (String(url).includes('lambda.') ? account() : new Response()))
})
afterEach(() => {
  fetched.mockReset()
  account.mockReset()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

describe('the check of a deployment', () => {
  it("fails the deployment if the account's quota is too small, with a message for CloudFormation", async () => {
    account.mockReturnValue(limits(10, 10))
    await handler(event('Create'))
    expect(answer()).toMatchObject({
      Status: 'FAILED',
      StackId: 'stack',
      RequestId: 'request',
      LogicalResourceId: 'Check',
    })
    expect(answer().Reason).toContain('can run 10 Lambda functions at once')
    expect(fetched.mock.calls[0]?.[0]).toBe('https://lambda.eu-central-1.amazonaws.com/2016-08-19/account-settings')
  })

  it('continues the deployment and reports the result', async () => {
    account.mockReturnValue(limits(1_000, 1_000))
    await handler(event('Create'))
    expect(answer()).toMatchObject({
      Status: 'SUCCESS',
      Data: { Found: expect.stringContaining('850 remain for requests') },
    })
    expect(new Headers(answers()[0]?.headers).get('content-type')).toBeNull()
  })

  it('continues the deployment if the quota may not be read', async () => {
    account.mockReturnValue(new Response('', { status: 403 }))
    await handler(event('Update'))
    expect(answer()).toMatchObject({
      Status: 'SUCCESS',
      Data: { Found: expect.stringContaining('could not be checked') },
    })
  })

  it('requests nothing when it is deleted', async () => {
    await handler(event('Delete'))
    expect(answer().Status).toBe('SUCCESS')
    expect(account).not.toHaveBeenCalled()
  })

  it('resends a failed answer, because CloudFormation would wait for an hour', async () => {
    account.mockReturnValue(limits(1_000, 1_000))
    let broken = 2
    fetched.mockImplementation(async (url) => {
      if (String(url).includes('lambda.')) return account()
      if (broken-- > 0) throw new TypeError('fetch failed')
      return new Response()
    })
    await handler(event('Create'))
    expect(answers()).toHaveLength(3)
  })
})

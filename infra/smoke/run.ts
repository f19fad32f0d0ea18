import { randomUUID } from 'node:crypto'
import { causeOf, Problem, Service } from '../../docs/examples/service.ts'
import type { Options } from './options.ts'
import { type Report, SmokeFailure } from './report.ts'

export type SmokeRun = {
  api: AccountApi
  options: Options
  report: Report
  /** Aborted when the process receives a signal to stop. */
  stop: AbortSignal
  account: { id: string; name: string; slug: string }
}

export type CreatedObject = { id: string; name?: string }

/** Creates a client for the service. The client is anonymous without a token. */
export const createCaller = (baseUrl: string, token?: string): Service => new Service(baseUrl, token, 'smoke/1.0')

/** Creates a client for the account API. Requests that create objects have an `Idempotency-Key`, so that a retry creates nothing twice. */
const accountApi = (service: Service) => ({
  get: <T>(path: string): Promise<T> => service.request('GET', path),
  /** Returns the first page of a list. */
  list: async <T>(path: string, query: Record<string, string>): Promise<T[]> =>
    (await service.send<{ data: T[] }>('GET', `${path}?${new URLSearchParams(query)}`)).data,
  create: <T = CreatedObject>(path: string, body: object): Promise<T> =>
    service.request('POST', path, body, { 'idempotency-key': randomUUID() }),
  change: (path: string, body: object): Promise<unknown> => service.request('PATCH', path, body),
  delete: (path: string): Promise<unknown> => service.request('DELETE', path),
})

export type AccountApi = ReturnType<typeof accountApi>

const timeoutMs = 15_000

/**
 * Checks that the address belongs to this service, before the token is sent to it.
 * @throws SmokeFailure if it does not
 */
async function checkService(baseUrl: string): Promise<void> {
  const url = `${baseUrl}/account`
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: unknown) => {
      throw new SmokeFailure(`No service responds at ${baseUrl}: ${causeOf(error)}.`)
    },
  )
  const { code } = (await response.json().catch(() => ({}))) as { code?: string }
  if (response.status !== 401 || code !== 'unauthorized' || !response.headers.has('x-request-id'))
    throw new SmokeFailure(
      `${baseUrl} is not this service, or does not work: GET /account without a token returned ${response.status}, not 401.`,
    )
}

/**
 * Requests that check a token's permissions without changing anything. Each lacks its envelope or parent, which the service checks only
 * after the scope (A4).
 */
const probes: [method: string, path: string][] = [
  ['POST', '/sites'],
  ['POST', '/groups'],
  ['POST', '/resources'],
  ['POST', '/policies'],
  ['POST', '/actors'],
  ['POST', '/email_otp_auth_providers'],
  ['POST', `/sites/${randomUUID()}/gateways`],
  ['POST', `/actors/${randomUUID()}/client_tokens`],
  ['GET', '/logs?limit=1&total_limit=0'],
]

/**
 * Checks the address and the token.
 * @throws SmokeFailure if one is invalid, or the token lacks a permission that a run needs
 */
export async function checkAccess(options: Options): Promise<Pick<SmokeRun, 'api' | 'account'>> {
  const { baseUrl, token } = options
  await checkService(baseUrl)
  const caller = createCaller(baseUrl, token)
  try {
    const account = await caller.request<SmokeRun['account']>('GET', '/account')
    const missing: string[] = []
    for (const [method, path] of probes) {
      const problem = await caller.send(method, path, method === 'POST' ? {} : undefined).catch((error) => error)
      if (problem instanceof Problem && problem.code === 'insufficient_scope') missing.push(problem.message)
      else if (problem instanceof Problem && ![400, 404].includes(problem.status)) throw problem
    }
    if (missing.length > 0)
      throw new SmokeFailure(`The token does not have all rights of an administrator. ${missing.join(' ')}`)
    return { api: accountApi(caller), account }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.status === 401)
      throw new SmokeFailure(
        `The token is not a valid API token of ${baseUrl}, has expired, or its account is disabled.`,
      )
    throw new SmokeFailure(`${baseUrl} returned ${error.message}`)
  }
}

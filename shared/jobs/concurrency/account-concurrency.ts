import { serviceHost } from '../../core/aws/service-host.ts'
import { signedFetch } from '../../core/aws/signed-fetch.ts'
import type { AccountConcurrency } from './concurrency-finding.ts'

type Settings = { AccountLimit: { ConcurrentExecutions: number; UnreservedConcurrentExecutions: number } }

/** What Lambda says of this account in this region. */
export async function accountConcurrency(): Promise<AccountConcurrency> {
  const host = serviceHost('lambda')
  const path = '/2016-08-19/account-settings/'
  const response = await signedFetch({ service: 'lambda', method: 'GET', host, path }, 10_000)
  const { AccountLimit } = (await response.json()) as Settings
  return { limit: AccountLimit.ConcurrentExecutions, unreserved: AccountLimit.UnreservedConcurrentExecutions }
}

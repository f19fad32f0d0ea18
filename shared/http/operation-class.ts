import type { Operation } from './operation.ts'
import { isV0 } from './v0-headers.ts'

/** What operations are measured by, and the events of the live channel: 160 of them, each with its own metrics, would cost more than it tells. */
export const operationClasses = ['read', 'change', 'access', 'ingest', 'v0', 'sign_in', 'live'] as const

export function classOf({
  method,
  path,
  credential = 'api',
  permission,
}: Operation): (typeof operationClasses)[number] {
  if (isV0(path)) return 'v0'
  if (credential === 'ingest') return 'ingest'
  if (isSignIn(path)) return 'sign_in'
  if (credential !== 'api') return 'access'
  return method === 'GET' || permission?.endsWith(':read') ? 'read' : 'change'
}

/** Where people sign in, and sessions of the portal end (I2). */
const isSignIn = (path: string): boolean => path.startsWith('/sign_in/')

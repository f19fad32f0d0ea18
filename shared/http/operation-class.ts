import type { Operation } from './operation.ts'
import { isV0 } from './v0-headers.ts'

/** Classes of operations, used as a metric dimension. Separate metrics for every operation would cost too much. */
export const operationClasses = ['read', 'change', 'access', 'ingest', 'v0', 'sign_in', 'live'] as const

export function classOf({
  method,
  path,
  credential = 'api',
  permission,
}: Operation): (typeof operationClasses)[number] {
  if (isV0(path)) return 'v0'
  if (credential === 'ingest') return 'ingest'
  if (path.startsWith('/sign_in/')) return 'sign_in'
  if (credential !== 'api') return 'access'
  return method === 'GET' || permission?.endsWith(':read') ? 'read' : 'change'
}

import type { Operation } from './operation.ts'
import { isV0 } from './v0-headers.ts'

/** What operations are measured by, and the events of the live channel: 160 of them, each with its own metrics, would cost more than it tells. */
export const operationClasses = ['read', 'change', 'access', 'ingest', 'v0', 'live'] as const

export function classOf({
  method,
  path,
  credential = 'api',
  permission,
}: Operation): (typeof operationClasses)[number] {
  if (isV0(path)) return 'v0'
  if (credential === 'ingest') return 'ingest'
  if (credential !== 'api') return 'access'
  return method === 'GET' || permission?.endsWith(':read') ? 'read' : 'change'
}

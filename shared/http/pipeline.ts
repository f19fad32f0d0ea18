import type { Step } from './exchange.ts'
import { checkIngestToken, limitPackedBody } from './ingest-steps.ts'
import type { Operation } from './operation.ts'
import {
  checkAccept,
  checkCredential,
  checkFeature,
  checkPathIds,
  checkPermission,
  checkRateLimit,
  limitBody,
  limitSource,
  logRequest,
  readEnvelope,
  readParams,
  readQuery,
  replayAnswer,
} from './steps.ts'
import { isV0 } from './v0-headers.ts'
import { checkV0Credential, limitV0Body, readV0Page, readV0Wrapper } from './v0-steps.ts'

/** The order of checks of the account API (A4). */
const accountSteps = (operation: Operation): Step[] => [
  limitBody,
  checkCredential('api'),
  checkRateLimit,
  logRequest(operation),
  checkPermission(operation),
  checkAccept,
  checkPathIds(operation),
  checkFeature(operation),
  replayAnswer(operation),
  readQuery(operation),
  readEnvelope(operation),
]

/** The order of checks of the access plane (P1.1). */
const accessSteps = (operation: Operation, credential: 'client' | 'gateway'): Step[] => [
  limitBody,
  checkCredential(credential),
  checkRateLimit,
  checkPathIds(operation),
  readQuery(operation),
  readEnvelope(operation),
]

/** The order of checks of flow ingest (L8). */
const ingestSteps: Step[] = [limitBody, limitPackedBody, checkIngestToken, checkRateLimit]

/** The order of checks of what anybody may ask (I2.1). */
const publicSteps = (operation: Operation): Step[] => [
  limitBody,
  limitSource(operation),
  checkRateLimit,
  // A browser that is led elsewhere asks for a page, and gets none.
  ...(operation.status === 303 ? [] : [checkAccept]),
  // A slug is a name that anybody may try, and no id.
  operation.identifiers ? readParams : checkPathIds(operation),
  readQuery(operation),
  readEnvelope(operation),
]

/** What a portal session does with itself is no request to the account API. */
const portalSteps: Step[] = [limitBody, checkCredential('portal'), checkRateLimit, checkAccept]

/** The order of checks of the legacy API (`/v0` contract, 3.4). */
const v0Steps = (operation: Operation): Step[] => [
  checkV0Credential,
  checkRateLimit,
  logRequest(operation),
  checkPermission(operation),
  readParams,
  readV0Page(operation),
  limitV0Body(operation),
  readV0Wrapper(operation),
]

/** The steps that a request passes before its operation runs. */
export function stepsOf(operation: Operation): Step[] {
  const { credential = 'api', path } = operation
  if (isV0(path)) return v0Steps(operation)
  if (credential === 'api') return accountSteps(operation)
  if (credential === 'none') return publicSteps(operation)
  if (credential === 'portal') return portalSteps
  return credential === 'ingest' ? ingestSteps : accessSteps(operation, credential)
}

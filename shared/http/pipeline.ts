import type { Operation } from '../operation.ts'
import type { Step } from './exchange.ts'
import { checkIngestToken, limitPackedBody } from './ingest-steps.ts'
import {
  checkAccept,
  checkCredential,
  checkFeature,
  checkPathIds,
  checkPermission,
  checkRateLimit,
  limitBody,
  logRequest,
  readEnvelope,
  readQuery,
  replayAnswer,
} from './steps.ts'

/** The order of checks of the account API (A4). */
const accountSteps = (operation: Operation): Step[] => [
  limitBody,
  checkCredential('api'),
  checkRateLimit,
  logRequest(operation),
  checkPermission(operation),
  checkAccept,
  checkPathIds,
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
  checkPathIds,
  readQuery(operation),
  readEnvelope(operation),
]

/** The order of checks of flow ingest (L8). */
const ingestSteps: Step[] = [limitBody, limitPackedBody, checkIngestToken, checkRateLimit]

/** The steps that a request passes before its operation runs. */
export function stepsOf(operation: Operation): Step[] {
  const { credential = 'api' } = operation
  if (credential === 'api') return accountSteps(operation)
  return credential === 'ingest' ? ingestSteps : accessSteps(operation, credential)
}

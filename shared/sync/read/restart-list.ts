import { ProviderFault } from '../provider-fault.ts'
import type { Reading } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'

/** A list that loses its place is begun anew so often (I6). */
const mostRestarts = 3

/** A list that lost its place is read again from its start, a few times. @throws any other fault */
export function restartList(work: RunWork, error: unknown): 'again' {
  const reading = work.run.reading as Reading
  if (!(error instanceof ProviderFault) || error.faultClass !== 'lost_place') throw error
  if (++reading.restarts > mostRestarts) throw new ProviderFault(error.atLast, error.message, { cause: error })
  reading.position = null
  return 'again'
}

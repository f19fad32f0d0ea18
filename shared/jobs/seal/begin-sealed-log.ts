import { ApiError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { logLine } from '../../core/logging/log.ts'
import { serviceAddress } from '../../core/service-address.ts'
import type { Follows } from '../../seal/log/follows.ts'
import { Overtaken } from '../../seal/log/overtaken.ts'
import { SealDamage, type SealProblem } from '../../seal/log/seal-damage.ts'
import { type SealedLog, sealedLogs } from '../../seal/log/sealed-log.ts'
import { Lease } from '../../seal/log/sealed-state.ts'
import { beginLog } from '../../seal/sealing/begin-log.ts'
import type { Sealing } from '../../seal/sealing/signed-objects.ts'
import { rejectUnknownAccount } from '../../table/reject-unknown-account.ts'
import { seal } from './seal-logs.ts'

/** A log that was begun, and which one it follows. */
type Begun = { origin: string; follows: Omit<Follows, 'note'>; size: number }

/** By log; null for one that goes on by itself. */
export type BegunLogs = Record<SealedLog, Begun | null>

/** What nobody can mend: the bucket has what was signed of a history that the table has lost, or is another one. */
const lost: SealProblem[] = ['behind', 'diverged', 'absent']

const refuse = (detail: string) => new ApiError('bad_request', detail)

async function readEvent(event: unknown): Promise<string> {
  const { account_id: account, ...others } = fieldsOf(event)
  if (typeof account !== 'string' || !isUuid(account)) throw refuse('account_id must be a UUID.')
  const [other] = Object.keys(others)
  if (other !== undefined) throw refuse(`${other} is not known; the event has account_id.`)
  await rejectUnknownAccount(account.toLowerCase())
  return account.toLowerCase()
}

/** Why a log cannot be sealed as it is; null where it can, and was. */
async function whatIsLost(sealing: Sealing, deadline: number): Promise<SealDamage | null> {
  try {
    await seal[sealing.log](sealing, deadline)
    return null
  } catch (error) {
    if (error instanceof SealDamage && lost.includes(error.problem)) return error
    throw error
  }
}

async function beginOne(account: string, log: SealedLog, deadline: number): Promise<Begun | null> {
  const lease = await Lease.take(account, log)
  if (!lease) throw new Overtaken()
  try {
    const sealing: Sealing = { account, log, address: serviceAddress(), lease, isAsked: true }
    if (!(await whatIsLost(sealing, deadline))) return null
    const { origin, follows } = await beginLog(sealing)
    const { note: _note, ...told } = follows
    const { size, shared } = told
    logLine('WARN', 'log_begun', { account_id: account, log, origin, follows: told.origin, size, shared })
    await seal[log](sealing, deadline)
    return { origin, follows: told, size: lease.state?.size ?? 0 }
  } finally {
    await lease.end()
  }
}

/**
 * Begins the logs of an account that follow those of which the table has lost a part (S2.5, docs/runbooks/seal-stopped.md). A log
 * that goes on by itself does so.
 * @throws ApiError `bad_request` for an event that names no account, and for a log that does not hold otherwise; `unavailable` while
 * another run has it
 */
export async function beginSealedLog(event: unknown, deadline: number): Promise<BegunLogs> {
  const account = await readEvent(event)
  const begun: BegunLogs = { changes: null, activity: null }
  for (const log of sealedLogs) {
    try {
      begun[log] = await beginOne(account, log, deadline)
    } catch (error) {
      if (error instanceof Overtaken)
        throw new ApiError('unavailable', `Another run has the log ${log}. Try again in five minutes.`)
      if (!(error instanceof SealDamage)) throw error
      throw refuse(`The log ${log} does not hold: ${error.problem} at ${error.at}. Mend that first (seal-stopped.md).`)
    }
  }
  return begun
}

import { toProblem } from '../client/problem.ts'
import { send } from '../client/request.ts'
import type { Entry } from '../logs/entries.ts'
import { isKey, readNote } from './note.ts'
import { type Proof, prove, type Relation, relationOf, type Step, sealedLogOf, unsealedReason } from './prove.ts'

/** Key and newest verified notes that the browser keeps for an account, by log (K9.4). */
type Kept = { key?: string; since?: string; notes?: Record<string, string> }

const storageKey = (account: string): string => `console-seal-${account}`

export function readKept(account: string): Kept {
  try {
    return JSON.parse(localStorage.getItem(storageKey(account)) ?? '{}')
  } catch {
    // Ignores a value that another version or a person wrote.
    return {}
  }
}

const keep = (account: string, kept: Kept): void => localStorage.setItem(storageKey(account), JSON.stringify(kept))

/**
 * Keeps a typed key instead of the one that the browser saw first.
 * @returns false for a text that is not a verifier key
 */
export async function keepKey(account: string, key: string): Promise<boolean> {
  if (!(await isKey(key))) return false
  keep(account, { ...readKept(account), key: key.trim(), since: new Date().toISOString() })
  return true
}

async function readServedKey(): Promise<string> {
  const response = await fetch('/seal.pub', { cache: 'no-store' }).catch((error) => Promise.reject(toProblem(error)))
  return (await response.text()).trim()
}

export type Verified = {
  proof: Proof
  servedKey: string
  steps: Step[]
  relation: Relation
  /** Keeps the served key and checkpoint in place of the kept ones. Null if the proof is not valid with the served key. */
  accept: (() => void) | null
}

export type Unsealed = { reason: 'soon' | 'before' | 'missing'; retryAfter: number }

/**
 * Verifies the proof of an entry in this browser, and keeps the key and checkpoint of a proof that is valid.
 * @throws Problem
 */
export async function verifyEntry(account: string, logId: string, entry: Entry): Promise<Verified | Unsealed> {
  const path = { log_id: logId }
  const answer = await send('GET /logs/{log_id}/proof', { path }).catch(toProblem)
  if (answer instanceof Error) {
    if (answer.code !== 'not_sealed_yet') throw answer
    const path = { log: sealedLogOf(entry.type) }
    const checkpoint = (await send('GET /logs/checkpoints/{log}', { path })).answer.data
    return { reason: unsealedReason(logId, checkpoint), retryAfter: answer.retryAfter ?? 300 }
  }
  const proof = answer.answer.data
  const servedKey = await readServedKey()
  const kept = readKept(account)
  const key = kept.key ?? servedKey
  const steps = await prove({ logId, entry, proof, key, account })
  const checkpoint = readNote(proof.note)
  const before = readNote(kept.notes?.[proof.log] ?? '') ?? undefined
  const readPath = async (from: number, to: number) => {
    const options = { path: { log: proof.log }, query: { from, to } }
    const read = await send('GET /logs/checkpoints/{log}/consistency', options).catch(toProblem)
    // A log that has no checkpoint of the kept size has no proof that it extends it.
    if (read instanceof Error) return read.status === 400 ? [] : Promise.reject(read)
    return read.answer.data.path
  }
  const relation = checkpoint ? await relationOf(before, checkpoint, readPath) : 'other'
  const isKept = (relation === 'first' || relation === 'extends') && key === servedKey
  const values = [
    ['kept_key', `${key}${kept.since ? `\n${kept.since}` : ''}`],
    ['served_key', servedKey],
    ['kept_checkpoint', before ? `${before.origin}\n${before.size}\n${before.root}` : ''],
  ] as const
  const all = [...steps, { kind: 'kept', isValid: isKept, values: [...values] } satisfies Step]
  const accept = () =>
    keep(account, {
      key: servedKey,
      since: kept.key === servedKey && kept.since ? kept.since : new Date().toISOString(),
      notes: { ...kept.notes, [proof.log]: proof.note },
    })
  if (all.every(({ isValid }) => isValid)) accept()
  const served = key === servedKey ? steps : await prove({ logId, entry, proof, key: servedKey, account })
  return { proof, servedKey, steps: all, relation, accept: served.every(({ isValid }) => isValid) ? accept : null }
}

import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import { parseOrigin } from '#shared/seal/log/sealed-log.ts'
import { leafHash, provesConsistency, provesInclusion } from '#shared/seal/merkle/merkle-proof.ts'
import { type Checkpoint, parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { openNote, parseVerifierKey, type VerifierKey } from '#shared/seal/notes/signed-note.ts'
import { Problem } from '../../docs/examples/service.ts'
import { SkippedStep, until } from './report.ts'
import type { AccountApi, SmokeRun } from './run.ts'
import type { SmokeChangeEntry } from './walk.ts'

export type Newest = { size: number; note: string | null; verifier_key: string }
type Proof = { leaf_index: number; path: string[]; note: string }

const path = '/logs/checkpoints/changes'

/** Maximum wait for a checkpoint. Sealing runs every five minutes. */
const sealSeconds = 600

export const fetchNewestCheckpoint = (api: AccountApi): Promise<Newest> => api.get<Newest>(path)

const hashes = (texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'base64'))

/**
 * Verifies that the key has signed a checkpoint for this account.
 * @throws Error if the signature, the account or the log is wrong
 */
function verifyNote(note: string, key: VerifierKey, account: string): Checkpoint {
  const text = openNote(note, key)
  if (text === null) throw new Error('the checkpoint is not signed by the key of /seal.pub')
  const checkpoint = parseCheckpoint(text)
  const origin = parseOrigin(checkpoint.origin)
  if (origin?.account !== account || origin.log !== 'changes')
    throw new Error(`the checkpoint belongs to ${checkpoint.origin}`)
  return checkpoint
}

async function publishedKey(baseUrl: string): Promise<{ text: string; key: VerifierKey }> {
  const response = await fetch(`${baseUrl}/seal.pub`, { signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error(`GET /seal.pub returned ${response.status}`)
  const text = (await response.text()).trim()
  return { text, key: parseVerifierKey(text) }
}

/** Fetches the proof for an entry; null until a checkpoint covers the entry. */
const fetchProof = async (api: AccountApi, { log_id }: SmokeChangeEntry): Promise<Proof | null> => {
  try {
    return await api.get<Proof>(`/logs/${log_id}/proof`)
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_sealed_yet') return null
    throw error
  }
}

/**
 * Verifies the newest checkpoint: its signature, that it extends the checkpoint `before`, and that it includes `entry` once sealed.
 * @param entry null if the walk failed before it created an entry
 */
export async function verifyCheckpoint(run: SmokeRun, before: Newest, entry: SmokeChangeEntry | null): Promise<void> {
  const { api, report, stop, account, options } = run
  await report.step('checkpoint', async () => {
    const missing = 'no checkpoint covered the entries of this run'
    const waitsForSeal = options.waitForSeal && entry !== null
    const proof = waitsForSeal
      ? await until({ stop, seconds: sealSeconds, missing }, () => fetchProof(api, entry))
      : entry && (await fetchProof(api, entry))
    const newest = await fetchNewestCheckpoint(api)
    if (newest.note === null) throw new SkippedStep('no log of this account is sealed yet; use --wait-for-seal to wait')
    const { text, key } = await publishedKey(options.baseUrl)
    if (newest.verifier_key !== text) throw new Error('the checkpoint names another key than /seal.pub')
    const checkpoint = verifyNote(newest.note, key, account.id)
    const observations = [`size ${checkpoint.size} is signed by ${key.name}`]
    if (before.note !== null && before.size !== checkpoint.size) {
      const query = new URLSearchParams({ from: String(before.size), to: String(checkpoint.size) })
      const consistency = await api.get<{ path: string[] }>(`${path}/consistency?${query}`)
      if (!provesConsistency(verifyNote(before.note, key, account.id), checkpoint, hashes(consistency.path)))
        throw new Error(`size ${checkpoint.size} does not extend size ${before.size}`)
      observations.push(`it extends size ${before.size}`)
    }
    if (proof && entry) {
      const { size, root } = verifyNote(proof.note, key, account.id)
      if (!provesInclusion(leafHash(canonicalJson(entry)), proof.leaf_index, size, hashes(proof.path), root))
        throw new Error(`the checkpoint of size ${size} does not include ${entry.log_id}`)
      observations.push('it includes an entry of this run')
    } else if (entry) observations.push('the entries of this run are not sealed yet; use --wait-for-seal to wait')
    return [observations.join(', '), undefined]
  })
}

import { clock, timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { type SecretVersion, writingAt } from '../../core/secrets/secret-versions.ts'
import { knownForMs, newestVersions } from '../../core/secrets/service-secret.ts'
import { walkTable } from '../../table/walk-table.ts'
import { put, writeTogether } from '../../table/write-together.ts'
import { readNext } from '../read-next.ts'
import { nothingNamed, Progress, ResealPass } from './reseal-pass.ts'
import { sealedRows } from './sealed-rows.ts'
import { foreignVersions, missingVersions, noteItem, readNotes } from './version-note.ts'

/**
 * A process that had not heard of the newest version when that began has by then, and a request that read the clock before has
 * ended.
 */
const settlingMicros = knownForMs * 1_000 + 60_000_000

export type Resealed = Omit<Progress, 'start' | 'begun'> & {
  /** Versions whose secret is another than the table was written with, and those that the secret lacks. */
  foreign: string[]
  missing: string[]
  /** What goes on where this run stopped; null when the whole table has been seen. */
  next: Progress | null
}

const fields = [...new Set([...sealedRows.values()].flatMap((rows) => rows.fields))]

/** Every item that something named by its version can be in. */
const wanted = [
  `(#kind = :entity AND (${['secret_hash', ...fields].map((field) => `attribute_exists(${field})`).join(' OR ')}))`,
  '(#kind = :idempotency AND #ends > :now)',
].join(' OR ')

/** @throws ApiError `bad_request` for an event that is neither a beginning nor the `next` of the same version */
function begin(event: unknown, versions: SecretVersion[]): ResealPass {
  const isDry = fieldsOf(event).dry_run === true
  const now = clock.now()
  const writing = writingAt(versions, now)
  if (!writing) throw new Error('No version of the service secret may write.')
  const pending = versions.find(
    ({ from, secret, compromised }) => secret !== null && !compromised && from > now - settlingMicros,
  )
  if (!isDry && pending) {
    const from = timestamp(pending.from + settlingMicros)
    throw new ApiError('bad_request', `Version ${pending.name} is written with in a while. Seal anew after ${from}.`)
  }
  const next = readNext(Progress, event)
  if (next === null) {
    const begun = timestamp(now)
    return new ResealPass({ start: null, version: writing.name, begun, resealed: 0, named: {}, unopened: [] }, isDry)
  }
  if (next.version !== writing.name) {
    throw new ApiError('bad_request', 'Another version is written with by now. Begin again, without next.')
  }
  return new ResealPass(next, isDry)
}

/**
 * Seals every stored secret of outside services with the newest version of the service secret, and counts what names which
 * version (docs/runbooks/secret-rotation.md). It walks the whole table, page by page: what stops is gone on with by `next`,
 * or begun again, and what is sealed already stays as it is.
 * @param event `dry_run` where it is to look only: it opens and counts everything, and writes nothing
 */
export async function resealSecrets(event: unknown, hasTime: () => boolean = () => true): Promise<Resealed> {
  const versions = await newestVersions()
  const notes = await readNotes()
  const foreign = foreignVersions(versions, notes)
  const pass = begin(event, versions)
  const { progress, isDry } = pass
  if (foreign.length > 0 && !isDry) {
    throw new ApiError(
      'bad_request',
      `The secret does not belong to the table: of version ${foreign.join(', ')} the table was written with another. Look with "dry_run": true.`,
    )
  }
  const pages = walkTable({
    from: progress.start,
    hasTime,
    ConsistentRead: true,
    FilterExpression: wanted,
    ProjectionExpression: ['pk, sk, #kind, fingerprint, answer_secret, secret_hash', ...fields].join(', '),
    ExpressionAttributeNames: { '#kind': 'kind', '#ends': 'ends' },
    ExpressionAttributeValues: { ':entity': 'entity', ':idempotency': 'idempotency', ':now': clock.now() },
  })
  for await (const { items, next } of pages) {
    await pass.page(items)
    progress.start = next
  }
  if (!progress.start && !isDry) {
    const counted = { counted_at: progress.begun }
    const items = versions.map((version) =>
      noteItem(version, notes.get(version.name), {
        ...counted,
        named: progress.named[version.name] ?? { ...nothingNamed },
      }),
    )
    await writeTogether(items.map(put))
  }
  const { start, begun: _begun, ...seen } = progress
  return { ...seen, foreign, missing: missingVersions(versions, notes), next: start ? progress : null }
}

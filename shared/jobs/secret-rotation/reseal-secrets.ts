import * as v from 'valibot'
import { commit } from '../../commit/commit.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { fieldsOf } from '../../core/is-object.ts'
import { logLine } from '../../core/log.ts'
import { openSecret } from '../../core/sealed-secret.ts'
import { firstVersion, namedVersion, type SecretVersion, writingAt } from '../../core/secret-versions.ts'
import { newestVersions } from '../../core/service-secret.ts'
import { itemRow } from '../../table/entity.ts'
import { unpackLarge } from '../../table/large-attributes.ts'
import type { StoredItem } from '../../table/read.ts'
import { getItem } from '../../table/read.ts'
import { walkTable } from '../../table/walk-table.ts'
import { put, writeTogether } from '../../table/write-together.ts'
import { Place, readNext } from '../read-next.ts'
import { resealedFields, sealedRows } from './sealed-rows.ts'
import { foreignVersions, missingVersions, type Named, noteItem, readNotes } from './version-note.ts'

/** Rows that one commit seals anew. */
const perCommit = 25
/** A request that read the clock before the newest version began has ended after this long. */
const settlingMicros = 60_000_000
const mostListed = 100

const NamedForm = v.strictObject({ sealed: v.number(), answers: v.number(), tokens: v.number() })

/** A row with a sealed field that no version opens. */
const Unopened = v.strictObject({ account_id: v.string(), object: v.string(), id: v.string(), version: v.string() })

/** How far a pass over the table has come. */
const Progress = v.strictObject({
  start: Place,
  /** The version that it seals with, and when it began. */
  version: v.string(),
  begun: v.string(),
  resealed: v.number(),
  named: v.record(v.string(), NamedForm),
  unopened: v.array(Unopened),
})
type Progress = v.InferOutput<typeof Progress>

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

const none: Named = { sealed: 0, answers: 0, tokens: 0 }

/** The account and the collection of a row's key. */
function placeOf({ pk }: StoredItem): { accountId: string; collection: string } {
  const [accountId = '', collection = ''] = pk.split('#')
  return { accountId, collection }
}

class Pass {
  readonly progress: Progress
  private readonly dryRun: boolean

  constructor(progress: Progress, dryRun: boolean) {
    this.progress = progress
    this.dryRun = dryRun
  }

  async page(items: StoredItem[]): Promise<void> {
    const old: StoredItem[] = []
    for (const item of items) {
      if (item.kind === 'idempotency') {
        this.count(
          'answers',
          namedVersion(String(item.fingerprint)).version,
          String(item.answer_secret ?? firstVersion),
        )
      } else if (typeof item.secret_hash === 'string') {
        this.count('tokens', namedVersion(item.secret_hash).version)
      }
      const rows = sealedRows.get(placeOf(item).collection)
      if (item.kind !== 'entity' || !rows) continue
      const versions = rows.textsOf(unpackLarge(item)).map((text) => namedVersion(text).version)
      if (versions.some((version) => version !== this.progress.version)) old.push(item)
      else this.count('sealed', ...versions)
    }
    for (const group of Map.groupBy(old, (item) => placeOf(item).accountId).values()) {
      for (let i = 0; i < group.length; i += perCommit) await this.seal(group.slice(i, i + perCommit))
    }
  }

  /** Each version once for an item: what is counted is what would be lost. */
  private count(what: keyof Named, ...versions: string[]): void {
    for (const version of new Set(versions)) {
      const counts = this.progress.named[version] ?? { ...none }
      this.progress.named[version] = { ...counts, [what]: counts[what] + 1 }
    }
  }

  /** Rows of one account, by one commit; when they cannot be written now, a later run finds them. */
  private async seal(items: StoredItem[]): Promise<void> {
    const openable = []
    for (const item of items) if (await this.opens(item)) openable.push(item)
    const first = openable[0]
    if (!first) return
    const done = this.dryRun ? false : await this.commit(placeOf(first).accountId, openable)
    if (done) {
      this.progress.resealed += openable.length
      for (const _ of openable) this.count('sealed', this.progress.version)
    } else for (const item of openable) this.countSealed(item)
  }

  private countSealed(item: StoredItem): void {
    const texts = sealedRows.get(placeOf(item).collection)?.textsOf(unpackLarge(item)) ?? []
    this.count('sealed', ...texts.map((text) => namedVersion(text).version))
  }

  private async opens(item: StoredItem): Promise<boolean> {
    const { accountId, collection } = placeOf(item)
    for (const text of sealedRows.get(collection)?.textsOf(unpackLarge(item)) ?? []) {
      const opened = await openSecret(accountId, text).then(
        () => true,
        () => false,
      )
      if (opened) continue
      this.countSealed(item)
      const { version } = namedVersion(text)
      const { unopened } = this.progress
      if (unopened.length < mostListed)
        unopened.push({ account_id: accountId, object: collection, id: item.sk, version })
      return false
    }
    return true
  }

  /**
   * The rows as they are now, in the order of all commits: a change under way loses its race and runs again on what was
   * sealed here, or this on what it has changed.
   */
  private async commit(accountId: string, items: StoredItem[]): Promise<boolean> {
    const { version } = this.progress
    return commit({ accountId, subject: null }, async (transaction) => {
      for (const { pk, sk } of items) {
        const rows = sealedRows.get(placeOf({ pk, sk }).collection)
        const item = await getItem({ pk, sk })
        if (!rows || !item) continue
        const row = itemRow(rows.entity, item)
        const forms = await resealedFields(rows, accountId, row, version)
        if (forms) transaction.restate(rows.entity, row, forms)
      }
      return true
    }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'unavailable') throw error
      logLine('WARN', 'secrets_not_resealed', { account_id: accountId })
      return false
    })
  }
}

/** @throws ApiError `bad_request` for an event that is neither a beginning nor the `next` of the same version */
function begin(event: unknown, versions: SecretVersion[]): Pass {
  const { dry_run: dryRun = false } = fieldsOf(event)
  const now = clock.now()
  const writing = writingAt(versions, now)
  if (!writing) throw new Error('No version of the service secret may write.')
  const pending = versions.find(({ from, secret }) => secret !== null && from > now - settlingMicros)
  if (dryRun !== true && pending) {
    const from = timestamp(pending.from + settlingMicros)
    throw new ApiError('bad_request', `Version ${pending.name} is written with in a while. Seal anew after ${from}.`)
  }
  const next = readNext(Progress, event)
  if (next === null) {
    const begun = timestamp(now)
    return new Pass(
      { start: null, version: writing.name, begun, resealed: 0, named: {}, unopened: [] },
      dryRun === true,
    )
  }
  if (next.version !== writing.name) {
    throw new ApiError('bad_request', 'Another version is written with by now. Begin again, without next.')
  }
  return new Pass(next, dryRun === true)
}

/**
 * Seals every stored secret of outside services with the newest version of the service secret, and counts what names which
 * version (docs/runbooks/secret-rotation.md). It walks the whole table, page by page: what stops is gone on with by `next`,
 * or begun again, and what is sealed already stays as it is.
 * @param dryRun in the event: opens and counts everything, and writes nothing
 */
export async function resealSecrets(event: unknown, hasTime: () => boolean = () => true): Promise<Resealed> {
  const versions = await newestVersions()
  const notes = await readNotes()
  const foreign = foreignVersions(versions, notes)
  const pass = begin(event, versions)
  const { progress } = pass
  const isDry = fieldsOf(event).dry_run === true
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
      noteItem(version, notes.get(version.name), { ...counted, named: progress.named[version.name] ?? { ...none } }),
    )
    await writeTogether(items.map(put))
  }
  const { start, begun: _begun, ...seen } = progress
  return { ...seen, foreign, missing: missingVersions(versions, notes), next: start ? progress : null }
}

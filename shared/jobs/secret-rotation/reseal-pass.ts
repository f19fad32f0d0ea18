import * as v from 'valibot'
import { commit } from '../../commit/commit.ts'
import { ApiError } from '../../core/errors.ts'
import { logLine } from '../../core/logging/log.ts'
import { openSecret } from '../../core/secrets/sealed-secret.ts'
import { firstVersion, namedVersion } from '../../core/secrets/secret-versions.ts'
import { itemRow } from '../../table/entity.ts'
import { unpackLarge } from '../../table/large-attributes.ts'
import { getItem, type StoredItem } from '../../table/read.ts'
import { Place } from '../read-next.ts'
import { resealedFields, sealedRows } from './sealed-rows.ts'
import type { Named } from './version-note.ts'

/** Rows that one commit seals anew. */
const perCommit = 25
const mostListed = 100

const NamedForm = v.strictObject({ sealed: v.number(), answers: v.number(), tokens: v.number() })

/** A row with a sealed field that no version opens. */
const Unopened = v.strictObject({ account_id: v.string(), object: v.string(), id: v.string(), version: v.string() })

/** How far a pass over the table has come. */
export const Progress = v.strictObject({
  start: Place,
  /** The version that it seals with, and when it began. */
  version: v.string(),
  begun: v.string(),
  resealed: v.number(),
  named: v.record(v.string(), NamedForm),
  unopened: v.array(Unopened),
})
export type Progress = v.InferOutput<typeof Progress>

export const nothingNamed: Named = { sealed: 0, answers: 0, tokens: 0 }

/** The account and the collection of a row's key. */
function placeOf({ pk }: StoredItem): { accountId: string; collection: string } {
  const [accountId = '', collection = ''] = pk.split('#')
  return { accountId, collection }
}

/** Seals anew what one page after the other has, and counts what names which version. */
export class ResealPass {
  readonly progress: Progress
  /** Opens and counts everything, and writes nothing. */
  readonly isDry: boolean

  constructor(progress: Progress, isDry: boolean) {
    this.progress = progress
    this.isDry = isDry
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
      const counts = this.progress.named[version] ?? { ...nothingNamed }
      this.progress.named[version] = { ...counts, [what]: counts[what] + 1 }
    }
  }

  /** Rows of one account, by one commit; when they cannot be written now, a later run finds them. */
  private async seal(items: StoredItem[]): Promise<void> {
    const openable = []
    for (const item of items) if (await this.opens(item)) openable.push(item)
    const first = openable[0]
    if (!first) return
    const done = this.isDry ? false : await this.commit(placeOf(first).accountId, openable)
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

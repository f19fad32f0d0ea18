import { randomBytes } from 'node:crypto'
import { clock, dayMicros, parseTimestamp, timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { listText } from '../../core/secrets/secret-list.ts'
import { type SecretVersion, writingAt } from '../../core/secrets/secret-versions.ts'
import { knownForMs, versionsIn } from '../../core/secrets/service-secret.ts'
import { remove, writeTogether } from '../../table/write-together.ts'
import { retiredVersion } from './retired-version.ts'
import { missingVersions, noteKey, readNotes, type VersionNote } from './version-note.ts'

/** Where the text of the service secret lies. */
export type SecretStore = { read(): Promise<string>; write(text: string): Promise<void> }

type ShownVersion = {
  version: string
  /** Since when, or from when on, it is written with; null for what was always there. */
  from: string | null
  state: 'pending' | 'writes' | 'read' | 'compromised' | 'retired'
  /** What the last whole pass of reseal-secrets found. */
  named: VersionNote['named']
  counted_at: string | null
}
export type ShownSecret = { versions: ShownVersion[]; missing: string[] }

const mostVersions = 20
/** When a new version begins, every function has known it for as long again. */
const leadMicros = 2 * knownForMs * 1_000
/** As long as ingest tokens of a version can be on their way after it was last written with (L9.2), and a day. */
const reportsMicros = 31 * dayMicros

const bad = (detail: string) => new ApiError('bad_request', detail)

/** @throws ApiError `bad_request` for a name that is not in the list */
function named(versions: SecretVersion[], event: Record<string, unknown>): SecretVersion {
  const found = versions.find(({ name }) => name === event.version)
  if (!found) throw bad(`version must be one of ${versions.map(({ name }) => name).join(', ')}.`)
  return found
}

const exchanged = (versions: SecretVersion[], by: SecretVersion): SecretVersion[] =>
  versions.map((version) => (version.name === by.name ? by : version))

function beginOf(from: unknown, now: number): number {
  if (from === undefined) return now + leadMicros
  const micros = typeof from === 'string' ? parseTimestamp(from) : null
  if (micros === null || micros < now) throw bad('from must be an RFC 3339 timestamp that lies in the future.')
  return micros
}

const countOf = ({ named: of }: VersionNote) => (of ? of.sealed + of.answers : 0)

/** The next newer version that writes: since it began this one has not. While one is compromised, older ones write again. */
const successorOf = (versions: SecretVersion[], version: SecretVersion, now: number): SecretVersion | undefined =>
  versions
    .slice(0, versions.indexOf(version))
    .findLast(({ from, secret, compromised }) => from <= now && secret !== null && !compromised)

type Change = (
  versions: SecretVersion[],
  event: Record<string, unknown>,
  notes: Map<string, VersionNote>,
  now: number,
) => SecretVersion[]

const operations: Record<string, Change> = {
  list: (versions) => versions,

  add(versions, { from }, _notes, now) {
    const pending = versions.find((version) => version.from > now)
    if (pending) throw bad(`Version ${pending.name} begins at ${timestamp(pending.from)} and is not written with yet.`)
    if (versions.length >= mostVersions)
      throw bad(`There are ${mostVersions} versions. Retire and forget old ones first.`)
    const begin = beginOf(from, now)
    // Never used twice, also when an older list is restored: then its values could not be told from those of another.
    const name = `${timestamp(now).slice(0, 10).replaceAll('-', '')}-${randomBytes(4).toString('hex')}`
    return [
      { name, from: begin, secret: randomBytes(48).toString('base64url'), keys: {}, compromised: false },
      ...versions,
    ]
  },

  compromise(versions, event, _notes, now) {
    const version = named(versions, event)
    const after = exchanged(versions, { ...version, compromised: true })
    if (!writingAt(after, now)) throw bad('This is the only version that can write. Add another first.')
    return after
  },

  retire(versions, event, notes, now) {
    const version = named(versions, event)
    if (version.secret === null) throw bad(`Version ${version.name} is retired already.`)
    if (writingAt(versions, now) === version) throw bad('This version is written with. Add another first.')
    const successor = successorOf(versions, version, now)
    if (!successor) throw bad('No newer version is written with yet.')
    const wait = successor.from + reportsMicros
    if (!version.compromised && now < wait) {
      throw bad(
        `Flows are reported with ingest tokens of this version until ${timestamp(wait)}. Wait, or mark it as compromised to end them now.`,
      )
    }
    const note = notes.get(version.name)
    if (event.even_if_named !== true) {
      const counted = note?.counted_at == null ? null : parseTimestamp(note.counted_at)
      if (!note || counted === null || counted < successor.from)
        throw bad('What names this version has not been counted since a newer one writes. Run reseal-secrets first.')
      if (countOf(note) > 0)
        throw bad(
          `${note.named?.sealed} sealed fields and ${note.named?.answers} kept answers name this version. Run reseal-secrets until none does.`,
        )
    }
    return exchanged(versions, retiredVersion(version))
  },

  forget(versions, event, notes) {
    const version = named(versions, event)
    if (version.secret !== null) throw bad('This version is not retired. Retire it first.')
    const tokens = notes.get(version.name)?.named?.tokens
    if (event.even_if_named !== true && tokens !== 0) {
      throw bad(
        tokens === undefined
          ? 'The tokens that name this version have not been counted. Run reseal-secrets first.'
          : `${tokens} tokens name this version and would end. Exchange them, or say "even_if_named": true.`,
      )
    }
    return versions.filter((other) => other !== version)
  },
}

const stateOf = (version: SecretVersion, writing: SecretVersion | undefined, now: number): ShownVersion['state'] => {
  if (version.secret === null) return 'retired'
  if (version.compromised) return 'compromised'
  if (version === writing) return 'writes'
  return version.from > now ? 'pending' : 'read'
}

/**
 * Changes the list of versions of the service secret, and shows it without a secret (docs/runbooks/secret-rotation.md).
 * @throws ApiError `bad_request` for a step whose time has not come; nothing is changed then
 */
export async function rotateServiceSecret(store: SecretStore, event: unknown): Promise<ShownSecret> {
  const fields = fieldsOf(event)
  const change = Object.entries(operations).find(([name]) => name === fields.operation)?.[1]
  if (!change) throw bad(`operation must be one of ${Object.keys(operations).join(', ')}.`)
  const now = clock.now()
  const [text, notes] = await Promise.all([store.read(), readNotes()])
  const before = await versionsIn(text).catch(({ message }: Error) => {
    throw bad(message)
  })
  const after = change(before, fields, notes, now)
  if (after !== before) await store.write(listText(after))
  // Before this the note would have kept the version from being missed.
  const forgotten = before.filter(({ name }) => !after.some((version) => version.name === name))
  if (forgotten.length > 0) await writeTogether(forgotten.map(({ name }) => remove(noteKey(name))))
  for (const { name } of forgotten) notes.delete(name)
  const writing = writingAt(after, now)
  return {
    versions: after.map((version) => ({
      version: version.name,
      from: version.from > 0 ? timestamp(version.from) : null,
      state: stateOf(version, writing, now),
      named: notes.get(version.name)?.named ?? null,
      counted_at: notes.get(version.name)?.counted_at ?? null,
    })),
    missing: missingVersions(after, notes),
  }
}

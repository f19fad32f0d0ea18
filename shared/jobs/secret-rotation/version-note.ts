import { createHmac } from 'node:crypto'
import type { SecretVersion } from '../../core/secrets/secret-versions.ts'
import { derive } from '../../core/secrets/service-secret.ts'
import type { Item, Key } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'

/** How many stored values name a version: sealed fields of rows, kept answers, hashes of tokens. */
export type Named = { sealed: number; answers: number; tokens: number }

/** What the table knows of a version of the service secret: that it belongs to the table, and what names it. */
export type VersionNote = Key & {
  /** Proves the secret without giving it away; null for a version that was retired before it was noted. */
  mark: string | null
  /** As the last whole pass over the table found it, and when that began; null before there was one. */
  named: Named | null
  counted_at: string | null
}

export const versionNotesPartition = 'service#secret'

export const noteKey = (name: string): Key => ({ pk: versionNotesPartition, sk: name })

/** A digest that only the secret of this version makes. */
function markOf(version: SecretVersion): string | null {
  const key = version.secret === null ? null : derive(version, 'mark')
  return key && createHmac('sha256', key).update(version.name).digest('base64')
}

export const noteItem = (
  version: SecretVersion,
  kept: VersionNote | undefined,
  counted: Pick<VersionNote, 'named' | 'counted_at'> = { named: null, counted_at: null },
): Item & VersionNote => ({
  ...noteKey(version.name),
  kind: 'secret_version',
  mark: markOf(version) ?? kept?.mark ?? null,
  ...counted,
})

export const readNotes = async (): Promise<Map<string, VersionNote>> =>
  new Map((await queryItems<VersionNote>(versionNotesPartition)).map((note) => [note.sk, note]))

/** Versions with another secret than the table was written with. */
export const foreignVersions = (versions: SecretVersion[], notes: Map<string, VersionNote>): string[] =>
  versions.flatMap((version) => {
    const [mark, noted] = [markOf(version), notes.get(version.name)?.mark ?? null]
    return mark !== null && noted !== null && mark !== noted ? [version.name] : []
  })

/** Versions that the table was written with and the secret does not list. */
export const missingVersions = (versions: SecretVersion[], notes: Map<string, VersionNote>): string[] =>
  [...notes.keys()].filter((name) => !versions.some((version) => version.name === name))

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SecretVersion } from '#shared/core/secrets/secret-versions.ts'
import { versionsIn } from '#shared/core/secrets/service-secret.ts'
import type { SecretStore } from '#shared/jobs/secret-rotation/rotate-service-secret.ts'
import { foreignVersions, missingVersions, noteItem, readNotes } from '#shared/jobs/secret-rotation/version-note.ts'
import { put, writeTogether } from '#shared/table/write-together.ts'
import { writeAtomically } from './data-dir.ts'
import { databaseFile } from './engines/dynoxide.ts'
import { codeOf, Fault, messageOf } from './fault.ts'

const fileOf = (dir: string): string => join(dir, 'service-secret')

/** Whether a service was ever started, or provisioned, on the directory: its secret is made before all else. */
export function isDataDir(dir: string): boolean {
  try {
    return statSync(fileOf(dir)).isFile()
  } catch (error) {
    // One that may not be looked into is told of as what it is, by who opens it.
    return codeOf(error) !== 'ENOENT'
  }
}

const read = (dir: string): string => {
  try {
    return readFileSync(fileOf(dir), 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}

/**
 * The secret of this data directory: made once, readable by its owner only.
 * @throws Fault where a table is without its secret: a new one would open nothing in it
 */
export function serviceSecret(dir: string): string {
  const kept = read(dir)
  if (kept) return kept
  if (existsSync(databaseFile(dir))) {
    throw new Fault(
      `The data directory ${dir} has a table and no service secret. Put the file service-secret that belongs to it in its place.`,
    )
  }
  const secret = randomBytes(32).toString('base64url')
  writeAtomically(fileOf(dir), secret)
  return secret
}

/** @throws Fault, one line, when the table was written with another secret than the directory holds, or that is damaged */
export async function checkServiceSecret(dir: string): Promise<void> {
  const path = fileOf(dir)
  const versions = await versionsIn(read(dir)).catch((error): SecretVersion[] => {
    throw new Fault(`${path}: ${messageOf(error)}`)
  })
  const notes = await readNotes()
  const [foreign, missing] = [foreignVersions(versions, notes), missingVersions(versions, notes)]
  const found = [
    ...foreign.map((name) => `its version ${name} is not the one that the table was written with`),
    ...missing.map((name) => `it lacks the version ${name} that the table was written with`),
  ]
  if (found.length > 0) {
    throw new Fault(
      `The service secret ${path} does not belong to the table beside it: ${found.join(', ')}. Put the file service-secret that belongs to the table in its place.`,
    )
  }
  const fresh = versions.filter(({ name, secret }) => secret !== null && !notes.has(name))
  if (fresh.length > 0) await writeTogether(fresh.map((version) => put(noteItem(version, undefined))))
}

/** The same file for a rotation. What runs here reads the variable again, as it would ask Secrets Manager. */
export const secretFile = (dir: string): SecretStore => ({
  read: async () => serviceSecret(dir),
  async write(text) {
    writeAtomically(fileOf(dir), text)
    process.env.SERVICE_SECRET = text
  },
})

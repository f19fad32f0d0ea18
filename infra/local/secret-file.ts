import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFile } from './engines/dynoxide.ts'
import { writeAtomically } from './files/data-dir.ts'
import { errnoOf, messageOf, StartupError } from './files/fault.ts'

/** Secret files: `secret-key` encrypts the secrets of providers, `signing-secret` signs ingest tokens and cursors. */
type SecretName = 'secret-key' | 'signing-secret'

/** True if a service has used the directory. A service creates its secrets before all other files. */
export function isDataDir(dir: string): boolean {
  try {
    return statSync(join(dir, 'secret-key')).isFile()
  } catch (error) {
    // Ignores other errors, such as a missing permission, which the first use of the directory reports.
    return errnoOf(error) !== 'ENOENT'
  }
}

/**
 * Returns the path of a secret file of the data directory. Creates a missing file, readable by its owner only.
 * @throws StartupError if the file is damaged, or if the key is missing although a table exists, because a new key could not decrypt its
 * secrets
 */
export function secretFile(dir: string, name: SecretName): string {
  const path = join(dir, name)
  if (existsSync(path)) {
    if (/^[\w-]{43}$/.test(readFileSync(path, 'utf8').trim())) return path
    throw new StartupError(
      `The file ${path} is damaged: it does not contain 32 bytes in base64url. Replace it with a backup.`,
    )
  }
  if (name === 'secret-key' && existsSync(databaseFile(dir))) {
    throw new StartupError(
      `The data directory ${dir} has a table but no key. Restore its file secret-key from a backup, or start with an empty directory.`,
    )
  }
  writeAtomically(path, randomBytes(32).toString('base64url'))
  return path
}

/**
 * Checks the key that signs checkpoints.
 * @throws StartupError if the file has no Ed25519 private key
 */
function checkKey(path: string): void {
  try {
    const { asymmetricKeyType: type } = createPrivateKey(readFileSync(path))
    if (type !== 'ed25519') throw new Error(`it contains a key of type ${type}, not ed25519`)
  } catch (error) {
    throw new StartupError(
      `The seal key ${path} is damaged (${messageOf(error)}). Replace it with a backup. Without it no log is sealed.`,
    )
  }
}

/**
 * Returns the path of the key that signs checkpoints (S2.2). Creates a missing file, readable by its owner only.
 * @throws StartupError if the key is damaged, or if it is missing although sealed logs exist, because a new key must not sign their history
 */
export function sealKeyFile(dir: string): string {
  const path = join(dir, 'seal-key.pem')
  if (existsSync(path)) checkKey(path)
  else if (existsSync(join(dir, 'seal')))
    throw new StartupError(
      `The data directory ${dir} has sealed logs but no key. Restore its file seal-key.pem from a backup.`,
    )
  else {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeAtomically(path, String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
  }
  return path
}

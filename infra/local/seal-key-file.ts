import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from './data-dir.ts'
import { Fault, messageOf } from './fault.ts'

/** @throws Fault where the file holds no key that signs checkpoints */
function checkKey(path: string): void {
  try {
    const { asymmetricKeyType: type } = createPrivateKey(readFileSync(path))
    if (type !== 'ed25519') throw new Error(`it holds a key of type ${type}, not ed25519`)
  } catch (error) {
    throw new Fault(
      `The seal key ${path} is damaged (${messageOf(error)}). Put a copy of it in its place: without it no log is sealed.`,
    )
  }
}

/**
 * The key that signs checkpoints (S2.2): made once, readable by its owner only.
 * @throws Fault where logs were sealed and the key is gone or damaged. Another key would sign for a history that it has
 * not seen.
 */
export function sealKeyFile(dir: string): string {
  const path = join(dir, 'seal-key.pem')
  if (existsSync(path)) {
    checkKey(path)
    return path
  }
  if (existsSync(join(dir, 'seal'))) {
    throw new Fault(
      `The data directory ${dir} has sealed logs and no key. Put the file seal-key.pem that belongs to it in its place.`,
    )
  }
  const { privateKey } = generateKeyPairSync('ed25519')
  writeAtomically(path, String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
  return path
}

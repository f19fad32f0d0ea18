import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from './data-dir.ts'
import { Fault } from './fault.ts'

/**
 * The key that signs checkpoints (S2.2): made once, readable by its owner only.
 * @throws Fault where logs were sealed and the key is gone: another would sign for a history that it has not seen
 */
export function sealKeyFile(dir: string): string {
  const path = join(dir, 'seal-key.pem')
  if (existsSync(path)) return path
  if (existsSync(join(dir, 'seal'))) {
    throw new Fault(
      `The data directory ${dir} has sealed logs and no key. Put the file seal-key.pem that belongs to it in its place.`,
    )
  }
  const { privateKey } = generateKeyPairSync('ed25519')
  writeAtomically(path, String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
  return path
}

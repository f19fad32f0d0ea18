import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Installs the locked versions of the vendors' clients if they are missing, because only the proofs need them. */
const folder = import.meta.dirname
const installed = join(folder, 'node_modules', '.package-lock.json')
const locked = statSync(join(folder, 'package-lock.json')).mtimeMs

if (!existsSync(installed) || statSync(installed).mtimeMs < locked) {
  const { status } = spawnSync('npm ci --ignore-scripts', { cwd: folder, shell: true, stdio: 'inherit' })
  process.exitCode = status ?? 1
}

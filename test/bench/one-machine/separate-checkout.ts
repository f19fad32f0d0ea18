import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

const git = (...args: string[]): Buffer =>
  execFileSync('git', ['-C', repository, ...args], { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe'] })

/** Full commit id of a revision. @throws Error if the repository lacks it */
export const commitIdOf = (revision: string): string => git('rev-parse', '--verify', `${revision}^{commit}`).toString()

function copyWorkingFiles(root: string): void {
  const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').toString().split('\0')
  for (const file of files)
    if (file && existsSync(join(repository, file))) cpSync(join(repository, file), join(root, file))
}

/**
 * Writes a revision, or the current files for null, into a new folder. The folder's `node_modules` links each installed package, so that it
 * has a cache of its own.
 */
export function writeSeparateCheckout(revision: string | null, root: string): void {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  if (revision === null) copyWorkingFiles(root)
  else execFileSync('tar', ['-x', '-C', root], { input: git('archive', revision) })
  const packages = join(repository, 'node_modules')
  for (const name of readdirSync(packages))
    if (name !== '.cache') symlinkSync(join(packages, name), join(root, 'node_modules', name))
}

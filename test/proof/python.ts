import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Interpreter of the virtual environment that `install.ts` creates. It is missing on machines without Python. */
export const python = join(import.meta.dirname, '.venv/bin/python')

/** Returns true if the virtual environment has a module. Otherwise, prints what remains unproven. */
export function hasModule(name: string, unproven: string): boolean {
  if (spawnSync(python, ['-c', `import ${name}`]).status === 0) return true
  process.stderr.write(`There is no ${name} for Python here (npm run proof:install): ${unproven}\n`)
  return false
}

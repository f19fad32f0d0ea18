import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' })

/** A version of the service: its sources, and the bundle of its functions. */
export type Checkout = { name: string; root: string; code: string }

/** Where the bundling lies, in this version and in those before. */
const bundlers = ['infra/code/bundle.ts', 'infra/bundle.ts']

/** Bundles what stands at a place, as its own sources do it. */
async function bundled(name: string, place: string, code: string): Promise<Checkout> {
  const { loadOperations } = await import(join(place, 'functions/operations.ts'))
  const bundler = bundlers.map((file) => join(place, file)).find(existsSync)
  const { bundle } = await import(String(bundler))
  await bundle(await loadOperations(), code)
  return { name, root: place, code }
}

/** The sources as they are here, and those of another revision with the packages of here. */
export async function twoCheckouts(revision: string, directory: string) {
  const place = join(directory, 'base')
  git('worktree', 'add', '--detach', '--force', place, revision)
  await symlink(join(repository, 'node_modules'), join(place, 'node_modules'))
  return {
    base: await bundled(revision, place, join(directory, 'base-code')),
    now: await bundled('now', repository, join(directory, 'now-code')),
    remove: () => git('worktree', 'remove', '--force', place),
  }
}

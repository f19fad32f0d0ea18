import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' })

export type Checkout = { name: string; root: string; code: string }

/** Paths of the bundler, in this version and in earlier versions. */
const bundlers = ['infra/code/bundle.ts', 'infra/bundle.ts']

async function bundleCheckout(name: string, root: string, code: string): Promise<Checkout> {
  const { loadOperations } = await import(join(root, 'functions/operations.ts'))
  const bundler = bundlers.map((file) => join(root, file)).find(existsSync)
  const { bundle } = await import(String(bundler))
  await bundle(await loadOperations(), code)
  return { name, root, code }
}

/** Returns bundles of the current sources and of a second revision, which also uses the currently installed packages. */
export async function twoCheckouts(revision: string, directory: string) {
  const root = join(directory, 'base')
  git('worktree', 'add', '--detach', '--force', root, revision)
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  return {
    base: await bundleCheckout(revision, root, join(directory, 'base-code')),
    now: await bundleCheckout('now', repository, join(directory, 'now-code')),
    remove: () => git('worktree', 'remove', '--force', root),
  }
}

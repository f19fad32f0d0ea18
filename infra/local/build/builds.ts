import { fork } from 'node:child_process'
import { createHash, hash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isFullDisk, StartupError } from '../files/fault.ts'
import { openCache, reserve } from './cache.ts'
import { settingsFromVariables } from './synthesize.ts'

/**
 * Built parts of the local service: `server` is this program without TypeScript, `functions` is the bundle that is also deployed to AWS, and
 * `deployment` is the content of the templates.
 */
export type BuildPart = 'server' | 'functions' | 'deployment'

/** Folder of each built part. */
export type Builds<P extends BuildPart = BuildPart> = Record<P, Promise<string>>

export type BuildOrder = { cache: string; code: string; folders: Partial<Record<BuildPart, string>> }
export type BuildMessage = { part: BuildPart; fault?: string; isStartupError?: boolean }

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Files and folders from which the parts are built. npm replaces the hidden lock file whenever it changes a package. */
export const buildSources = [
  'functions',
  'shared',
  'infra',
  'test/fakes',
  'docs/openapi.json',
  'cdk.json',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
]

function filesOf(folder: string, source: string): string[] {
  const found = statSync(join(folder, source), { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found ? [source] : []
  const entries = readdirSync(join(folder, source), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
}

/** Hashes the paths and contents of all sources, not their times, which a checkout changes. */
export function hashSources(folder = root): string {
  const sum = createHash('sha256')
  for (const file of buildSources.flatMap((source) => filesOf(folder, source)).sort()) {
    const content = readFileSync(join(folder, file))
    sum.update(`${file} ${content.length}\n`).update(content)
  }
  return sum.digest('hex').slice(0, 32)
}

/** Finds the parts in the cache (`openCache`), and builds those that are missing in a child process. */
export function build<P extends BuildPart>(dataDir: string, wanted: P[]): Builds<P> {
  const cache = openCache(dataDir)
  const code = hashSources()
  const keys = {
    server: code,
    functions: code,
    deployment: hash('sha256', code + JSON.stringify(settingsFromVariables())),
  }
  const folderOf = (part: BuildPart) => join(cache, `${part}-${keys[part].slice(0, 32)}`)
  const isMissing = (part: BuildPart) => !reserve(folderOf(part))
  const missing = wanted.filter(isMissing)
  const foldersOf = (parts: P[]) => Object.fromEntries(parts.map((part) => [part, folderOf(part)]))
  const found = Object.entries(foldersOf(wanted)).map(([part, folder]) => [part, Promise.resolve(folder)])
  return {
    ...Object.fromEntries(found),
    ...(missing.length > 0 && runBuild({ cache, code, folders: foldersOf(missing) })),
  }
}

/** Runs the program `build.ts`. The process ends with this one, and prints nothing but warnings. */
function runBuild(order: BuildOrder): Partial<Builds> {
  // Removes variables that the CDK reads and that are not part of the key. esbuild collects garbage only at 600 MB, which saves a third of
  // its CPU time.
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CDK_'))),
    GOGC: 'off',
    GOMEMLIMIT: '600MiB',
  }
  const child = fork(fileURLToPath(new URL('./build.ts', import.meta.url)), [JSON.stringify(order)], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env,
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const parts = Object.entries(order.folders).map(([part, folder]) => ({
    part,
    folder,
    ...Promise.withResolvers<string>(),
  }))
  const fail = (error: Error) => {
    for (const { reject } of parts) reject(error)
  }
  child.on('message', ({ part: name, fault, isStartupError = false }: BuildMessage) => {
    for (const { part, folder, resolve, reject } of parts) {
      if (part !== name) continue
      if (fault !== undefined) reject(toError(fault, isStartupError, order.cache))
      else if (reserve(folder)) resolve(folder)
      else reject(new Error(`The built files in ${folder} were changed.`))
    }
  })
  child.once('error', fail)
  child.once('exit', (code, signal) => {
    process.removeListener('exit', kill)
    fail(new StartupError(`The build ended before it was complete (${signal ?? code}).`))
  })
  // Handles rejections here, because a caller may stop before it awaits all parts.
  for (const { promise } of parts) promise.catch(() => undefined)
  return Object.fromEntries(parts.map(({ part, promise }) => [part, promise]))
}

function toError(fault: string, isStartupError: boolean, cache: string): Error {
  if (isStartupError) return new StartupError(fault)
  if (isFullDisk(fault))
    return new StartupError(`The disk of the build cache ${cache} is full. Free some space and start again.`)
  return Object.assign(new Error(fault), { stack: fault })
}

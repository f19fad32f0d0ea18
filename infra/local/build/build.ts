import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { loadOperations, operationFiles, routed } from '#functions/operations.ts'
import { faultText, isStartupError, StartupError } from '../files/fault.ts'
import { type BuildMessage, type BuildOrder, type BuildPart, hashSources } from './builds.ts'
import { install, removeUnused } from './cache.ts'

/**
 * Bundles the server and the process of the engines. The packages that few services load stay in `node_modules`, and so does the Kinesis
 * engine, which is not written in strict mode and loads a native package.
 */
async function bundleServer(outdir: string): Promise<void> {
  const [{ build }, { moduleOptions }] = await Promise.all([import('esbuild'), import('../../code/bundle.ts')])
  const local = fileURLToPath(new URL('..', import.meta.url))
  const { outputFiles } = await build({
    absWorkingDir: local,
    entryPoints: { run: 'run.ts', host: 'engines/host.ts' },
    outdir,
    write: false,
    ...moduleOptions,
    external: ['kinesalite', 'nodemailer', 'oidc-provider'],
    // Defines `require`, with which bundled CommonJS packages load Node's modules and native packages.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);`,
    },
    logLevel: 'error',
  })
  for (const { path, contents } of outputFiles) writeFileSync(path, contents)
}

/**
 * Bundles the operations and the CDK app without their packages, because Node loads one file twice as fast as 700 files of TypeScript. Only
 * this build uses the bundle.
 */
async function bundleSources(outdir: string): Promise<(name: 'stdin' | 'synthesis') => URL> {
  const [{ build }, { moduleOptions }] = await Promise.all([import('esbuild'), import('../../code/bundle.ts')])
  const files = await operationFiles()
  const handlers = files.map((file) => `export { handler as '${file}' } from './${file}'`).join('\n')
  await build({
    stdin: {
      contents: handlers,
      resolveDir: fileURLToPath(new URL('../../../functions', import.meta.url)),
      sourcefile: 'operations',
    },
    entryPoints: { synthesis: fileURLToPath(new URL('./synthesis-thread.ts', import.meta.url)) },
    outdir,
    ...moduleOptions,
    packages: 'external',
    logLevel: 'error',
  })
  return (name) => pathToFileURL(join(outdir, `${name}.mjs`))
}

const { cache, code, folders }: BuildOrder = JSON.parse(process.argv[2] ?? '{}')
const sourcesFolder = mkdtempSync(join(cache, 'sources.'))
const sources = bundleSources(sourcesFolder)
const operations = sources.then(async (bundled) => loadOperations(await import(bundled('stdin').href)))
// Handles the rejection here, because a part awaits `sources` first.
operations.catch(() => undefined)

const work: Record<BuildPart, (outdir: string) => Promise<void>> = {
  server: bundleServer,
  async functions(outdir) {
    const { bundle } = await import('../../code/bundle.ts')
    await bundle(await operations, outdir)
  },
  /** Runs the CDK in a second thread, which loads it while this thread loads the operations. */
  async deployment(outdir) {
    const bundled = await sources
    const thread = new Worker(bundled('synthesis'))
    const synthesis = once(thread, 'message')
    thread.postMessage((await operations).map(routed))
    const [deployment] = await synthesis
    writeFileSync(join(outdir, 'deployment.json'), deployment)
  },
}

const send = (message: BuildMessage) =>
  new Promise<void>((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })

/** Builds in a temporary folder beside the target. Other processes therefore never see an incomplete folder. */
async function make(part: BuildPart, folder: string): Promise<void> {
  const temporary = mkdtempSync(`${folder}.`)
  try {
    await work[part](temporary)
    if (hashSources() !== code) throw new StartupError('The source files changed during the build. Start again.')
    install(temporary, folder)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    throw error
  }
  await send({ built: part })
}

process.once('disconnect', () => process.exit(1))
process.once('exit', () => rmSync(sourcesFolder, { recursive: true, force: true }))
try {
  await Promise.all(Object.entries(folders).map(([part, folder]) => make(part as BuildPart, folder)))
  removeUnused(cache)
  process.exit(0)
} catch (error) {
  await send({ fault: faultText(error), isStartupError: isStartupError(error) })
  process.exit(1)
}

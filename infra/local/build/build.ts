import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Metafile } from 'esbuild'
import { loadOperations, type OperationSource, operationFiles, toRoutedSource } from '#functions/operations.ts'
import { readableStack } from '#shared/core/logging/readable-stack.ts'
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

/** Folder of the bundled sources, which is removed at the end; undefined until it is created. */
let sourcesFolder: string | undefined

function removeSources(): void {
  if (sourcesFolder) rmSync(sourcesFolder, { recursive: true, force: true })
}

/** Files of bundled sources, and the modules of all functions. `operations` exports the handler of each file. */
type BundledSources = { operations: URL; synthesis: URL; metafile: Metafile }

/**
 * Bundles the operations and the CDK app without their packages, because Node takes a second to load their 700 files of TypeScript. Only
 * this build uses the bundle.
 */
async function bundleSources(cache: string): Promise<BundledSources> {
  const [{ build }, { moduleOptions, plainFunctions }] = await Promise.all([
    import('esbuild'),
    import('../../code/bundle.ts'),
  ])
  const outdir = mkdtempSync(join(cache, 'sources.'))
  sourcesFolder = outdir
  const [files, others] = await Promise.all([operationFiles(), plainFunctions()])
  const root = fileURLToPath(new URL('../../../functions', import.meta.url))
  // Adds the other functions to the metafile. The file that imports them is never loaded.
  const otherFunctions = join(outdir, 'others.js')
  writeFileSync(otherFunctions, others.map((file) => `import ${JSON.stringify(join(root, file))}\n`).join(''))
  const { metafile } = await build({
    stdin: {
      contents: files.map((file) => `export { handler as '${file}' } from './${file}'`).join('\n'),
      resolveDir: root,
      sourcefile: 'operations',
    },
    absWorkingDir: root,
    entryPoints: { synthesis: fileURLToPath(new URL('./synthesize.ts', import.meta.url)), others: otherFunctions },
    outdir,
    metafile: true,
    ...moduleOptions,
    packages: 'external',
    // Names the sources in the stack of an error (`readableStack`).
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
  })
  const urlOf = (name: string) => pathToFileURL(join(outdir, `${name}.mjs`))
  return { operations: urlOf('stdin'), synthesis: urlOf('synthesis'), metafile }
}

/** Runs the CDK in a second thread, which loads it while this thread bundles the sources. Returns the serialized deployment. */
async function runSynthesis(sources: Promise<BundledSources>, operations: Promise<OperationSource[]>): Promise<string> {
  const thread = new Worker(new URL('./synthesis-thread.ts', import.meta.url))
  const result = new Promise<string>((resolve, reject) => {
    thread.once('message', resolve).once('error', reject)
    thread.once('exit', () => reject(new Error('The thread of the synthesis ended without a result.')))
  })
  const order = Promise.all([sources, operations]).then(([{ synthesis }, loaded]) => ({
    script: synthesis.href,
    operations: loaded.map(toRoutedSource),
  }))
  const [deployment] = await Promise.all([result, order.then((message) => thread.postMessage(message))])
  return deployment
}

const { cache, code, folders }: BuildOrder = JSON.parse(process.argv[2] ?? '{}')
const bundled = bundleSources(cache)
const operations = bundled.then(async (files) => loadOperations(await import(files.operations.href)))
// Handles the rejection here, because a part may await `bundled` alone.
operations.catch(() => undefined)

const work: Record<BuildPart, (outdir: string) => Promise<void>> = {
  server: bundleServer,
  async functions(outdir) {
    const { bundle } = await import('../../code/bundle.ts')
    await bundle(await operations, outdir, (await bundled).metafile)
  },
  async deployment(outdir) {
    writeFileSync(join(outdir, 'deployment.json'), await runSynthesis(bundled, operations))
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
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Reports the result of a part. The other parts continue after a fault. */
async function report(part: BuildPart, folder: string): Promise<boolean> {
  try {
    await make(part, folder)
    await send({ part })
    return true
  } catch (error) {
    await send({ part, fault: readableStack(faultText(error)), isStartupError: isStartupError(error) })
    return false
  }
}

process.once('disconnect', () => process.exit(1))
process.once('exit', removeSources)
const results = await Promise.all(Object.entries(folders).map(([part, folder]) => report(part as BuildPart, folder)))
// Removes the newest folder first, because `removeUnused` keeps the folders that were used last.
removeSources()
removeUnused(cache)
process.exit(results.includes(false) ? 1 : 0)
